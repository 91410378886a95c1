# A failed call returns a condition. Its classes are hpart_STATUS, as hpart_infeasible, hpart_error and error.
.call <- function(name, ...) {
  result <- .Call(C_hpart_call, name, list(...))
  if (inherits(result, "interrupt")) {
    stop(structure(list(message = "the user interrupted the call", call = NULL, status = "cancelled"),
                   class = c("hpart_cancelled", "hpart_error", "error", "condition")))
  }
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
