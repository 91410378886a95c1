// Products with symmetric matrices, and products that are, or of which one triangle is wanted.
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

namespace
{

template <typename Value> Factor<Value> rows_of(const Factor<Value> &a, std::int64_t first, std::int64_t count)
{
    const bool plain = a.transpose == Transpose::none;
    return {plain ? a.part.block(first, 0, count, a.part.columns) : a.part.block(0, first, a.part.rows, count),
            a.transpose};
}

template <typename Value> Factor<Value> columns_of(const Factor<Value> &a, std::int64_t first, std::int64_t count)
{
    const bool plain = a.transpose == Transpose::none;
    return {plain ? a.part.block(0, first, a.part.rows, count) : a.part.block(first, 0, count, a.part.columns),
            a.transpose};
}

} // namespace

template <typename Value>
void multiply_symmetric(FactorisationContext &products, const SymmShape &shape, Value alpha, const Part<Value> &a,
                        const Part<Value> &b, Value beta, const Part<Value> &c)
{
    const auto n = c.rows, others = c.columns;
    if (c.is_empty()) return;
    if (n <= products.rules().host_width)
        return products.on_host<Value>({n, others, n}, 1,
                                       [&] { on_host::multiply_symmetric(shape, alpha, a, b, beta, c); });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto b1 = b.block(0, 0, first, others), b2 = b.block(first, 0, rest, others),
               c1 = c.block(0, 0, first, others), c2 = c.block(first, 0, rest, others);
    const bool lower = shape.triangle == Triangle::lower;
    const auto corner = lower ? a.block(first, 0, rest, first) : a.block(0, first, first, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    multiply_symmetric(products, shape, alpha, a.block(0, 0, first, first), b1, beta, c1);
    products.multiply(alpha, {corner, lower ? turned : Transpose::none}, {b2}, Value(1), c1);
    multiply_symmetric(products, shape, alpha, a.block(first, first, rest, rest), b2, beta, c2);
    products.multiply(alpha, {corner, lower ? Transpose::none : turned}, {b1}, Value(1), c2);
}

template <typename Value>
void multiply_to_triangle(FactorisationContext &products, Value alpha, const Factor<Value> &a, const Factor<Value> &b,
                          Value beta, const Part<Value> &c)
{
    const auto n = c.rows;
    if (n == 0) return;
    if (n <= products.rules().host_width)
        return products.on_host<Value>({n, n, a.columns()}, 1, [&] {
            const Workspace<Value> square(n, n, c.row_major);
            const auto s = square.part();
            multiply_on_host(alpha, a, b, Value(0), s);
            for (std::int64_t j = 0; j < n; ++j)
                for (std::int64_t i = j; i < n; ++i)
                    c.at(i, j) = beta == Value(0) ? s.at(i, j) : beta * c.at(i, j) + s.at(i, j);
        });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto a1 = rows_of(a, 0, first), a2 = rows_of(a, first, rest);
    const auto b1 = columns_of(b, 0, first), b2 = columns_of(b, first, rest);
    products.multiply(alpha, a2, b1, beta, c.block(first, 0, rest, first));
    multiply_to_triangle(products, alpha, a1, b1, beta, c.block(0, 0, first, first));
    multiply_to_triangle(products, alpha, a2, b2, beta, c.block(first, first, rest, rest));
}

#define HPART_SYMMETRIC(Value)                                                                                         \
    template void multiply_symmetric(FactorisationContext &, const SymmShape &, Value, const Part<Value> &,            \
                                     const Part<Value> &, Value, const Part<Value> &);                                 \
    template void multiply_to_triangle(FactorisationContext &, Value, const Factor<Value> &, const Factor<Value> &,    \
                                       Value, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_SYMMETRIC)
#undef HPART_SYMMETRIC

} // namespace hpart::recursive
