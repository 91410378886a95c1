// A = L L^H.
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart::recursive
{

template <typename Value> std::int64_t factor_cholesky(FactorisationContext &products, const Part<Value> &a)
{
    const auto n = a.rows;
    if (n == 0) return 0;
    if (n <= products.rules().host_width)
        return products.factor_on_host<Value>({StepKind::cholesky, n, n}, [&] { return on_host::factor_cholesky(a); });
    const auto first = products.rules().half_of(n), rest = n - first;
    const auto a1 = a.block(0, 0, first, first), corner = a.block(first, 0, rest, first),
               a2 = a.block(first, first, rest, rest);
    if (const auto info = recursive::factor_cholesky(products, a1); info > 0) return info;
    // X L^H = B is conj(L) X^T = B^T; the memory of L and B is that of their transposes, conj(L) = (L^T)^H.
    solve_triangle(products, {.triangle = Triangle::upper, .transpose = Transpose::conjugate}, a1.transposed(),
                   corner.transposed());
    update_triangle(products, {.hermitian = true}, Value(-1), corner, Value(1), a2);
    const auto info = recursive::factor_cholesky(products, a2);
    return info > 0 ? first + info : 0;
}

#define HPART_CHOLESKY(Value) template std::int64_t factor_cholesky(FactorisationContext &, const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_CHOLESKY)
#undef HPART_CHOLESKY

} // namespace hpart::recursive
