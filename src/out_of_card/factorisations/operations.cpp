#include "out_of_card/factorisations/operations.hpp"
#include "out_of_card/factorisations/on_device.hpp"
#include "out_of_card/factorisations/recursive.hpp"

namespace hpart
{

namespace
{

Transpose turned(const SyrkShape &shape)
{
    if (shape.transpose != Transpose::none) return Transpose::none;
    return shape.hermitian ? Transpose::conjugate : Transpose::transpose;
}

Triangle opposite(Triangle triangle) { return triangle == Triangle::lower ? Triangle::upper : Triangle::lower; }

} // namespace

// The memory of an upper triangle is the lower one of the transpose in the other layout. C = A A^T is its own transpose, and
// A A^H is (A^T)^H A^T there; (U^H U)^T = U^T (U^T)^H.
void update_triangle(FactorisationContext &context, Triangle triangle, const SyrkShape &shape, Coefficient alpha,
                     const HostMatrix &a, Coefficient beta, const HostMatrix &c)
{
    if (triangle == Triangle::upper)
        return update_triangle(context, Triangle::lower, {shape.hermitian, turned(shape)}, alpha, a.transposed(), beta,
                               c.transposed());
    if (on_device::update_triangle(context, shape, alpha, a, beta, c)) return;
    recursive::update_triangle(context, shape, alpha, a, beta, c);
}

// X op(A) = B is op(A)^T X^T = B^T; the memory of A is A^T in the other layout, and op(A)^T = op(A^T).
void solve_triangle(FactorisationContext &context, Side side, const TrsmShape &shape, const HostMatrix &a,
                    const HostMatrix &b)
{
    if (side == Side::right)
        return solve_triangle(context, Side::left, {opposite(shape.triangle), shape.transpose, shape.unit_diagonal},
                              a.transposed(), b.transposed());
    if (on_device::solve_triangle(context, shape, a, b)) return;
    recursive::solve_triangle(context, shape, a, b);
}

std::int64_t factor_lu(FactorisationContext &context, const HostMatrix &a, std::span<std::int64_t> pivots)
{
    if (const auto info = on_device::factor_lu(context, a, pivots)) return *info;
    return recursive::factor_lu(context, a, pivots);
}

std::int64_t factor_cholesky(FactorisationContext &context, Triangle triangle, const HostMatrix &a)
{
    const auto lower = triangle == Triangle::lower ? a : a.transposed();
    if (const auto info = on_device::factor_cholesky(context, lower)) return *info;
    return recursive::factor_cholesky(context, lower);
}

void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    if (on_device::factor_qr(context, a, tau)) return;
    recursive::factor_qr(context, a, tau);
}

} // namespace hpart
