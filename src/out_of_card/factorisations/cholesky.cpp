// A = L L^H or U^H U.
#include "out_of_card/factorisations/blocked.hpp"

#include <cmath>

namespace hpart
{

namespace
{

template <typename Value> std::int64_t factor_on_host(Triangle triangle, const Part<Value> &a)
{
    // The memory of a row-major Hermitian matrix is its conjugate's column-major one: L there is conj(U)^T here, in place.
    const bool lower = (triangle == Triangle::lower) != a.row_major;
    const std::int64_t info = Routines<Value>::potrf(LAPACK_COL_MAJOR, lower ? 'L' : 'U', blas_integer(a.rows, "n"),
                                                     a.data, blas_integer(a.ld, "lda"));
    // LAPACK counts a diagonal that is not a number as not positive; not every implementation looks.
    const auto end = info > 0 ? info : a.rows;
    for (std::int64_t k = 0; k < end; ++k)
        if (std::isnan(std::real(a.at(k, k)))) return k + 1;
    return info;
}

} // namespace

template <typename Value> std::int64_t factor_cholesky(Products &products, Triangle triangle, const Part<Value> &a)
{
    const auto n = a.rows;
    if (n == 0) return 0;
    if (n <= products.host_width()) {
        const auto flops = flops_per_product(ScalarOf<Value>::type) / 6 * static_cast<double>(n * n * n);
        return products.on_host(flops, [&] { return factor_on_host(triangle, a); });
    }
    const auto first = products.half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), a2 = a.block(first, first, rest, rest);
    if (const auto info = factor_cholesky(products, triangle, a1); info > 0) return info;
    const bool lower = triangle == Triangle::lower;
    const auto corner = lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest);
    solve_triangle(products,
                   {.side = lower ? Side::right : Side::left, .triangle = triangle, .transpose = Transpose::conjugate},
                   a1, corner);
    update_triangle(
        products,
        {.triangle = triangle, .hermitian = true, .transpose = lower ? Transpose::none : Transpose::conjugate},
        Value(-1), corner, Value(1), a2);
    const auto info = factor_cholesky(products, triangle, a2);
    return info > 0 ? first + info : 0;
}

template std::int64_t factor_cholesky(Products &, Triangle, const Part<float> &);
template std::int64_t factor_cholesky(Products &, Triangle, const Part<double> &);
template std::int64_t factor_cholesky(Products &, Triangle, const Part<std::complex<float>> &);
template std::int64_t factor_cholesky(Products &, Triangle, const Part<std::complex<double>> &);

} // namespace hpart
