#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

template <typename Value>
void update_triangle(FactorisationContext &products, const SyrkShape &shape, Value alpha, const Part<Value> &a,
                     Value beta, const Part<Value> &c)
{
    const bool plain = shape.transpose == Transpose::none;
    const auto n = c.rows, k = plain ? a.columns : a.rows;
    const auto flops = products.flops<Value>(n, n, k) / 2;
    if (n <= products.rules().host_width || products.rules().is_one_call(flops))
        return products.on_host<Value>({n, n, k}, 0.5, [&] { on_host::update_triangle(shape, alpha, a, beta, c); });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto a1 = plain ? a.block(0, 0, first, k) : a.block(0, 0, k, first);
    const auto a2 = plain ? a.block(first, 0, rest, k) : a.block(0, first, k, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    products.multiply(alpha, {a2, plain ? Transpose::none : turned}, {a1, plain ? turned : Transpose::none}, beta,
                      c.block(first, 0, rest, first));
    update_triangle(products, shape, alpha, a1, beta, c.block(0, 0, first, first));
    update_triangle(products, shape, alpha, a2, beta, c.block(first, first, rest, rest));
}

#define HPART_UPDATE(Value)                                                                                            \
    template void update_triangle(FactorisationContext &, const SyrkShape &, Value, const Part<Value> &, Value,        \
                                  const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_UPDATE)
#undef HPART_UPDATE

} // namespace hpart::recursive
