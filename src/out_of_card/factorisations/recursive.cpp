#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

// A triangular system in halves; the second one of B depends on the first one, which is on top where op(A) is lower.
struct Halves {
    Halves(const RecursionRules &rules, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
    {
        const auto n = a.rows, top = rules.half_of(n), rest = n - top;
        const bool lower = shape.triangle == Triangle::lower;
        corner = {lower ? a.block(top, 0, rest, top) : a.block(0, top, top, rest), shape.transpose};
        a1 = a.block(0, 0, top, top), a2 = a.block(top, top, rest, rest);
        b1 = b.block(0, 0, top, b.columns), b2 = b.block(top, 0, rest, b.columns);
        if (lower == (shape.transpose == Transpose::none)) return;
        std::swap(a1, a2);
        std::swap(b1, b2);
    }
    Factor corner;
    HostMatrix a1, a2, b1, b2;
};

} // namespace

void solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    if (a.rows <= context.rules().host_width)
        return context.on_host({a.rows, b.columns, a.rows}, 0.5, [&] { on_host::solve_triangle(shape, a, b); });
    const Halves halves(context.rules(), shape, a, b);
    solve_triangle(context, shape, halves.a1, halves.b1);
    context.multiply(-1, halves.corner, {halves.b1}, 1, halves.b2);
    solve_triangle(context, shape, halves.a2, halves.b2);
}

void multiply_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b)
{
    if (b.is_empty()) return;
    if (a.rows <= context.rules().host_width)
        return context.on_host({a.rows, b.columns, a.rows}, 0.5, [&] { on_host::multiply_triangle(shape, a, b); });
    const Halves halves(context.rules(), shape, a, b);
    multiply_triangle(context, shape, halves.a2, halves.b2);
    context.multiply(1, halves.corner, {halves.b1}, 1, halves.b2);
    multiply_triangle(context, shape, halves.a1, halves.b1);
}

void update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c)
{
    const bool plain = shape.transpose == Transpose::none;
    const auto n = c.rows, k = plain ? a.columns : a.rows;
    const auto flops = context.flops({n, n, k}) / 2;
    if (n <= context.rules().host_width || context.rules().is_one_call(flops))
        return context.on_host({n, n, k}, 0.5, [&] { on_host::update_triangle(shape, alpha, a, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = plain ? a.block(0, 0, first, k) : a.block(0, 0, k, first);
    const auto a2 = plain ? a.block(first, 0, rest, k) : a.block(0, first, k, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    context.multiply(alpha, {a2, plain ? Transpose::none : turned}, {a1, plain ? turned : Transpose::none}, beta,
                     c.block(first, 0, rest, first));
    update_triangle(context, shape, alpha, a1, beta, c.block(0, 0, first, first));
    update_triangle(context, shape, alpha, a2, beta, c.block(first, first, rest, rest));
}

void multiply_symmetric(FactorisationContext &context, const SymmShape &shape, Coefficient alpha, const HostMatrix &a,
                        const HostMatrix &b, Coefficient beta, const HostMatrix &c)
{
    const auto n = c.rows, others = c.columns;
    if (c.is_empty()) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, others, n}, 1, [&] { on_host::multiply_symmetric(shape, alpha, a, b, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto b1 = b.block(0, 0, first, others), b2 = b.block(first, 0, rest, others),
               c1 = c.block(0, 0, first, others), c2 = c.block(first, 0, rest, others);
    const bool lower = shape.triangle == Triangle::lower;
    const auto corner = lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    multiply_symmetric(context, shape, alpha, a.block(0, 0, first, first), b1, beta, c1);
    context.multiply(alpha, {corner, lower ? turned : Transpose::none}, {b2}, 1, c1);
    multiply_symmetric(context, shape, alpha, a.block(first, first, rest, rest), b2, beta, c2);
    context.multiply(alpha, {corner, lower ? Transpose::none : turned}, {b1}, 1, c2);
}

void multiply_to_triangle(FactorisationContext &context, Coefficient alpha, const Factor &a, const Factor &b,
                          Coefficient beta, const HostMatrix &c)
{
    const auto n = c.rows;
    if (n == 0) return;
    if (n <= context.rules().host_width)
        return context.on_host({n, n, a.columns()}, 1, [&] { on_host::multiply_to_triangle(alpha, a, b, beta, c); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.some_rows(0, first), a2 = a.some_rows(first, rest);
    const auto b1 = b.some_columns(0, first), b2 = b.some_columns(first, rest);
    context.multiply(alpha, a2, b1, beta, c.block(first, 0, rest, first));
    multiply_to_triangle(context, alpha, a1, b1, beta, c.block(0, 0, first, first));
    multiply_to_triangle(context, alpha, a2, b2, beta, c.block(first, first, rest, rest));
}

// A = P L U with partial pivoting, by columns: the left half, then the right one (Toledo, SIAM J. Matrix Anal. 18, 1997).
std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return 0;
    const auto &rules = context.rules();
    if (n <= rules.host_width)
        return context.factor_on_host({StepKind::lu, m, n}, [&] { return on_host::factor_lu(a, pivots); });
    const auto first = least <= rules.host_width ? least : rules.half_of(least), rest = n - first;
    const bool is_counted = context.is_counting(); // then there may be no pivots
    const auto pivots1 = is_counted ? pivots : pivots.subspan(0, static_cast<std::size_t>(first)),
               pivots2 = is_counted ? pivots : pivots.subspan(static_cast<std::size_t>(first));
    const auto upper = a.block(0, first, first, rest), below = a.block(first, first, m - first, rest),
               left = a.block(first, 0, m - first, first);
    auto info = recursive::factor_lu(context, a.block(0, 0, m, first), pivots1);
    context.change([&] { on_host::swap_rows(a.block(0, first, m, rest), std::span<const std::int64_t>(pivots1)); });
    solve_triangle(context, {.unit_diagonal = true}, a.block(0, 0, first, first), upper);
    context.multiply(-1, {left}, {upper}, 1, below);
    const auto info2 = recursive::factor_lu(context, below, pivots2);
    if (info == 0 && info2 > 0) info = first + info2;
    context.change([&] {
        on_host::swap_rows(left, std::span<const std::int64_t>(pivots2));
        for (auto &pivot : pivots2) pivot += first;
    });
    return info;
}

// A = L L^H.
std::int64_t factor_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    const auto n = a.rows;
    if (n == 0) return 0;
    if (n <= context.rules().host_width)
        return context.factor_on_host({StepKind::cholesky, n, n}, [&] { return on_host::factor_cholesky(a); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    if (const auto info = recursive::factor_cholesky(context, a1); info > 0) return info;
    // X L^H = B is conj(L) X^T = B^T; the memory of L and B is L^T and B^T in the other layout, conj(L) = (L^T)^H.
    solve_triangle(context, {.triangle = Triangle::upper, .transpose = Transpose::conjugate}, a1.transposed(),
                   corner.transposed());
    update_triangle(context, {.hermitian = true}, -1, corner, 1, a2);
    const auto info = recursive::factor_cholesky(context, a2);
    return info > 0 ? first + info : 0;
}

} // namespace hpart::recursive
