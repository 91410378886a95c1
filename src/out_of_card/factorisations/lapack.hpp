// The BLAS's and LAPACK's routines of the four element types, under one name each.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"

#include <complex>
#include <type_traits>

// LAPACKE's header takes the complex types that it shall use from macros.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace hpart
{

template <typename Value> struct Routines;
template <> struct Routines<float> {
    static constexpr auto gemm = cblas_sgemm;
    static constexpr auto symmetric_update = cblas_ssyrk, hermitian_update = cblas_ssyrk;
    static constexpr auto symmetric_product = cblas_ssymm, hermitian_product = cblas_ssymm;
    static constexpr auto solve = cblas_strsm, multiply = cblas_strmm;
    static constexpr auto getrf = LAPACKE_sgetrf_work;
    static constexpr auto potrf = LAPACKE_spotrf_work;
    static constexpr auto geqrt3 = LAPACKE_sgeqrt3_work;
    static constexpr auto geqrf = LAPACKE_sgeqrf_work;
    static constexpr auto trtri = LAPACKE_strtri_work;
    static constexpr auto lauum = LAPACKE_slauum_work;
};
template <> struct Routines<double> {
    static constexpr auto gemm = cblas_dgemm;
    static constexpr auto symmetric_update = cblas_dsyrk, hermitian_update = cblas_dsyrk;
    static constexpr auto symmetric_product = cblas_dsymm, hermitian_product = cblas_dsymm;
    static constexpr auto solve = cblas_dtrsm, multiply = cblas_dtrmm;
    static constexpr auto getrf = LAPACKE_dgetrf_work;
    static constexpr auto potrf = LAPACKE_dpotrf_work;
    static constexpr auto geqrt3 = LAPACKE_dgeqrt3_work;
    static constexpr auto geqrf = LAPACKE_dgeqrf_work;
    static constexpr auto trtri = LAPACKE_dtrtri_work;
    static constexpr auto lauum = LAPACKE_dlauum_work;
};
template <> struct Routines<std::complex<float>> {
    static constexpr auto gemm = cblas_cgemm;
    static constexpr auto symmetric_update = cblas_csyrk;
    static constexpr auto hermitian_update = cblas_cherk;
    static constexpr auto symmetric_product = cblas_csymm, hermitian_product = cblas_chemm;
    static constexpr auto solve = cblas_ctrsm, multiply = cblas_ctrmm;
    static constexpr auto getrf = LAPACKE_cgetrf_work;
    static constexpr auto potrf = LAPACKE_cpotrf_work;
    static constexpr auto geqrt3 = LAPACKE_cgeqrt3_work;
    static constexpr auto geqrf = LAPACKE_cgeqrf_work;
    static constexpr auto trtri = LAPACKE_ctrtri_work;
    static constexpr auto lauum = LAPACKE_clauum_work;
};
template <> struct Routines<std::complex<double>> {
    static constexpr auto gemm = cblas_zgemm;
    static constexpr auto symmetric_update = cblas_zsyrk;
    static constexpr auto hermitian_update = cblas_zherk;
    static constexpr auto symmetric_product = cblas_zsymm, hermitian_product = cblas_zhemm;
    static constexpr auto solve = cblas_ztrsm, multiply = cblas_ztrmm;
    static constexpr auto getrf = LAPACKE_zgetrf_work;
    static constexpr auto potrf = LAPACKE_zpotrf_work;
    static constexpr auto geqrt3 = LAPACKE_zgeqrt3_work;
    static constexpr auto geqrf = LAPACKE_zgeqrf_work;
    static constexpr auto trtri = LAPACKE_ztrtri_work;
    static constexpr auto lauum = LAPACKE_zlauum_work;
};

template <typename Value> struct RealOf {
    using type = Value;
};
template <typename Real> struct RealOf<std::complex<Real>> {
    using type = Real;
};
template <typename Value> using Real = typename RealOf<Value>::type;
template <typename Value> constexpr bool is_complex_type = !std::is_same_v<Value, Real<Value>>;

// Complex coefficients go to the BLAS by address.
template <typename Value> auto by_address(const Value &value)
{
    if constexpr (is_complex_type<Value>)
        return static_cast<const void *>(&value);
    else
        return value;
}

inline CBLAS_ORDER cblas_order(bool row_major) { return row_major ? CblasRowMajor : CblasColMajor; }
inline CBLAS_UPLO cblas_triangle(Triangle triangle) { return triangle == Triangle::upper ? CblasUpper : CblasLower; }
inline CBLAS_SIDE cblas_side(Side side) { return side == Side::left ? CblasLeft : CblasRight; }
inline CBLAS_DIAG cblas_diagonal(bool unit) { return unit ? CblasUnit : CblasNonUnit; }

// Calls work.operator()<Value>() with the type that `type` names.
template <typename Work> auto with_type(Scalar type, const Work &work)
{
    switch (type) {
    case Scalar::s: return work.template operator()<float>();
    case Scalar::d: return work.template operator()<double>();
    case Scalar::c: return work.template operator()<std::complex<float>>();
    case Scalar::z: break;
    }
    return work.template operator()<std::complex<double>>();
}

} // namespace hpart
