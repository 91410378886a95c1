#include "out_of_card/in_card/gemm_cblas.hpp"

namespace hpart
{

void check_cblas_sizes(const DeviceGemm &what)
{
    blas_integer(what.m, "m");
    blas_integer(what.n, "n");
    blas_integer(what.k, "k");
    blas_integer(what.a.ld, "lda");
    blas_integer(what.b.ld, "ldb");
    blas_integer(what.c.ld, "ldc");
}

void multiply_by_cblas(Scalar type, const DeviceGemm &what, const GemmPointers &at)
{
    check_cblas_sizes(what);
    const bool is_scaled = !is_finite(what.beta); // some BLAS take a NaN for 0
    if (is_scaled) scale_rows(type, what.beta, at.c, what.m, what.n, what.c.ld);
    with_type(type, [&]<typename Value>() {
        const auto alpha = coefficient_as<Value>(what.alpha), beta = coefficient_as<Value>(is_scaled ? 1 : what.beta);
        Cblas<Value>::gemm(CblasRowMajor, cblas_transpose(what.transpose_a), cblas_transpose(what.transpose_b),
                           blas_integer(what.m, "m"), blas_integer(what.n, "n"), blas_integer(what.k, "k"),
                           by_address(alpha), static_cast<const Value *>(at.a), blas_integer(what.a.ld, "lda"),
                           static_cast<const Value *>(at.b), blas_integer(what.b.ld, "ldb"), by_address(beta),
                           static_cast<Value *>(at.c), blas_integer(what.c.ld, "ldc"));
    });
}

} // namespace hpart
