#include "out_of_card/in_card/gemm_cblas.hpp"

namespace hpart
{

namespace
{

template <typename Value, typename Gemm>
void multiply_real(const DeviceGemm &what, const GemmPointers &at, const Gemm &gemm)
{
    gemm(CblasRowMajor, cblas_transpose(what.transpose_a), cblas_transpose(what.transpose_b), blas_integer(what.m, "m"),
         blas_integer(what.n, "n"), blas_integer(what.k, "k"), coefficient_as<Value>(what.alpha),
         static_cast<const Value *>(at.a), blas_integer(what.a.ld, "lda"), static_cast<const Value *>(at.b),
         blas_integer(what.b.ld, "ldb"), coefficient_as<Value>(what.beta), static_cast<Value *>(at.c),
         blas_integer(what.c.ld, "ldc"));
}

template <typename Value, typename Gemm>
void multiply_complex(const DeviceGemm &what, const GemmPointers &at, const Gemm &gemm)
{
    const auto alpha = coefficient_as<Value>(what.alpha), beta = coefficient_as<Value>(what.beta);
    gemm(CblasRowMajor, cblas_transpose(what.transpose_a), cblas_transpose(what.transpose_b), blas_integer(what.m, "m"),
         blas_integer(what.n, "n"), blas_integer(what.k, "k"), &alpha, at.a, blas_integer(what.a.ld, "lda"), at.b,
         blas_integer(what.b.ld, "ldb"), &beta, at.c, blas_integer(what.c.ld, "ldc"));
}

template <typename Value> void scale_rows(const DeviceGemm &what, void *c)
{
    const auto beta = coefficient_as<Value>(what.beta);
    for (std::int64_t i = 0; i < what.m; ++i)
        for (std::int64_t j = 0; j < what.n; ++j) static_cast<Value *>(c)[i * what.c.ld + j] *= beta;
}

void scale_rows(Scalar type, const DeviceGemm &what, void *c)
{
    switch (type) {
    case Scalar::s: return scale_rows<float>(what, c);
    case Scalar::d: return scale_rows<double>(what, c);
    case Scalar::c: return scale_rows<std::complex<float>>(what, c);
    case Scalar::z: return scale_rows<std::complex<double>>(what, c);
    }
}

} // namespace

void check_cblas_sizes(const DeviceGemm &what)
{
    blas_integer(what.m, "m");
    blas_integer(what.n, "n");
    blas_integer(what.k, "k");
    blas_integer(what.a.ld, "lda");
    blas_integer(what.b.ld, "ldb");
    blas_integer(what.c.ld, "ldc");
}

void multiply_by_cblas(Scalar type, const DeviceGemm &asked, const GemmPointers &at)
{
    auto what = asked;
    if (!is_finite(what.beta)) { // some BLAS take a NaN for 0
        check_cblas_sizes(what);
        scale_rows(type, what, at.c);
        what.beta = 1;
    }
    switch (type) {
    case Scalar::s: return multiply_real<float>(what, at, cblas_sgemm);
    case Scalar::d: return multiply_real<double>(what, at, cblas_dgemm);
    case Scalar::c: return multiply_complex<std::complex<float>>(what, at, cblas_cgemm);
    case Scalar::z: return multiply_complex<std::complex<double>>(what, at, cblas_zgemm);
    }
}

} // namespace hpart
