// Checks results by our own arithmetic in long double, in time proportional to the data, without the libraries that may have computed
// them. Both sides of an equation are applied to random vectors (R. Freivalds, "Probabilistic machines can use less running time",
// 1977). For v of random signs the mean of ||E v||^2 is ||E||^2 in the Frobenius norm: the outcome estimates the error, and every
// number of the result contributes.
#pragma once

#include "library.hpp"

#include <cstdint>
#include <vector>

namespace hpart_command
{

// An operand as it is stored; op is 'N', 'T' or 'C'.
struct Operand {
    const Numbers &numbers;
    std::int64_t rows = 0, columns = 0; // of the stored matrix
    bool by_rows = true;
    char op = 'N';
};

// max |(C - alpha op(A) op(B) - beta C0) v| / max |(alpha op(A) op(B) + beta C0) v|
double product_error(const Operand &a, const Operand &b, double alpha, double beta, const Operand &before,
                     const Operand &after);

// ||X - R|| / ||X|| for X the forward transforms of a batch of arrays; transforms of real numbers have half spectra. Sums over X
// with weights exp(2 pi i t k), t random, are sums over the data with weights that are known in closed form.
double transform_error(const std::vector<std::int64_t> &dims, std::int64_t batch, const Numbers &in,
                       const Numbers &spectrum);

// Column-major: ||P A - L U|| / ||A||, ||A - L L^H|| / ||A||, ||A - Q R|| / ||A||.
double lu_residual(std::int64_t n, const Numbers &a, const Numbers &factors, const std::vector<std::int64_t> &pivots);
double cholesky_residual(std::int64_t n, const Numbers &a, const Numbers &factor);
double qr_residual(std::int64_t n, const Numbers &a, const Numbers &factors, const Numbers &tau);

} // namespace hpart_command
