// The operations by recursion into halves: all but the blocks of host_width at its end are products, as large as the
// operation allows, so that the traffic is that of large products whatever fits on the device.
#pragma once

#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart::recursive
{

// As the functions of on_host.
template <typename Value>
void update_triangle(FactorisationContext &products, const SyrkShape &shape, Value alpha, const Part<Value> &a,
                     Value beta, const Part<Value> &c);
template <typename Value>
void solve_triangle(FactorisationContext &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b);
// C = alpha A B + beta C, A symmetric or Hermitian.
template <typename Value>
void multiply_symmetric(FactorisationContext &products, const SymmShape &shape, Value alpha, const Part<Value> &a,
                        const Part<Value> &b, Value beta, const Part<Value> &c);
// C = alpha op(A) op(B) + beta C, of the lower triangle.
template <typename Value>
void multiply_to_triangle(FactorisationContext &products, Value alpha, const Factor<Value> &a, const Factor<Value> &b,
                          Value beta, const Part<Value> &c);
// B = op(A) B.
template <typename Value>
void multiply_triangle(FactorisationContext &products, const TrsmShape &shape, const Part<Value> &a,
                       const Part<Value> &b);
template <typename Value>
std::int64_t factor_lu(FactorisationContext &products, const Part<Value> &a, std::span<std::int64_t> pivots);
template <typename Value> std::int64_t factor_cholesky(FactorisationContext &products, const Part<Value> &a);
// Any shape; LAPACK's tau.
template <typename Value> void factor_qr(FactorisationContext &products, const Part<Value> &a, Value *tau);
// B = Q^H B, or Q B, Q from the factors and tau of a QR factorisation.
template <typename Value>
void apply_q(FactorisationContext &products, bool conjugate, const Part<Value> &a, const Value *tau,
             const Part<Value> &b);
// Operations of the caller's, not parts of others:
// the first columns of Q, as many as A has, from LAPACK's first `reflectors` columns of factors, which they replace.
template <typename Value>
void form_q(FactorisationContext &products, std::int64_t reflectors, const Part<Value> &a, const Value *tau);

// A^-1 by its factors, which it replaces: L U; or L L^H, of the lower triangle.
template <typename Value>
void invert_by_lu(FactorisationContext &products, const Part<Value> &a, std::span<const std::int64_t> pivots);
template <typename Value> void invert_by_cholesky(FactorisationContext &products, const Part<Value> &a);

} // namespace hpart::recursive
