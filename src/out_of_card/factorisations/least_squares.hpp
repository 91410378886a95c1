// The least-squares and minimum-norm solutions of systems with matrices of full rank.
#pragma once

#include "out_of_card/factorisations/factorisation_context.hpp"

namespace hpart
{

// op(A) X = B; B has max(rows, columns) rows and becomes X. Returns LAPACK's info: the first zero on R's diagonal.
template <typename Value>
std::int64_t solve_least_squares(FactorisationContext &products, Transpose transpose, const Part<Value> &a,
                                 const Part<Value> &b);

} // namespace hpart
