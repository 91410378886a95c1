# Installs the package of R with a help page for each function, from the description in its module.
# Usage: Rscript install.R PACKAGE LIBRARY [OPTION of R CMD INSTALL]...
arguments <- commandArgs(trailingOnly = TRUE)
package <- arguments[1]
library <- arguments[2]
functions <- new.env()
sys.source(file.path(package, "R", "functions.R"), functions)
# A module of another machine, in a cross build, leaves the overview alone.
is_loaded <- tryCatch({
  dyn.load(file.path(package, "inst", "libs", "hpart.so"))
  TRUE
}, error = function(failure) FALSE)

escaped <- function(text) gsub("([\\\\%{}])", "\\\\\\1", text)

# Lines that begin with blanks are a table, or continue an item.
paragraph <- function(lines) {
  if (any(startsWith(lines, "  "))) return(c("\\preformatted{", escaped(lines), "}"))
  c(gsub("`([^`]*)`", "\\\\code{\\1}", escaped(lines)), "")
}

topics <- if (is_loaded) setdiff(ls(functions, pattern = "^[a-z]"), "limit_results") # its page is man/hpart.Rd
for (name in topics) {
  f <- functions[[name]]
  routine <- body(f)[[2]]
  lines <- strsplit(.Call("hpart_call", "help", list(routine), PACKAGE = "hpart"), "\n")[[1]]
  results <- sub("( = )?[a-z0-9_]+\\(.*", "", lines[1])
  is_text <- lines != "" & seq_along(lines) > 1
  paragraphs <- split(lines[is_text], cumsum(lines == "")[is_text])
  inputs <- paste0(names(formals(f)), ifelse(vapply(formals(f), is.null, NA), " = NULL", ""), collapse = ", ")
  value <- if (grepl(",", results)) "A list: " else if (results == "") "NULL, invisibly" else ""
  title <- gsub(" \\([^)]*\\)|`|[.:;]( .*)?$", "", paste(paragraphs[[1]], collapse = " "))
  writeLines(c(paste0("\\name{", name, "}\\alias{", name, "}"),
               paste0("\\title{", escaped(title), "}"),
               paste0("\\usage{", name, "(", inputs, ")}"),
               "\\description{", unlist(lapply(paragraphs, paragraph)), "}",
               paste0("\\value{", value, results, ".}")),
             file.path(package, "man", paste0(name, ".Rd")))
}

options <- c("--no-docs", "--no-test-load", "--no-staged-install", shQuote(arguments[-(1:2)]), shQuote(paste0("--library=", library)))
if (system2(file.path(R.home("bin"), "R"), c("CMD", "INSTALL", options, shQuote(package)), env = "R_DEFAULT_PACKAGES=NULL") != 0)
  stop("R CMD INSTALL failed")

# The same files from every folder and at every time.
help <- file.path(library, "hpart", "help")
pages <- lapply(tools::Rd_db("hpart", lib.loc = library), function(page) {
  attr(page, "Rdfile") <- basename(attr(page, "Rdfile"))
  source <- attr(attr(page, "srcref"), "srcfile") # one for all elements
  source$filename <- attr(page, "Rdfile")
  source$wd <- "."
  source$timestamp <- .POSIXct(0)
  page
})
names(pages) <- sub("[.]Rd$", "", names(pages))
tools:::makeLazyLoadDB(pages, file.path(help, "hpart"))
paths <- basename(readRDS(file.path(help, "paths.rds")))
saveRDS(structure(file.path("man", paths), first = 5L), file.path(help, "paths.rds"))
