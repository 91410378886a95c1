// Blocks on the host, by the BLAS and LAPACK alone.
#pragma once

#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/part.hpp"

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

// C = alpha op(A) op(A)^T (or its conjugate) + beta C, of the lower triangle.
template <typename Value>
void update_triangle(const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta, const Part<Value> &c);
// C = alpha A B + beta C, A symmetric or Hermitian.
template <typename Value>
void multiply_symmetric(const SymmShape &shape, Value alpha, const Part<Value> &a, const Part<Value> &b, Value beta,
                        const Part<Value> &c);
// B = op(A)^-1 B; A has B's layout.
template <typename Value> void solve_triangle(const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b);
// B = op(A) B.
template <typename Value> void multiply_triangle(const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b);
// The lower triangle L becomes L^-1; or L^H L.
template <typename Value> void invert_triangle(const Part<Value> &a);
template <typename Value> void multiply_by_adjoint(const Part<Value> &a);
// These two return LAPACK's info. Of Cholesky, the lower triangle.
template <typename Value> std::int64_t factor_lu(const Part<Value> &a, std::span<std::int64_t> pivots);
template <typename Value> std::int64_t factor_cholesky(const Part<Value> &a);
// `a` has at least as many rows as columns; t becomes the upper triangle T of Q = I - V T V^H, with its zeros. tau is T's
// diagonal.
template <typename Value> void factor_qr(const Part<Value> &a, const Part<Value> &t);
// By reflectors that nothing else is to be multiplied with.
template <typename Value> void factor_qr(const Part<Value> &a, Value *tau);
// V, the unit lower trapezium below the diagonal of `a`, with its zeros and ones.
template <typename Value> void make_v_explicit(const Part<Value> &a, const Part<Value> &v);

template <typename Value> void conjugate(const Part<Value> &b)
{
    if constexpr (is_complex_type<Value>)
        for (std::int64_t k = 0; k < b.lines(); ++k)
            for (auto &value : b.line(k)) value = std::conj(value);
}

} // namespace on_host

} // namespace hpart
