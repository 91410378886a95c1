// The operations by the method that suits the matrix and the devices.
#pragma once

#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart
{

void update_triangle(FactorisationContext &context, Triangle triangle, const SyrkShape &shape, Coefficient alpha,
                     const HostMatrix &a, Coefficient beta, const HostMatrix &c);
// B = op(A)^-1 B or B op(A)^-1.
void solve_triangle(FactorisationContext &context, Side side, const TrsmShape &shape, const HostMatrix &a,
                    const HostMatrix &b);
std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots);
std::int64_t factor_cholesky(FactorisationContext &context, Triangle triangle, const HostMatrix &a);
void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau);
// The least-squares solution of op(A) X = B, or the solution of least norm. A has full rank. B has max(rows, columns) rows and
// becomes X. Returns LAPACK's info: the first zero on R's diagonal.
std::int64_t solve_least_squares(FactorisationContext &context, Transpose transpose, const HostMatrix &a,
                                 const HostMatrix &b);

} // namespace hpart
