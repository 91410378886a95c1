#include "out_of_card/factorisations/blocked.hpp"

namespace hpart
{

namespace
{

template <typename Value>
void update_on_host(const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta, const Part<Value> &c)
{
    const auto order = cblas_order(c.row_major);
    const auto triangle = cblas_triangle(shape.triangle);
    const auto transpose = cblas_transpose(shape.transpose);
    const auto n = blas_integer(c.rows, "n"), lda = blas_integer(a.ld, "lda"), ldc = blas_integer(c.ld, "ldc");
    const auto k = blas_integer(shape.transpose == Transpose::none ? a.columns : a.rows, "k");
    if (shape.hermitian)
        Routines<Value>::hermitian_update(order, triangle, transpose, n, k, std::real(alpha), a.data, lda,
                                          std::real(beta), c.data, ldc);
    else
        Routines<Value>::symmetric_update(order, triangle, transpose, n, k, by_address(alpha), a.data, lda,
                                          by_address(beta), c.data, ldc);
}

} // namespace

template <typename Value>
void update_triangle(Products &products, const SyrkShape &shape, Value alpha, const Part<Value> &a, Value beta,
                     const Part<Value> &c)
{
    const bool plain = shape.transpose == Transpose::none;
    const auto n = c.rows, k = plain ? a.columns : a.rows;
    if (n <= products.host_width()) {
        const auto flops =
            flops_per_product(ScalarOf<Value>::type) / 2 * static_cast<double>(n * n) * static_cast<double>(k);
        return products.on_host(flops, [&] { update_on_host(shape, alpha, a, beta, c); });
    }
    const auto first = products.half_of(n), rest = n - first;
    const auto a1 = plain ? a.block(0, 0, first, k) : a.block(0, 0, k, first);
    const auto a2 = plain ? a.block(first, 0, rest, k) : a.block(0, first, k, rest);
    const auto turned = shape.hermitian ? Transpose::conjugate : Transpose::transpose;
    const Transpose left = plain ? Transpose::none : turned, right = plain ? turned : Transpose::none;
    update_triangle(products, shape, alpha, a1, beta, c.block(0, 0, first, first));
    update_triangle(products, shape, alpha, a2, beta, c.block(first, first, rest, rest));
    if (shape.triangle == Triangle::lower)
        products.multiply(alpha, {a2, left}, {a1, right}, beta, c.block(first, 0, rest, first));
    else
        products.multiply(alpha, {a1, left}, {a2, right}, beta, c.block(0, first, first, rest));
}

template void update_triangle(Products &, const SyrkShape &, float, const Part<float> &, float, const Part<float> &);
template void update_triangle(Products &, const SyrkShape &, double, const Part<double> &, double,
                              const Part<double> &);
template void update_triangle(Products &, const SyrkShape &, std::complex<float>, const Part<std::complex<float>> &,
                              std::complex<float>, const Part<std::complex<float>> &);
template void update_triangle(Products &, const SyrkShape &, std::complex<double>, const Part<std::complex<double>> &,
                              std::complex<double>, const Part<std::complex<double>> &);

} // namespace hpart
