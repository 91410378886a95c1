#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

template <typename Value>
void solve_triangle(FactorisationContext &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b)
{
    const auto n = a.rows, others = b.columns;
    if (n == 0 || others == 0) return;
    if (n <= products.rules().host_width)
        return products.on_host(products.flops<Value>(n, n, others) / 2, [&] { on_host::solve_triangle(shape, a, b); });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto b1 = b.block(0, 0, first, others), b2 = b.block(first, 0, rest, others);
    const auto a1 = a.block(0, 0, first, first), a2 = a.block(first, first, rest, rest);
    const bool lower = shape.triangle == Triangle::lower, plain = shape.transpose == Transpose::none;
    const Factor<Value> corner{lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest),
                               shape.transpose};
    const bool first_half_first = lower == plain; // op(A) is lower
    const auto &solved = first_half_first ? b1 : b2, &updated = first_half_first ? b2 : b1;
    solve_triangle(products, shape, first_half_first ? a1 : a2, solved);
    products.multiply(Value(-1), corner, {solved}, Value(1), updated);
    solve_triangle(products, shape, first_half_first ? a2 : a1, updated);
}

#define HPART_SOLVE(Value)                                                                                             \
    template void solve_triangle(FactorisationContext &, const TrsmShape &, const Part<Value> &, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_SOLVE)
#undef HPART_SOLVE

} // namespace hpart::recursive
