#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

// A triangular system in halves; the second one of B depends on the first one, which is on top where op(A) is lower.
template <typename Value> struct Halves {
    Halves(const RecursionRules &rules, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
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
    Factor<Value> corner;
    Part<Value> a1, a2, b1, b2;
};

} // namespace

template <typename Value>
void solve_triangle(FactorisationContext &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    if (b.is_empty()) return;
    if (a.rows <= products.rules().host_width)
        return products.on_host<Value>({a.rows, b.columns, a.rows}, 0.5, [&] { on_host::solve_triangle(shape, a, b); });
    const Halves<Value> halves(products.rules(), shape, a, b);
    solve_triangle(products, shape, halves.a1, halves.b1);
    products.multiply(Value(-1), halves.corner, {halves.b1}, Value(1), halves.b2);
    solve_triangle(products, shape, halves.a2, halves.b2);
}

template <typename Value>
void multiply_triangle(FactorisationContext &products, const TrsmShape &shape, const Part<Value> &a,
                       const Part<Value> &b)
{
    if (b.is_empty()) return;
    if (a.rows <= products.rules().host_width)
        return products.on_host<Value>({a.rows, b.columns, a.rows}, 0.5,
                                       [&] { on_host::multiply_triangle(shape, a, b); });
    const Halves<Value> halves(products.rules(), shape, a, b);
    multiply_triangle(products, shape, halves.a2, halves.b2);
    products.multiply(Value(1), halves.corner, {halves.b1}, Value(1), halves.b2);
    multiply_triangle(products, shape, halves.a1, halves.b1);
}

#define HPART_TRIANGLES(Value)                                                                                         \
    template void solve_triangle(FactorisationContext &, const TrsmShape &, const Part<Value> &, const Part<Value> &); \
    template void multiply_triangle(FactorisationContext &, const TrsmShape &, const Part<Value> &,                    \
                                    const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_TRIANGLES)
#undef HPART_TRIANGLES

} // namespace hpart::recursive
