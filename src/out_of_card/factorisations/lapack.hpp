// The BLAS's and LAPACK's routines of the four element types, under one name each.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"

#include <complex>

// LAPACKE's header takes the complex types that it shall use from macros.
#define LAPACK_COMPLEX_CUSTOM
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

namespace hpart
{

template <typename Value> struct Routines;
template <> struct Routines<float> {
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

inline CBLAS_ORDER cblas_order(bool row_major) { return row_major ? CblasRowMajor : CblasColMajor; }
inline CBLAS_UPLO cblas_triangle(Triangle triangle) { return triangle == Triangle::upper ? CblasUpper : CblasLower; }
inline CBLAS_DIAG cblas_diagonal(bool unit) { return unit ? CblasUnit : CblasNonUnit; }

} // namespace hpart
