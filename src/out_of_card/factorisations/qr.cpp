// A = Q R by blocks of reflectors, Q = I - V T V^H each (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989); the
// reflectors of a block by recursion into halves (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000).
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

// The unit lower trapezium below the diagonal of `a`, with its zeros and ones.
Workspace explicit_v(FactorisationContext &context, const HostMatrix &a, bool row_major)
{
    auto v = context.workspace(a.rows, a.columns, row_major);
    context.prepare([&] { on_host::make_v_explicit(a, v.matrix()); });
    return v;
}

// T of the reflectors in V, of which the first is the matrix's `first`: column j is -tau_j T (V^H v_j), for the columns before it.
Workspace triangle_of(FactorisationContext &context, const HostMatrix &v, const void *tau, std::int64_t first)
{
    const auto w = v.columns;
    const auto products_of_columns = context.workspace(w, w, v.row_major);
    const auto s = products_of_columns.matrix();
    context.multiply(1, {v, Transpose::conjugate}, {v}, 0, s);
    auto triangle = context.workspace(w, w, v.row_major);
    context.prepare([&] { on_host::make_reflector_triangle(s, tau, first, triangle.matrix()); });
    return triangle;
}

// C = (I - V op(T) V^H) C
void apply_block(FactorisationContext &context, const HostMatrix &v, const HostMatrix &t, Transpose transpose_t,
                 const HostMatrix &c)
{
    if (c.columns == 0) return;
    const auto projected = context.workspace(v.columns, c.columns, c.row_major),
               scaled = context.workspace(v.columns, c.columns, c.row_major);
    context.multiply(1, {v, Transpose::conjugate}, {c}, 0, projected.matrix());
    context.multiply(1, {t, transpose_t}, {projected.matrix()}, 0, scaled.matrix());
    context.multiply(-1, {v}, {scaled.matrix()}, 1, c);
}

// T, of A's layout, is zero before.
void factor_block(FactorisationContext &context, const HostMatrix &a, const HostMatrix &t)
{
    const auto m = a.rows, n = a.columns;
    if (n <= context.rules().host_width)
        return context.factor_on_host({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, t); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto right = a.block(first, first, m - first, rest);
    const auto t1 = t.block(0, 0, first, first), t2 = t.block(first, first, rest, rest),
               corner = t.block(0, first, first, rest);
    factor_block(context, a.block(0, 0, m, first), t1);
    const auto v1 = explicit_v(context, a.block(0, 0, m, first), a.row_major);
    apply_block(context, v1.matrix(), t1, Transpose::conjugate, a.block(0, first, m, rest));
    factor_block(context, right, t2);
    const auto v2 = explicit_v(context, right, a.row_major);
    const auto common = context.workspace(first, rest, a.row_major), half = context.workspace(first, rest, a.row_major);
    context.multiply(1, {v1.matrix().block(first, 0, m - first, first), Transpose::conjugate}, {v2.matrix()}, 0,
                     common.matrix());
    context.multiply(-1, {t1}, {common.matrix()}, 0, half.matrix());
    context.multiply(1, {half.matrix()}, {t2}, 0, corner);
}

} // namespace

void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return;
    if (const auto flops = qr_flops(a); context.rules().is_one_call(flops))
        return context.factor_on_host({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, tau); });
    constexpr std::int64_t host_blocks = 4; // so many that large products dominate, so few that T costs little
    const auto block_width = host_blocks * context.rules().host_width;
    for (std::int64_t j = 0; j < least; j += block_width) {
        const auto width = std::min(block_width, least - j);
        const auto block = a.block(j, j, m - j, width);
        const auto triangle = context.workspace(width, width, a.row_major);
        factor_block(context, block, triangle.matrix());
        context.change([&] { on_host::take_tau(triangle.matrix(), j, tau); });
        if (j + width == n) return;
        const auto v = explicit_v(context, block, a.row_major);
        apply_block(context, v.matrix(), triangle.matrix(), Transpose::conjugate,
                    a.block(j, j + width, m - j, n - j - width));
    }
}

void apply_q(FactorisationContext &context, bool conjugate, const HostMatrix &a, const void *tau, const HostMatrix &b)
{
    const auto m = a.rows, least = std::min(m, a.columns);
    const auto width = context.rules().host_width;
    const auto blocks = (least + width - 1) / width;
    for (std::int64_t step = 0; step < blocks; ++step) {
        const auto j = (conjugate ? step : blocks - 1 - step) * width;
        const auto columns = std::min(width, least - j);
        const auto v = explicit_v(context, a.block(j, j, m - j, columns), b.row_major);
        const auto t = triangle_of(context, v.matrix(), tau, j);
        apply_block(context, v.matrix(), t.matrix(), conjugate ? Transpose::conjugate : Transpose::none,
                    b.block(j, 0, m - j, b.columns));
    }
}

void form_q(FactorisationContext &context, std::int64_t reflectors, const HostMatrix &a, const void *tau)
{
    const auto m = a.rows, n = a.columns;
    const auto width = context.rules().host_width;
    // Columns of the identity that the blocks of reflectors turn.
    const auto make_identity = [&](std::int64_t first, std::int64_t columns) {
        context.change([&] { on_host::make_identity(a, first, columns); });
    };
    make_identity(reflectors, n - reflectors);
    for (auto j = (reflectors - 1) / width * width; j >= 0 && reflectors > 0; j -= width) {
        const auto columns = std::min(width, reflectors - j);
        const auto v = explicit_v(context, a.block(j, j, m - j, columns), a.row_major);
        const auto t = triangle_of(context, v.matrix(), tau, j);
        make_identity(j, columns);
        apply_block(context, v.matrix(), t.matrix(), Transpose::none, a.block(j, j, m - j, n - j));
    }
}

} // namespace hpart::recursive
