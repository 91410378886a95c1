#include "out_of_card/gemm/host_gemm.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#endif

#include <algorithm>
#include <complex>

namespace hpart
{

#ifdef HPART_HAVE_OPENBLAS

namespace
{

CBLAS_ORDER order(bool row_major) { return row_major ? CblasRowMajor : CblasColMajor; }

CBLAS_TRANSPOSE cblas(Transpose transpose)
{
    switch (transpose) {
    case Transpose::none: return CblasNoTrans;
    case Transpose::transpose: return CblasTrans;
    case Transpose::conjugate: return CblasConjTrans;
    }
    return CblasNoTrans;
}

template <typename Value> struct Coefficients {
    explicit Coefficients(Coefficient value) : value_(value) {}
    std::complex<Value> value_;
    const void *complex() const { return &value_; }
    Value real() const { return value_.real(); }
};

} // namespace

void gemm_on_host(const GemmCall &call)
{
    const auto layout = order(call.row_major);
    const auto ta = cblas(call.transpose_a), tb = cblas(call.transpose_b);
    const auto m = blas_integer(call.m, "m"), n = blas_integer(call.n, "n"), k = blas_integer(call.k, "k");
    const auto lda = blas_integer(call.lda, "lda"), ldb = blas_integer(call.ldb, "ldb"),
               ldc = blas_integer(call.ldc, "ldc");
    const Coefficients<double> alpha(call.alpha), beta(call.beta);
    const Coefficients<float> float_alpha(call.alpha), float_beta(call.beta);
    switch (call.type) {
    case Scalar::s:
        return cblas_sgemm(layout, ta, tb, m, n, k, float_alpha.real(), static_cast<const float *>(call.a), lda,
                           static_cast<const float *>(call.b), ldb, float_beta.real(), static_cast<float *>(call.c),
                           ldc);
    case Scalar::d:
        return cblas_dgemm(layout, ta, tb, m, n, k, alpha.real(), static_cast<const double *>(call.a), lda,
                           static_cast<const double *>(call.b), ldb, beta.real(), static_cast<double *>(call.c), ldc);
    case Scalar::c:
        return cblas_cgemm(layout, ta, tb, m, n, k, float_alpha.complex(), call.a, lda, call.b, ldb,
                           float_beta.complex(), call.c, ldc);
    case Scalar::z:
        return cblas_zgemm(layout, ta, tb, m, n, k, alpha.complex(), call.a, lda, call.b, ldb, beta.complex(), call.c,
                           ldc);
    }
}

void gemv_on_host(const GemvCall &call)
{
    const auto layout = order(call.row_major);
    const auto ta = cblas(call.transpose_a);
    const auto m = blas_integer(call.m, "m"), n = blas_integer(call.n, "n"), lda = blas_integer(call.lda, "lda"),
               incx = blas_integer(call.incx, "incx"), incy = blas_integer(call.incy, "incy");
    const Coefficients<double> alpha(call.alpha), beta(call.beta);
    const Coefficients<float> float_alpha(call.alpha), float_beta(call.beta);
    switch (call.type) {
    case Scalar::s:
        return cblas_sgemv(layout, ta, m, n, float_alpha.real(), static_cast<const float *>(call.a), lda,
                           static_cast<const float *>(call.x), incx, float_beta.real(), static_cast<float *>(call.y),
                           incy);
    case Scalar::d:
        return cblas_dgemv(layout, ta, m, n, alpha.real(), static_cast<const double *>(call.a), lda,
                           static_cast<const double *>(call.x), incx, beta.real(), static_cast<double *>(call.y), incy);
    case Scalar::c:
        return cblas_cgemv(layout, ta, m, n, float_alpha.complex(), call.a, lda, call.x, incx, float_beta.complex(),
                           call.y, incy);
    case Scalar::z:
        return cblas_zgemv(layout, ta, m, n, alpha.complex(), call.a, lda, call.x, incx, beta.complex(), call.y, incy);
    }
}

#else

void gemm_on_host(const GemmCall &)
{
    fail(Status::unsupported, "this build has no BLAS, with which products are computed on the host");
}

void gemv_on_host(const GemvCall &)
{
    fail(Status::unsupported, "this build has no BLAS, with which products are computed on the host");
}

#endif

} // namespace hpart
