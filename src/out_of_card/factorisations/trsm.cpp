#include "out_of_card/factorisations/blocked.hpp"

namespace hpart
{

namespace
{

template <typename Value> void solve_on_host(const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    const Value one = 1;
    Routines<Value>::solve(cblas_order(b.row_major), cblas_side(shape.side), cblas_triangle(shape.triangle),
                           cblas_transpose(shape.transpose), cblas_diagonal(shape.unit_diagonal),
                           blas_integer(b.rows, "m"), blas_integer(b.columns, "n"), by_address(one), a.data,
                           blas_integer(a.ld, "lda"), b.data, blas_integer(b.ld, "ldb"));
}

} // namespace

template <typename Value>
void solve_triangle(Products &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    const bool left = shape.side == Side::left;
    const auto n = a.rows, others = left ? b.columns : b.rows;
    if (n == 0 || others == 0) return;
    if (n <= products.host_width()) {
        const auto flops =
            flops_per_product(ScalarOf<Value>::type) / 2 * static_cast<double>(n * n) * static_cast<double>(others);
        return products.on_host(flops, [&] { solve_on_host(shape, a, b); });
    }
    const auto first = products.half_of(n), rest = n - first;
    const auto b1 = left ? b.block(0, 0, first, others) : b.block(0, 0, others, first);
    const auto b2 = left ? b.block(first, 0, rest, others) : b.block(0, first, others, rest);
    const auto a1 = a.block(0, 0, first, first), a2 = a.block(first, first, rest, rest);
    const bool lower = shape.triangle == Triangle::lower, plain = shape.transpose == Transpose::none;
    const Factor<Value> corner{lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest),
                               shape.transpose};
    // op(A) is lower: its first rows are solved for first; and so are the last columns where A stands at the right.
    const bool first_half_first = (lower == plain) == left;
    const auto &solved = first_half_first ? b1 : b2, &updated = first_half_first ? b2 : b1;
    const auto &a_solved = first_half_first ? a1 : a2, &a_updated = first_half_first ? a2 : a1;
    solve_triangle(products, shape, a_solved, solved);
    if (left)
        products.multiply(Value(-1), corner, {solved}, Value(1), updated);
    else
        products.multiply(Value(-1), {solved}, corner, Value(1), updated);
    solve_triangle(products, shape, a_updated, updated);
}

template void solve_triangle(Products &, const TrsmShape &, const Part<float> &, const Part<float> &);
template void solve_triangle(Products &, const TrsmShape &, const Part<double> &, const Part<double> &);
template void solve_triangle(Products &, const TrsmShape &, const Part<std::complex<float>> &,
                             const Part<std::complex<float>> &);
template void solve_triangle(Products &, const TrsmShape &, const Part<std::complex<double>> &,
                             const Part<std::complex<double>> &);

} // namespace hpart
