# The classes of an error are hpart_STATUS, as hpart_infeasible, hpart_error and error.
.fail <- function(message, status) {
  stop(structure(list(message = message, call = NULL, status = status),
                 class = c(paste0("hpart_", status), "hpart_error", "error", "condition")))
}

# A failed call returns a message and a status, or the condition of a function of the user's.
.call <- function(name, ...) {
  result <- .Call(C_hpart_call, name, list(...))
  if (inherits(result, "hpart_failure")) .fail(result$message, result$status)
  if (inherits(result, "interrupt")) .fail("the user interrupted the call", "cancelled")
  if (inherits(result, "condition")) stop(result)
  if (is.null(result)) invisible() else result
}

# A call of a function of the user's, by the library.
.guarded <- function(f, arguments) {
  tryCatch(list(do.call(f, arguments)), error = identity, interrupt = identity)
}

hpart_help <- function(name = NULL) {
  cat(trimws(.call("help", name), "right"), "\n", sep = "")
}

print.hpart <- function(x, ...) {
  cat(.Call(C_hpart_shown, x), "\n", sep = "")
  invisible(x)
}
