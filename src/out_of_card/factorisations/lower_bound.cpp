// After D. Irony, S. Toledo and A. Tiskin (2004) and G. Ballard, J. Demmel, O. Holtz and O. Schwartz, "Minimizing communication
// in numerical linear algebra", SIAM J. Matrix Anal. Appl. 32 (2011). The products c(i, j) += a(i, k) b(k, j) are points
// (i, j, k). While a device with room for S elements reads T more, it can use X = S + T different ones, and sets of A, B and C
// elements have no more than sqrt(|A| |B| |C|) points among them (Loomis and Whitney). With T = 2S, G points need
// 2S (G / most - 1) reads, where `most` is the number of points that 3S elements can have:
// - a symmetric update, where a(i, k) and a(j, k) are of one matrix: of r rows of column k, at most min(r^2 / 2, |C|) <=
//   r sqrt(|C| / 2) points, so |A| sqrt(|C| / 2), at most sqrt(2) S^(3/2);
// - a triangular solution, where b(k, j) and b(i, j) are: the same;
// - Cholesky, where all three are: at most X elements each, X^(3/2) / sqrt(2);
// - LU, where L and U share X elements, and the updated elements are among these: X^(3/2) / 2.
// For QR only the move of each element is counted. Elements in their one place are read before they are updated.
#include "out_of_card/factorisations/blocking.hpp"

#include <cmath>

namespace hpart
{

namespace
{

double real(std::int64_t value) { return static_cast<double>(value); }
double pairs(std::int64_t n) { return real(n) * real(n - 1) / 2; }
double triangle(std::int64_t n) { return real(n) * real(n + 1) / 2; }

// sum of (rows - 1 - k)(columns - 1 - k)
double lu_products(std::int64_t rows, std::int64_t columns)
{
    double sum = 0;
    for (std::int64_t k = 0; k < std::min(rows, columns); ++k) sum += real(rows - 1 - k) * real(columns - 1 - k);
    return sum;
}

// Off the diagonal.
double cholesky_products(std::int64_t rows, std::int64_t columns)
{
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += real(j) * real(rows - 1 - j);
    return sum;
}

// The device's, of all but those within panels.
double on_device(const FactorisationStep &problem, const LeftLookingShape &shape,
                 double (*products)(std::int64_t rows, std::int64_t columns))
{
    auto sum = products(problem.rows, problem.columns);
    for (std::int64_t begin = 0, width = 0; begin < problem.depth; begin += width) {
        const auto left = problem.depth - begin;
        width = std::min(left, left <= shape.last_panel ? left : shape.panel);
        sum -= products(problem.rows - begin, width);
    }
    return sum;
}

struct Least {
    double in = 0, out = 0;        // each element once
    double products = 0, most = 1; // points, and of those 3S elements' most over S^(3/2)
};

Least least_of(const FactorisationStep &problem, const LeftLookingShape &shape)
{
    const auto m = problem.rows, n = problem.columns, w = shape.panel;
    const auto three = std::pow(3.0, 1.5);
    switch (problem.method) {
    case StepKind::lu:
        return {real(m) * real(n) - real(w) * real(w), real(m - 1) * real(n - w),
                on_device(problem, shape, lu_products), three / 2};
    case StepKind::cholesky:
        return {triangle(n) - triangle(w), triangle(n - w), on_device(problem, shape, cholesky_products),
                three / std::sqrt(2.0)};
    case StepKind::qr: return {real(m) * real(n) - real(w) * real(w), real(m) * real(n - w)};
    case StepKind::update:
        return {real(n) * real(problem.depth) + (problem.reads_old ? triangle(n) : 0), triangle(n),
                pairs(n) * real(problem.depth), std::sqrt(2.0)};
    default: break;
    }
    const auto whole = m / w, rest = m % w; // diagonal blocks
    const auto in_a = pairs(m) - real(whole) * pairs(w) - pairs(rest);
    return {in_a + real(m) * real(n), real(m - w) * real(n), in_a * real(n), std::sqrt(2.0)};
}

} // namespace

std::int64_t least_bytes(const FactorisationStep &problem, const LeftLookingShape &shape, std::int64_t device_bytes)
{
    const auto s = real(bytes_of(problem.type)), room = real(device_bytes) / s;
    const auto least = least_of(problem, shape);
    const auto for_products = 2 * room * (least.products / (least.most * std::pow(room, 1.5)) - 1) -
                              (problem.reads_old ? 0 : triangle(problem.columns));
    return static_cast<std::int64_t>(s * (std::max(least.in, for_products) + least.out));
}

} // namespace hpart
