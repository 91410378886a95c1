# Writes a help page for each function of the package of R, from the description in its module.
# Usage: Rscript help.R MODULE PACKAGE
arguments <- commandArgs(trailingOnly = TRUE)
dyn.load(arguments[1])
package <- arguments[2]
functions <- new.env()
sys.source(file.path(package, "R", "functions.R"), functions)

escaped <- function(text) gsub("([\\\\%{}])", "\\\\\\1", text)

# Lines that begin with blanks are a table, or continue an item.
paragraph <- function(lines) {
  if (any(startsWith(lines, "  "))) return(c("\\preformatted{", escaped(lines), "}"))
  c(gsub("`([^`]*)`", "\\\\code{\\1}", escaped(lines)), "")
}

for (name in setdiff(ls(functions, pattern = "^[a-z]"), "limit_results")) { # its page is man/hpart.Rd
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
