// The operations by recursion into halves: all but the blocks of host_width at its end are products, as large as the
// operation allows, so that the traffic is that of large products whatever fits on the card.
#pragma once

#include "out_of_card/factorisations/products.hpp"

namespace hpart
{

struct SyrkShape {
    Triangle triangle = Triangle::lower;
    bool hermitian = false;
    Transpose transpose = Transpose::none; // of A
};
// C = alpha op(A) op(A)^T (or its conjugate) + beta C, of one triangle.
template <typename Value>
void update_triangle(Products &products, const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta,
                     const Part<Value> &c);

struct TrsmShape {
    Side side = Side::left;
    Triangle triangle = Triangle::lower;
    Transpose transpose = Transpose::none; // of A
    bool unit_diagonal = false;
};
// B = op(A)^-1 B or B op(A)^-1; A has B's layout.
template <typename Value>
void solve_triangle(Products &products, const TrsmShape &shape, const Part<Value> &a, const Part<Value> &b);

// Each returns LAPACK's info: 0, or the 1-based place of the first zero pivot, or of the first minor that is not positive.
template <typename Value>
std::int64_t factor_lu(Products &products, const Part<Value> &a, std::span<std::int64_t> pivots);
template <typename Value> std::int64_t factor_cholesky(Products &products, Triangle triangle, const Part<Value> &a);

template <typename Value> void factor_qr(Products &products, const Part<Value> &a, Value *tau);
// B = Q^H B, or Q B, Q from factor_qr of `a` and `tau`.
template <typename Value>
void apply_q(Products &products, bool conjugate, const Part<Value> &a, const Value *tau, const Part<Value> &b);

} // namespace hpart
