// The operations by recursion into halves: all but the blocks of host_width at its end are products, as large as the operation
// allows, so that the traffic is as low as with large products, whatever fits on the device.
#pragma once

#include "out_of_card/factorisations/factorisation_context.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart::recursive
{

// As the functions of on_host.
void update_triangle(FactorisationContext &context, const SyrkShape &shape, Coefficient alpha, const HostMatrix &a,
                     Coefficient beta, const HostMatrix &c);
void solve_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// C = alpha A B + beta C, A symmetric or Hermitian.
void multiply_symmetric(FactorisationContext &context, const SymmShape &shape, Coefficient alpha, const HostMatrix &a,
                        const HostMatrix &b, Coefficient beta, const HostMatrix &c);
// C = alpha op(A) op(B) + beta C, of the lower triangle.
void multiply_to_triangle(FactorisationContext &context, Coefficient alpha, const Factor &a, const Factor &b,
                          Coefficient beta, const HostMatrix &c);
// B = op(A) B.
void multiply_triangle(FactorisationContext &context, const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots);
std::int64_t factor_cholesky(FactorisationContext &context, const HostMatrix &a);
// Any shape; LAPACK's tau.
void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau);
// B = Q^H B, or Q B, Q from the factors and tau of a QR factorisation.
void apply_q(FactorisationContext &context, bool conjugate, const HostMatrix &a, const void *tau, const HostMatrix &b);
// Operations of the caller's, not parts of others:
// the first columns of Q, as many as A has, from LAPACK's first `reflectors` columns of factors, which they replace.
void form_q(FactorisationContext &context, std::int64_t reflectors, const HostMatrix &a, const void *tau);

// A^-1 by its factors, which it replaces: L U; or L L^H, of the lower triangle.
void invert_by_lu(FactorisationContext &context, const HostMatrix &a, std::span<const std::int64_t> pivots);
void invert_by_cholesky(FactorisationContext &context, const HostMatrix &a);

} // namespace hpart::recursive
