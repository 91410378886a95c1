// The operations by the method that suits the matrix and the devices.
#pragma once

#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart
{

template <typename Value>
void update_triangle(FactorisationContext &products, Triangle triangle, const SyrkShape &shape, Value alpha,
                     const Part<Value> &a, Value beta, const Part<Value> &c);
// B = op(A)^-1 B or B op(A)^-1.
template <typename Value>
void solve_triangle(FactorisationContext &products, Side side, const TrsmShape &shape, const Part<Value> &a,
                    const Part<Value> &b);
template <typename Value>
std::int64_t factor_lu(FactorisationContext &products, const Part<Value> &a, std::span<std::int64_t> pivots);
template <typename Value>
std::int64_t factor_cholesky(FactorisationContext &products, Triangle triangle, const Part<Value> &a);
template <typename Value> void factor_qr(FactorisationContext &products, const Part<Value> &a, Value *tau);

} // namespace hpart
