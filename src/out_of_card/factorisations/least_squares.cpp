#include "out_of_card/factorisations/operations.hpp"
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart
{

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
