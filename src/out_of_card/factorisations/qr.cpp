// A = Q R by blocks of reflectors, Q = I - V T V^H each (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989); the
// reflectors of a block by recursion into halves (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000).
#include "out_of_card/factorisations/flops.hpp"
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

// The unit lower trapezium below the diagonal of `a`, with its zeros and ones.
template <typename Value>
Workspace<Value> explicit_v(FactorisationContext &products, const Part<Value> &a, bool row_major)
{
    auto v = products.workspace<Value>(a.rows, a.columns, row_major);
    products.prepare([&] { on_host::make_v_explicit(a, v.part()); });
    return v;
}

// T of the reflectors in V, of which the first is the matrix's `first`: column j is -tau_j T (V^H v_j), for the columns before it.
template <typename Value>
Workspace<Value> triangle_of(FactorisationContext &products, const Part<Value> &v, const Value *tau, std::int64_t first)
{
    const auto w = v.columns;
    const auto products_of_columns = products.workspace<Value>(w, w, v.row_major);
    const auto s = products_of_columns.part();
    products.multiply(Value(1), {v, Transpose::conjugate}, {v}, Value(0), s);
    auto triangle = products.workspace<Value>(w, w, v.row_major);
    const auto t = triangle.part();
    products.prepare([&] {
        for (std::int64_t j = 0; j < w; ++j) {
            for (std::int64_t i = 0; i < j; ++i) {
                Value sum = 0;
                for (std::int64_t k = i; k < j; ++k) sum += t.at(i, k) * s.at(k, j);
                t.at(i, j) = -tau[first + j] * sum;
            }
            t.at(j, j) = tau[first + j];
        }
    });
    return triangle;
}

// C = (I - V op(T) V^H) C
template <typename Value>
void apply_block(FactorisationContext &products, const Part<Value> &v, const Part<Value> &t, Transpose transpose_t,
                 const Part<Value> &c)
{
    if (c.columns == 0) return;
    const auto projected = products.workspace<Value>(v.columns, c.columns, c.row_major),
               scaled = products.workspace<Value>(v.columns, c.columns, c.row_major);
    products.multiply(Value(1), {v, Transpose::conjugate}, {c}, Value(0), projected.part());
    products.multiply(Value(1), {t, transpose_t}, {projected.part()}, Value(0), scaled.part());
    products.multiply(Value(-1), {v}, {scaled.part()}, Value(1), c);
}

// T, of A's layout, is zero before.
template <typename Value> void factor_block(FactorisationContext &products, const Part<Value> &a, const Part<Value> &t)
{
    const auto m = a.rows, n = a.columns;
    if (n <= products.rules().host_width)
        return products.factor_on_host<Value>({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, t); });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto right = a.block(first, first, m - first, rest);
    const auto t1 = t.block(0, 0, first, first), t2 = t.block(first, first, rest, rest),
               corner = t.block(0, first, first, rest);
    factor_block(products, a.block(0, 0, m, first), t1);
    const auto v1 = explicit_v(products, a.block(0, 0, m, first), a.row_major);
    apply_block(products, v1.part(), t1, Transpose::conjugate, a.block(0, first, m, rest));
    factor_block(products, right, t2);
    const auto v2 = explicit_v(products, right, a.row_major);
    const auto common = products.workspace<Value>(first, rest, a.row_major),
               half = products.workspace<Value>(first, rest, a.row_major);
    products.multiply(Value(1), {v1.part().block(first, 0, m - first, first), Transpose::conjugate}, {v2.part()},
                      Value(0), common.part());
    products.multiply(Value(-1), {t1}, {common.part()}, Value(0), half.part());
    products.multiply(Value(1), {half.part()}, {t2}, Value(0), corner);
}

} // namespace

template <typename Value> void factor_qr(FactorisationContext &products, const Part<Value> &a, Value *tau)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return;
    if (const auto flops = qr_flops(host_matrix(a)); products.rules().is_one_call(flops))
        return products.factor_on_host<Value>({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, tau); });
    const auto block_width = reflectors_at_once(products.rules());
    for (std::int64_t j = 0; j < least; j += block_width) {
        const auto width = std::min(block_width, least - j);
        const auto block = a.block(j, j, m - j, width);
        const auto triangle = products.workspace<Value>(width, width, a.row_major);
        factor_block(products, block, triangle.part());
        products.change([&] {
            for (std::int64_t k = 0; k < width; ++k) tau[j + k] = triangle.part().at(k, k);
        });
        if (j + width == n) return;
        const auto v = explicit_v(products, block, a.row_major);
        apply_block(products, v.part(), triangle.part(), Transpose::conjugate,
                    a.block(j, j + width, m - j, n - j - width));
    }
}

template <typename Value>
void apply_q(FactorisationContext &products, bool conjugate, const Part<Value> &a, const Value *tau,
             const Part<Value> &b)
{
    const auto m = a.rows, least = std::min(m, a.columns);
    const auto width = products.rules().host_width;
    const auto blocks = (least + width - 1) / width;
    for (std::int64_t step = 0; step < blocks; ++step) {
        const auto j = (conjugate ? step : blocks - 1 - step) * width;
        const auto columns = std::min(width, least - j);
        const auto v = explicit_v(products, a.block(j, j, m - j, columns), b.row_major);
        const auto t = triangle_of(products, v.part(), tau, j);
        apply_block(products, v.part(), t.part(), conjugate ? Transpose::conjugate : Transpose::none,
                    b.block(j, 0, m - j, b.columns));
    }
}

template <typename Value>
void form_q(FactorisationContext &products, std::int64_t reflectors, const Part<Value> &a, const Value *tau)
{
    const auto m = a.rows, n = a.columns;
    const auto width = products.rules().host_width;
    // Columns of the identity that the blocks of reflectors turn.
    const auto make_identity = [&](std::int64_t first, std::int64_t columns) {
        products.change([&] {
            fill(a.block(0, first, m, columns), Value(0));
            for (std::int64_t j = first; j < first + columns; ++j) a.at(j, j) = 1;
        });
    };
    make_identity(reflectors, n - reflectors);
    for (auto j = (reflectors - 1) / width * width; j >= 0 && reflectors > 0; j -= width) {
        const auto columns = std::min(width, reflectors - j);
        const auto v = explicit_v(products, a.block(j, j, m - j, columns), a.row_major);
        const auto t = triangle_of(products, v.part(), tau, j);
        make_identity(j, columns);
        apply_block(products, v.part(), t.part(), Transpose::none, a.block(j, j, m - j, n - j));
    }
}

#define HPART_QR(Value)                                                                                                \
    template void factor_qr(FactorisationContext &, const Part<Value> &, Value *);                                     \
    template void apply_q(FactorisationContext &, bool, const Part<Value> &, const Value *, const Part<Value> &);      \
    template void form_q(FactorisationContext &, std::int64_t, const Part<Value> &, const Value *);
HPART_FOR_ALL_TYPES(HPART_QR)
#undef HPART_QR

} // namespace hpart::recursive
