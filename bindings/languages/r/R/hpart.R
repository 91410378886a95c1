# The classes of an error are hpart_STATUS, as hpart_infeasible, hpart_error and error.
.fail <- function(message, status) {
  stop(structure(list(message = message, call = NULL, status = status),
                 class = c(paste0("hpart_", status), "hpart_error", "error", "condition")))
}

# A failed call returns a message and a status.
.call <- function(name, ...) {
  result <- .Call(C_hpart_call, name, list(...))
  if (inherits(result, "hpart_failure")) .fail(result$message, result$status)
  if (is.null(result)) invisible() else result
}

hpart_help <- function(name = NULL) {
  cat(trimws(.call("help", if (!is.null(name)) sub("^hpart_", "", name)), "right"), "\n", sep = "")
}

print.hpart <- function(x, ...) {
  cat(.Call(C_hpart_shown, x), "\n", sep = "")
  invisible(x)
}
