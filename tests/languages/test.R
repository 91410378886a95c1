# The worked problem in R: arguments are the platform file and a folder for files.
arguments <- commandArgs(trailingOnly = TRUE)
file <- arguments[1]
folder <- arguments[2]

same <- function(expected, found) {
  if (!identical(expected, found)) stop("expected ", deparse(expected), ", found ", deparse(found))
}

fails <- function(class, pattern, expression) {
  caught <- tryCatch({
    expression
    NULL
  }, error = identity)
  if (is.null(caught)) stop("no error; expected: ", pattern)
  if (!inherits(caught, class)) stop("classes ", paste(class(caught), collapse = " "), ": ", conditionMessage(caught))
  if (!grepl(pattern, conditionMessage(caught))) stop(conditionMessage(caught))
}

platform <- hpart::platform_read(file)
best <- hpart::partition_time(platform, 31)
same(c(9, 9, 7, 6), best$x)
same(3, best$seconds)
same(4, hpart::platform_processors(platform))
same("3", hpart::platform_get_name(platform, 4))
same(best, hpart::partition_time(platform, 31L))
same(c("hpart_platform", "hpart"), class(platform))
same("<hpart platform>", capture.output(print(platform)))

# A front, a schedule, a report.
front <- hpart::front_compute(platform, 31, hpart::ENERGY_DYNAMIC)
same(1, hpart::front_count(front))
point <- hpart::front_point(front, 1)
same(c(3, 0, 31), c(point$seconds, point$joules, sum(point$x)))
report <- hpart::partition(platform, hpart::OBJECTIVE_TIME, 31, list(max_active = 4))$report
same("exact", report$method)
same(1, report$optimal)
same(4L, length(report$utilisation))
schedule <- hpart::schedule_compute(platform, 31)
task <- hpart::schedule_task(schedule, 1)
stopifnot(task$processor >= 1, task$processor <= 4, task$size >= 1, task$repeats >= 1)

# Errors of the library and of types.
schedules <- file.path(folder, "r-schedules.csv")
hpart::schedule_write(schedule, schedules, "app")
renamed <- hpart::platform_read(file)
hpart::platform_set_name(renamed, 2, "other")
fails("hpart_infeasible", "processors\\[2\\] is '1', in the platform 'other'", hpart::schedule_read(schedules, "app", 31, renamed))
invalid <- "hpart_invalid_argument"
fails("hpart_infeasible", "no distribution of size 1000 exists", hpart::partition_time(platform, 1000))
fails("hpart_error", "no distribution", hpart::partition_time(platform, 1000))
fails(invalid, "size is 1.5; it must be an integer", hpart::partition_time(platform, 1.5))
fails(invalid, "from -2\\^53 to 2\\^53", hpart::partition_time(platform, 2^54))
fails(invalid, "from -2\\^53 to 2\\^53", hpart::partition_time(platform, NaN))
fails(invalid, "from -2\\^53 to 2\\^53", hpart::partition_time(platform, NA_real_))
fails(invalid, "has NA", hpart::partition_time(platform, NA_integer_))
fails(invalid, "size has NA; it must have numbers", hpart::partition_time(platform, NA))
fails(invalid, "size is the text '31'", hpart::partition_time(platform, "31"))
fails(invalid, "size is an array of 2 elements", hpart::partition_time(platform, c(1, 2)))
fails(invalid, "R's type complex", hpart::partition_time(platform, 1i))
fails(invalid, "platform is nothing", hpart::partition_time(NULL, 31))
fails(invalid, "platform is a handle of kind front", hpart::partition_time(front, 31))
fails(invalid, "platform is a record", hpart::partition_time(list(), 31))
fails("error", "missing", hpart::partition_time(platform))
fails(invalid, "did you mean 'method'", hpart::partition_time(platform, 31, list(metod = "exact")))
fails(invalid, "options is an array", hpart::partition_time(platform, 31, c(1, 2)))
fails(invalid, "processor is 0; it must be 1 to 4", hpart::platform_get_name(platform, 0))

# Functions as arrays, and back; results beyond 2^53.
own <- hpart::platform_create(2)
hpart::platform_set_time_function(own, 1, c(1, 2^53), c(1, 2))
hpart::platform_set_time_function(own, 2, numeric(0), numeric(0))
read <- hpart::platform_get_function(own, 1)
same(c(1, 2^53), read$sizes)
same(c(1, 2), read$seconds)
stopifnot(is.nan(read$joules))
same(c(2^53, 0), hpart::partition_time(own, 2^53)$x)
wide <- structure(5e-324 * 3, class = "integer64") # the integer 3 of package bit64
same(c(2, 1), hpart::partition_time({
  p <- hpart::platform_create(2)
  hpart::platform_set_time_function(p, 1, 1:3, c(1, 1, 9))
  hpart::platform_set_time_function(p, 2, 1, 1)
  p
}, wide)$x)
fails(invalid, "seconds", hpart::platform_set_time_function(own, 1, 1, NaN))
hpart::platform_set_speed_function(own, 2, c(1, 2), c(4, 4), function(size) 8 * size)
same(c(2, 4), hpart::platform_get_function(own, 2)$seconds)
own_condition <- structure(list(message = "my own", call = NULL), class = c("mine", "error", "condition"))
fails("mine", "my own", hpart::platform_set_speed_function(own, 2, 1, 4, function(size) stop(own_condition)))
fails(invalid, "the result of complexity is the text", hpart::platform_set_speed_function(own, 2, 1, 4, function(size) "text"))
hpart::platform_write(own, file.path(folder, "r.csv"))
same(c(1, 2^53), hpart::platform_get_function(hpart::platform_read(file.path(folder, "r.csv")), 1)$sizes)
same("x, seconds = partition_time(platform, size, [options])", capture.output(hpart::hpart_help("partition_time"))[1])
huge <- file.path(folder, "huge.csv")
writeLines(c("processor,size,time", "0,9007199254740993,1"), huge)
fails("hpart_unsupported", "sizes is beyond 2\\^53", hpart::platform_get_function(hpart::platform_read(huge), 1))

# Destroyed handles.
hpart::platform_destroy(own)
hpart::platform_destroy(own)
fails(invalid, "platform was destroyed", hpart::partition_time(own, 1))
same("<hpart platform, destroyed>", capture.output(print(own)))
fails(invalid, "another session", hpart::partition_time(unserialize(serialize(platform, NULL)), 31))

# Kernels, in turn; their errors come back as they are.
total <- 0
team <- hpart::team_create()
for (name in c("first", "second")) hpart::team_add(team, name, function(size) total <<- total + size)
options <- list(max_repetitions = 10)
each <- hpart::team_measure(team, c(2, 3), options)
same(2L, length(each$mean_seconds))
same(numeric(0), each$joules)
same(0, each$report$simultaneous)
stopifnot(total >= 50)
measured <- hpart::team_profile(team, c(1, 2, 4), options)
same(c(1, 2, 4), hpart::platform_get_function(measured, 2)$sizes)
fails(invalid, "which run in turn", hpart::team_compare(team, rbind(c(1, 2), c(2, 1))))
broken <- hpart::team_create()
hpart::team_add(broken, "broken", function(size) stop(own_condition))
fails("mine", "my own", hpart::team_execute(broken, 3))
hpart::team_add(broken, "nested", function(size) hpart::team_destroy(broken))
fails(invalid, "team is running", hpart::team_execute(broken, c(0, 3)))
hpart::team_add(broken, "calls", function(size) same(best, hpart::partition_time(platform, 31)))
same(c(0, 0), hpart::team_execute(broken, c(0, 0, 3))$seconds[1:2])
fails("mine", "my own", hpart::team_profile(team, c(1, 2), list(progress = function(share, what) stop(own_condition))))
fails("hpart_cancelled", "progress callback stopped", hpart::team_profile(team, c(1, 2), list(progress = function(share, what) TRUE)))
fails(invalid, "kernel is 1; it must be a function", hpart::team_add(team, "third", 1))

# An application of several processors; matrices are rows of distributions.
application <- hpart::team_create()
hpart::team_set_application_function(application, "a,b", function(x) x / 2)
same(c(1, 2), hpart::team_measure(application, c(2, 4), options)$mean_seconds)
fails(invalid, "x has 3 elements; it must have rows of 2", hpart::team_compare(application, c(1, 2, 3)))

# Its results: a time for each processor, or one for all. A kernel's result is not looked at.
execute <- function(result) {
  team <- hpart::team_create()
  hpart::team_set_application_function(team, "A,B", function(x) result)
  hpart::team_execute(team, c(3, 4))$seconds
}
same(c(7, 7), execute(7))
fails(invalid, "the application's result is the text 's'; it must be an array of numbers", execute("s"))
fails("hpart_callback", "the application's time of processor 'B' is nan s", execute(c(3, NaN)))
fails("hpart_callback", "the application's time of processor 'B' is nan s", execute(c(3, NA_real_)))
kernels <- hpart::team_create()
hpart::team_add(kernels, "a", function(n) globalenv(), "0")
hpart::team_execute(kernels, 3)

# Missing values and dates are named as such; messages count from 1.
fails(invalid, "sizes has NA; it must have numbers", hpart::platform_set_time_function(hpart::platform_create(1), 1, NA, 1))
fails(invalid, "sizes is a logical vector", hpart::platform_set_time_function(hpart::platform_create(1), 1, c(TRUE, FALSE), 1:2))
fails(invalid, "sizes is of R's class Date", hpart::platform_set_time_function(hpart::platform_create(1), 1, Sys.Date(), 1))
fails(invalid, "seconds\\[2\\] is nan", hpart::platform_set_time_function(hpart::platform_create(1), 1, 1:2, c(1, NaN)))

# Names as a vector.
vector <- hpart::team_create()
hpart::team_set_application_function(vector, c("CPU", "GPU"), function(x) x / 2)
same("GPU", hpart::platform_get_name(hpart::team_profile(vector, c(2, 4), options), 2))
fails(invalid, "two processors|name", hpart::team_set_application_function(hpart::team_create(), c("", "b"), identity))
fails(invalid, "an element of names is the text 'a,b'", hpart::team_set_application_function(hpart::team_create(), c("a,b", "c"), identity))
fails(invalid, "has NA", hpart::team_set_application_function(hpart::team_create(), c("a", NA), identity))
fails(invalid, "no texts", hpart::team_set_application_function(hpart::team_create(), character(0), identity))
fails(invalid, "names is an array of 2", hpart::team_set_application_function(hpart::team_create(), 1:2, identity))
for (sizes in list(list(1), list(31L), list(1, 2)))
  fails(invalid, "size is a list of numbers; it must be a vector", hpart::partition_time(platform, sizes))
fails(invalid, "names is a record", hpart::team_set_application_function(hpart::team_create(), list("a", x = 1), identity))
fails(invalid, "a number as the others", hpart::team_set_application_function(hpart::team_create(), list("a", 1), identity))
fails(invalid, "name is a list of texts; it must be a text", hpart::team_add(hpart::team_create(), c("a", "b"), identity))
fails(invalid, "size is a list of texts; it must be an integer", hpart::partition_time(platform, c("1", "2")))
fails(invalid, "options is a list of texts", hpart::partition_time(platform, 31, c("method", "exact")))

# Every name of the package has a page of help, which R can read.
same(1L, length(help("partition_time", package = "hpart")))
topics <- getNamespaceExports("hpart")
same(character(0), topics[lengths(lapply(topics, function(topic) help((topic), package = "hpart"))) != 1])
pages <- tools::Rd_db("hpart")
same(0L, sum(lengths(lapply(pages, tools::checkRd))))
same("man", unique(dirname(readRDS(system.file("help", "paths.rds", package = "hpart"))))) # no folder of the build
same(names(pages), unname(vapply(pages, attr, "", "Rdfile")))
shown <- capture.output(tools::Rd2txt(pages[["partition_time.Rd"]]))
for (line in c("partition_time(platform, size, options = NULL)", "A list: x, seconds.", "energy_low, energy_high       the same for joules"))
  stopifnot(any(grepl(line, shown, fixed = TRUE)))

# Handles are freed.
resident <- function() 4096 * scan("/proc/self/statm", quiet = TRUE)[2]
cycles <- function(count) for (i in seq_len(count)) hpart::platform_set_name(hpart::platform_create(2), 1, "name")
cycles(20000)
before <- resident()
cycles(100000)
stopifnot(resident() - before < 8e6)

# Texts without characters, foreign objects, lists in lists.
bytes <- "\xff"
Encoding(bytes) <- "bytes"
spoken <- hpart::team_create()
hpart::team_set_application_function(spoken, "a", function(x) bytes)
fails(invalid, "encoding", hpart::team_execute(spoken, 5))
hpart::team_destroy(spoken) # it does not run any more
stopifnot(identical(capture.output(print(structure(1, class = "hpart"))), "<no handle of hpart>"))
deep <- list(1)
for (k in 1:100) deep <- list(deep)
fails(invalid, "nested more than 20 levels deep", hpart::platform_processors(deep))

cat("all passed\n")
