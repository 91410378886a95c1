// A = P L U with partial pivoting, by columns: the left half, then the right one (Toledo, SIAM J. Matrix Anal. 18, 1997).
#include "out_of_card/factorisations/blocked.hpp"

namespace hpart
{

namespace
{

// At most host_width columns, LAPACK's routine; it wants columns contiguous.
template <typename Value> std::int64_t factor_on_host(const Part<Value> &a, std::span<std::int64_t> pivots)
{
    if (a.row_major) {
        const Workspace<Value> panel(a.rows, a.columns, false);
        copy(a, panel.part());
        const auto info = factor_on_host(panel.part(), pivots);
        copy(panel.part(), a);
        return info;
    }
    std::vector<lapack_int> found(pivots.size());
    const auto info = Routines<Value>::getrf(LAPACK_COL_MAJOR, blas_integer(a.rows, "m"), blas_integer(a.columns, "n"),
                                             a.data, blas_integer(a.ld, "lda"), found.data());
    std::ranges::copy(found, pivots.begin());
    return info;
}

} // namespace

template <typename Value>
std::int64_t factor_lu(Products &products, const Part<Value> &a, std::span<std::int64_t> pivots)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return 0;
    if (n <= products.host_width()) {
        const auto flops = flops_per_product(ScalarOf<Value>::type) / 2 * static_cast<double>(m * n * least);
        return products.on_host(flops, [&] { return factor_on_host(a, pivots); });
    }
    const auto first = least <= products.host_width() ? least : products.half_of(least), rest = n - first;
    const auto pivots1 = pivots.subspan(0, static_cast<std::size_t>(first)),
               pivots2 = pivots.subspan(static_cast<std::size_t>(first));
    const auto upper = a.block(0, first, first, rest), below = a.block(first, first, m - first, rest),
               left = a.block(first, 0, m - first, first);
    auto info = factor_lu(products, a.block(0, 0, m, first), pivots1);
    swap_rows(a.block(0, first, m, rest), pivots1);
    solve_triangle(products, {.triangle = Triangle::lower, .unit_diagonal = true}, a.block(0, 0, first, first), upper);
    products.multiply(Value(-1), {left}, {upper}, Value(1), below);
    const auto info2 = factor_lu(products, below, pivots2);
    if (info == 0 && info2 > 0) info = first + info2;
    swap_rows(left, pivots2);
    for (auto &pivot : pivots2) pivot += first;
    return info;
}

template std::int64_t factor_lu(Products &, const Part<float> &, std::span<std::int64_t>);
template std::int64_t factor_lu(Products &, const Part<double> &, std::span<std::int64_t>);
template std::int64_t factor_lu(Products &, const Part<std::complex<float>> &, std::span<std::int64_t>);
template std::int64_t factor_lu(Products &, const Part<std::complex<double>> &, std::span<std::int64_t>);

} // namespace hpart
