// Inverses by known factors, in place, as LAPACK's getri and potri (Du Croz and Higham, IMA J. Numer. Anal. 12, 1992). A triangle's
// inverse satisfies L X = I with a small residual, and so do those that follow from it.
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

// The lower triangle becomes its inverse. Below its two blocks on the diagonal it is -L2^-1 L21 L1^-1.
void invert_triangle(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, n}, 1.0 / 6, [&] { on_host::invert_triangle(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    invert_triangle(context, a1);
    multiply_triangle(context, {.triangle = Triangle::upper}, a1.transposed(), corner.transposed());
    solve_triangle(context, {.triangle = Triangle::lower}, a2, corner);
    context.change([&] { on_host::scale(-1, corner); });
    invert_triangle(context, a2);
}

// The lower triangle L becomes the lower triangle of L^H L.
void multiply_by_adjoint(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, n}, 1.0 / 6, [&] { on_host::multiply_by_adjoint(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    multiply_by_adjoint(context, a1);
    update_triangle(context, {.hermitian = true, .transpose = Transpose::conjugate}, 1, corner, 1, a1);
    multiply_triangle(context, {.triangle = Triangle::lower, .transpose = Transpose::conjugate}, a2, corner);
    multiply_by_adjoint(context, a2);
}

// Moves the elements below the diagonal of the first columns; zeros stay.
Workspace taken_l(FactorisationContext &context, const HostMatrix &columns)
{
    auto l = context.workspace(columns.rows, columns.columns, columns.row_major);
    context.change([&] { on_host::take_below_diagonal(columns, l.matrix()); });
    return l;
}

// X L = B, L with a unit diagonal.
void solve_by_l(FactorisationContext &context, const HostMatrix &l, const HostMatrix &b)
{
    solve_triangle(context, {.triangle = Triangle::upper, .unit_diagonal = true}, l.transposed(), b.transposed());
}

// X L = B from some column on, the last columns first; L lies below the upper triangle of B.
void solve_columns(FactorisationContext &context, const HostMatrix &b, std::int64_t begin)
{
    const auto n = b.rows, width = n - begin;
    if (width <= context.rules().host_width)
        return solve_by_l(context, taken_l(context, b.block(begin, begin, width, width)).matrix(),
                          b.block(0, begin, n, width));
    const auto first = context.rules().half_of(width), rest = width - first;
    solve_columns(context, b, begin + first);
    const auto l = taken_l(context, b.block(begin, begin, width, first));
    const auto solved = b.block(0, begin + first, n, rest), columns = b.block(0, begin, n, first);
    context.multiply(-1, {solved}, {l.matrix().block(first, 0, rest, first)}, 1, columns);
    solve_by_l(context, l.matrix().block(0, 0, first, first), columns);
}

} // namespace

// A^-1 P^T L = U^-1.
void invert_by_lu(FactorisationContext &context, const HostMatrix &a, std::span<const std::int64_t> pivots)
{
    invert_triangle(context, a.transposed());
    solve_columns(context, a, 0);
    context.change([&] { on_host::swap_rows(a.transposed(), pivots, false); });
}

void invert_by_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    invert_triangle(context, a);
    multiply_by_adjoint(context, a);
}

} // namespace hpart::recursive
