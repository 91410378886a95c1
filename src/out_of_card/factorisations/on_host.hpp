// Work on the host: the BLAS and LAPACK, and work element by element. Matrices of one call have one type and, unless noted, one
// layout.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"

#include <cstdint>
#include <span>

namespace hpart
{

struct SyrkShape {
    bool hermitian = false;
    Transpose transpose = Transpose::none; // of A
};

struct SymmShape {
    Triangle triangle = Triangle::lower;
    bool hermitian = false;
};

struct TrsmShape {
    Triangle triangle = Triangle::lower;
    Transpose transpose = Transpose::none; // of A
    bool unit_diagonal = false;
};

namespace on_host
{

// C = alpha op(A) op(B) + beta C.
void multiply(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c);
// The same of the lower triangle only.
void multiply_to_triangle(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c);
// C = alpha op(A) op(A)^T (or its conjugate) + beta C, of the lower triangle.
void update_triangle(const SyrkShape &shape, Coefficient alpha, const HostMatrix &a, Coefficient beta,
                     const HostMatrix &c);
// C = alpha A B + beta C, A symmetric or Hermitian.
void multiply_symmetric(const SymmShape &shape, Coefficient alpha, const HostMatrix &a, const HostMatrix &b,
                        Coefficient beta, const HostMatrix &c);
// B = op(A)^-1 B.
void solve_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// B = op(A) B.
void multiply_triangle(const TrsmShape &shape, const HostMatrix &a, const HostMatrix &b);
// The lower triangle L becomes L^-1; or L^H L.
void invert_triangle(const HostMatrix &a);
void multiply_by_adjoint(const HostMatrix &a);
// These two return LAPACK's info; LU's is first_unusable of U. Cholesky takes the lower triangle.
std::int64_t factor_lu(const HostMatrix &a, std::span<std::int64_t> pivots);
std::int64_t factor_cholesky(const HostMatrix &a);
// `a` has at least as many rows as columns; t becomes the upper triangle T of Q = I - V T V^H, with its zeros. tau is T's
// diagonal.
void factor_qr(const HostMatrix &a, const HostMatrix &t);
// By reflectors that nothing else is to be multiplied with.
void factor_qr(const HostMatrix &a, void *tau);

// The two may differ in layout.
void copy(const HostMatrix &source, const HostMatrix &target);
// The lower triangle; a Hermitian one's diagonal is real.
void copy_lower(const HostMatrix &source, const HostMatrix &target, bool hermitian = false);
// A = factor A; zeros for 0, whatever A is.
void scale(Coefficient factor, const HostMatrix &a);
// And of the lower triangle.
void scale_lower(Coefficient factor, const HostMatrix &a);
void conjugate(const HostMatrix &a);
void make_diagonal_real(const HostMatrix &a);
// These columns become the identity's.
void make_identity(const HostMatrix &a, std::int64_t first, std::int64_t columns);
// The largest sum of magnitudes of a row of a triangle; NaN where there is one.
double norm_of_rows(Triangle triangle, bool unit_diagonal, const HostMatrix &matrix);
// 0, or the first element of the diagonal, counted from 1, that nothing can be divided by: zero, a subnormal number, whose
// reciprocal overflows, or NaN.
std::int64_t first_unusable(const HostMatrix &a);
// Exchanges row first + k with row pivots[k] - 1, for k = 0, 1, ... or the other way round.
void swap_rows(const HostMatrix &matrix, std::span<const std::int64_t> pivots, bool forward = true,
               std::int64_t first = 0);
// V, the unit lower trapezium below the diagonal of `a`, with its zeros and ones. The two may differ in layout.
void make_v_explicit(const HostMatrix &a, const HostMatrix &v);
// Moves the elements below the diagonal; zeros stay.
void take_below_diagonal(const HostMatrix &a, const HostMatrix &to);
// T of reflectors V, from V^H V and tau[first], tau[first + 1], ...: column j is -tau_j T (V^H v_j), for the columns before it.
void make_reflector_triangle(const HostMatrix &products, const void *tau, std::int64_t first,
                             const HostMatrix &triangle);
// tau[first], ... become T's diagonal.
void take_tau(const HostMatrix &t, std::int64_t first, void *tau);

} // namespace on_host

} // namespace hpart
