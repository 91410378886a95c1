# Products, transforms and factorisations in R, checked by R's own.
library(hpart)

near <- function(right, found) {
  stopifnot(identical(dim(right), dim(found)), is.complex(right) == is.complex(found), length(right) == length(found))
  stopifnot(all(Mod(right - found) <= 1e-12 * (1 + max(Mod(right), 0))))
}
fails <- function(class, pattern, call) {
  caught <- tryCatch({ call; NULL }, error = identity)
  stopifnot(!is.null(caught), inherits(caught, class))
  if (!grepl(pattern, conditionMessage(caught))) stop(conditionMessage(caught))
}
invalid <- "hpart_invalid_argument"
device <- device_open("host", list(memory_limit = 2^20))
fails(invalid, "'nowhere'", device_open(c("host", "nowhere")))
set.seed(5)
for (make in c(function(x) x, function(x) x + 1i * x / 3)) {
  a <- make(matrix(runif(1200), 40))
  b <- make(matrix(runif(600), 30))
  c <- make(matrix(runif(800), 40))
  s <- make(matrix(runif(900), 30) + diag(30, 30))
  adjoint <- function(x) Conj(t(x))
  p <- s %*% adjoint(s)
  upper <- function(x) x[upper.tri(x, TRUE)]

  product <- gemm(device, a, b)
  near(a %*% b, product$c)
  stopifnot(product$report$method == "out-of-card")
  near(3 * c - 2 * a %*% b, gemm(device, adjoint(a), t(b), "C", "T", -2, 3, c)$c)
  near(a %*% b + c, gemm(device, a, b, c = c)$c)
  near(drop(a %*% b[, 1]), gemv(device, a, b[, 1])$y)
  near(drop(2 * t(a) %*% c[, 1]) - b[, 1], gemv(device, a, c[, 1], "T", 2, -1, b[, 1])$y)
  near(upper(a %*% t(a)), upper(syrk(device, a)$c))
  near(2 * backsolve(Re(s), Re(b)), trsm(device, Re(s), Re(b), alpha = 2)$x)
  plain <- p
  plain[lower.tri(p)] <- t(p)[lower.tri(p)]
  near(2 * plain %*% b, symm(device, p, b, alpha = 2)$c)
  near(adjoint(b) %*% (s * lower.tri(s, TRUE)), trmm(device, s, adjoint(b), "R", "L")$x)
  near(upper(4 * a %*% t(a)), upper(syr2k(device, a, 2 * a)$c))
  near(upper(a %*% t(a)), upper(gemmt(device, a, a, transb = "T")$c))
  products <- gemm_strided_batched(device, array(c(a, 2 * a), c(40, 30, 2)), b)$c
  near(2 * a %*% b, products[, , 2])
  factors <- getrf(device, s)
  lower <- factors$lu
  lower[upper.tri(lower, TRUE)] <- 0
  near(s, (lower + diag(30)) %*% (factors$lu * upper.tri(s, TRUE)))
  stopifnot(identical(factors$pivots, as.numeric(1:30)))
  near(solve(s, b), getrs(device, factors$lu, factors$pivots, b)$x)
  near(solve(t(s), b), getrs(device, factors$lu, factors$pivots, b, "T")$x)
  near(solve(s), getri(device, factors$lu, factors$pivots)$inverse)
  half <- potrf(device, p)$factor
  near(solve(p) * upper.tri(p, TRUE), potri(device, half)$inverse)
  near(solve(p, b), potrs(device, half, b)$x)
  near(p, adjoint(half) %*% half)
  orthogonal <- geqrf(device, a)
  r <- orthogonal$qr[1:30, ] * upper.tri(s, TRUE)
  near(adjoint(a) %*% a, adjoint(r) %*% r)
  q <- orgqr(device, orthogonal$qr, orthogonal$tau)$q
  near(a, q %*% r)
  near(adjoint(q) %*% c, ormqr(device, orthogonal$qr, orthogonal$tau, c, "L", "C")$c[1:30, ])
  stopifnot(length(orthogonal$tau) == 30, is.null(dim(orthogonal$tau)))
  near(solve(s, b), gesv(device, s, b)$x)
  near(solve(s, b[, 1]), gesv(device, s, b[, 1])$x)
  near(solve(p, b), posv(device, p, b)$x)
  near(solve(adjoint(a) %*% a, adjoint(a) %*% c), gels(device, a, c)$x)
  near(drop(solve(adjoint(a) %*% a, adjoint(a) %*% c[, 1])), gels(device, a, c[, 1])$x)
  near(mvfft(a + 0i), hpart_fft(device, a)$y)
  near(fft(a + 0i, TRUE), hpart_fft(device, a, 1, 2)$y)
  near(fft(a[, 1] + 0i), hpart_fft(device, a[, 1])$y)
}

x <- array(runif(72), c(6, 4, 3))
spectrum <- fft_r2c(device, x, 3)$y
near(fft(x)[1:4, , ], spectrum)
near(72 * x, fft_c2r(device, spectrum, 6, 3)$y)
near(matrix(c(3, 7, 3, 7), 2), gemm(device, matrix(c(1L, 3L, 2L, 4L), 2), matrix(TRUE, 2, 2))$c)
near(matrix(0, 2, 2), gemm(device, matrix(0, 2, 0), matrix(0, 0, 2))$c)
near(matrix(1i), gemm(device, 1, 1, alpha = 1i)$c)

# Arguments stay as they are.
a <- b <- matrix(c(4, 1, 1, 3), 2)
gesv(device, a, b)
potrf(device, a)
gemm(device, a, a, beta = 1, c = b)
near(matrix(c(4, 1, 1, 3), 2), a)
near(a, b)

fails(invalid, "type character; it must be of numbers", gemm(device, "text", 1))
fails(invalid, "type list", gemm(device, data.frame(a = 1), 1))
fails(invalid, "a is missing", gemm(device, NULL, 1))
fails("hpart_numerical", "limit_results\\(\\) returns", getrf(device, matrix(0, 2, 2)))
stopifnot(limit_results()$report$info == 1)
fails(invalid, "transa is a list of texts; it must be a text", gemm(device, 1, 1, c("N", "T")))
fails(invalid, "option progress is 5; it must be a function", gemm(device, 1, 1, list(progress = 5)))
near(matrix(6), gemm(device, 2, 3, list(queues = 1))$c)

# Conditions of the user's functions reach the caller's handlers; so does an interrupt. The device can be used again.
large <- matrix(1, 300, 300)
progress <- function(f) gemm(device, large, large, options = list(progress = function(share, what) { f(); FALSE }))
stopifnot(identical(tryCatch(progress(function() warning("mine")), warning = conditionMessage), "mine"))
stopifnot(is.list(suppressMessages(progress(function() message("quiet")))))
stopifnot(identical(callCC(function(leave) progress(function() leave("left"))), "left"))
interrupted <- function() { tools::pskill(Sys.getpid(), tools::SIGINT); Sys.sleep(1) }
stopifnot(identical(tryCatch(progress(interrupted), error = function(e) "error", interrupt = function(i) "interrupt"), "interrupt"))
fails(invalid, "is running an operation", progress(function() gemm(device, 1, 1)))
fails("hpart_cancelled", "", gemm(device, diag(500), diag(500), options = list(progress = function(share, what) TRUE)))
fails("simpleError", "my own", gemm(device, diag(500), diag(500), options = list(progress = function(share, what) stop("my own"))))
device_close(device)
fails(invalid, "device was destroyed", gemm(device, 1, 1))
cat("all passed\n")
