#include "out_of_card/factorisations/least_squares.hpp"

#include "out_of_card/factorisations/recursive.hpp"

namespace hpart
{

namespace
{

Transpose turned(const SyrkShape &shape)
{
    if (shape.transpose != Transpose::none) return Transpose::none;
    return shape.hermitian ? Transpose::conjugate : Transpose::transpose;
}

Triangle opposite(Triangle triangle) { return triangle == Triangle::lower ? Triangle::upper : Triangle::lower; }

} // namespace

// The memory of an upper triangle is the lower one of the transpose in the other layout. C = A A^T is its own transpose, and
// A A^H is (A^T)^H A^T there; (U^H U)^T = U^T (U^T)^H.
void update_triangle(FactorisationContext &context, Triangle triangle, const SyrkShape &shape, Coefficient alpha,
                     const HostMatrix &a, Coefficient beta, const HostMatrix &c)
{
    if (triangle == Triangle::upper)
        return update_triangle(context, Triangle::lower, {shape.hermitian, turned(shape)}, alpha, a.transposed(), beta,
                               c.transposed());
    if (on_device::update_triangle(context, shape, alpha, a, beta, c)) return;
    recursive::update_triangle(context, shape, alpha, a, beta, c);
}

// X op(A) = B is op(A)^T X^T = B^T; the memory of A is A^T in the other layout, and op(A)^T = op(A^T).
void solve_triangle(FactorisationContext &context, Side side, const TrsmShape &shape, const HostMatrix &a,
                    const HostMatrix &b)
{
    if (side == Side::right)
        return solve_triangle(context, Side::left, {opposite(shape.triangle), shape.transpose, shape.unit_diagonal},
                              a.transposed(), b.transposed());
    if (on_device::solve_triangle(context, shape, a, b)) return;
    recursive::solve_triangle(context, shape, a, b);
}

std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots)
{
    if (const auto info = on_device::factor_lu(context, a, pivots)) return *info;
    return recursive::factor_lu(context, a, pivots);
}

std::int64_t factor_cholesky(FactorisationContext &context, Triangle triangle, const HostMatrix &a)
{
    const auto lower = triangle == Triangle::lower ? a : a.transposed();
    if (const auto info = on_device::factor_cholesky(context, lower)) return *info;
    return recursive::factor_cholesky(context, lower);
}

void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    if (on_device::factor_qr(context, a, tau)) return;
    recursive::factor_qr(context, a, tau);
}

namespace
{

// B = R^-1 B or R^-H B, R upper and of any layout.
void solve_upper(FactorisationContext &context, bool conjugated, const HostMatrix &r, const HostMatrix &b)
{
    if (r.row_major == b.row_major)
        return solve_triangle(
            context, Side::left,
            {.triangle = Triangle::upper, .transpose = conjugated ? Transpose::conjugate : Transpose::none}, r, b);
    if (!conjugated)
        return solve_triangle(context, Side::left, {.triangle = Triangle::lower, .transpose = Transpose::transpose},
                              r.transposed(), b);
    // R^-H B is the conjugate of R^-T conj(B), and the memory of R is R^T's in B's layout.
    context.change([&] { on_host::conjugate(b); });
    solve_triangle(context, Side::left, {.triangle = Triangle::lower}, r.transposed(), b);
    context.change([&] { on_host::conjugate(b); });
}

} // namespace

// A wide matrix is a tall one, its transpose, in the same memory and the other layout. With A = Q R tall, A X = B has the
// least-squares solution R^-1 Q^H B, and A^H X = B the solution Q R^-H B of least norm. The other operations are these
// two on conjugates: A^T X = B is A^H conj(X) = conj(B).
std::int64_t solve_least_squares(FactorisationContext &context, Transpose transpose, const HostMatrix &a,
                                 const HostMatrix &b)
{
    const bool wide = a.rows < a.columns;
    const auto tall = wide ? a.transposed() : a;
    const auto n = tall.columns, m = tall.rows;
    if (n == 0) {
        context.change([&] { on_host::scale(0, b); });
        return 0;
    }
    const bool least_norm = wide ? transpose == Transpose::none : transpose != Transpose::none;
    const bool on_conjugates = wide ? transpose != Transpose::transpose : transpose == Transpose::transpose;
    const Workspace reflectors(a.type, n, 1, false);
    auto *const tau = reflectors.matrix().data;
    factor_qr(context, tall, tau);
    const auto r = tall.block(0, 0, n, n);
    if (const auto info = context.prepare([&] { return on_host::first_unusable(r); }); info > 0) return info;
    const auto top = b.block(0, 0, n, b.columns);
    const auto conjugate_b = [&] {
        if (on_conjugates) context.change([&] { on_host::conjugate(b); });
    };
    conjugate_b();
    if (least_norm) {
        solve_upper(context, true, r, top);
        context.change([&] { on_host::scale(0, b.block(n, 0, m - n, b.columns)); });
        recursive::apply_q(context, false, tall, tau, b);
    } else {
        recursive::apply_q(context, true, tall, tau, b);
        solve_upper(context, false, r, top);
    }
    conjugate_b();
    return 0;
}

} // namespace hpart

// Inverses by known factors, in place, as LAPACK's getri and potri (Du Croz and Higham, IMA J. Numer. Anal. 12, 1992). A triangle's
// inverse satisfies L X = I with a small residual, and so do those that follow from it.

namespace hpart::recursive
{

namespace
{

// The lower triangle becomes its inverse. Below its two blocks on the diagonal it is -L2^-1 L21 L1^-1.
void invert_by_halves(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, n}, 1.0 / 6, [&] { on_host::invert_triangle(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    invert_by_halves(context, a1);
    multiply_triangle(context, {.triangle = Triangle::upper}, a1.transposed(), corner.transposed());
    solve_triangle(context, {.triangle = Triangle::lower}, a2, corner);
    context.change([&] { on_host::scale(-1, corner); });
    invert_by_halves(context, a2);
}

// The lower triangle L becomes the lower triangle of L^H L.
void multiply_by_halves(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, n}, 1.0 / 6, [&] { on_host::multiply_by_adjoint(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    multiply_by_halves(context, a1);
    update_triangle(context, {.hermitian = true, .transpose = Transpose::conjugate}, 1, corner, 1, a1);
    multiply_triangle(context, {.triangle = Triangle::lower, .transpose = Transpose::conjugate}, a2, corner);
    multiply_by_halves(context, a2);
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
    invert_by_halves(context, a.transposed());
    solve_columns(context, a, 0);
    context.change([&] { on_host::swap_rows(a.transposed(), pivots, false); });
}

void invert_by_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    invert_by_halves(context, a);
    multiply_by_halves(context, a);
}

} // namespace hpart::recursive
