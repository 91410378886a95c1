// The routines of OpenBLAS and of its LAPACK for the four element types, under one name each.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"

#include <complex>
#include <cstddef>

// Fortran's calls: numbers by address, and the length of each text behind the arguments.
#define HPART_DECLARE_LAPACK(letter, Value)                                                                            \
    extern "C" {                                                                                                       \
    void letter##getrf_(const blasint *m, const blasint *n, Value *a, const blasint *lda, blasint *pivots,             \
                        blasint *info);                                                                                \
    void letter##potrf_(const char *triangle, const blasint *n, Value *a, const blasint *lda, blasint *info,           \
                        std::size_t);                                                                                  \
    void letter##geqrt3_(const blasint *m, const blasint *n, Value *a, const blasint *lda, Value *t,                   \
                         const blasint *ldt, blasint *info);                                                           \
    void letter##geqrf_(const blasint *m, const blasint *n, Value *a, const blasint *lda, Value *tau, Value *work,     \
                        const blasint *size, blasint *info);                                                           \
    void letter##trtri_(const char *triangle, const char *diagonal, const blasint *n, Value *a, const blasint *lda,    \
                        blasint *info, std::size_t, std::size_t);                                                      \
    void letter##lauum_(const char *triangle, const blasint *n, Value *a, const blasint *lda, blasint *info,           \
                        std::size_t);                                                                                  \
    }
HPART_DECLARE_LAPACK(s, float)
HPART_DECLARE_LAPACK(d, double)
HPART_DECLARE_LAPACK(c, std::complex<float>)
HPART_DECLARE_LAPACK(z, std::complex<double>)
#undef HPART_DECLARE_LAPACK
extern "C" void ilaver_(blasint *major, blasint *minor, blasint *patch);

namespace hpart
{

template <typename Value> struct LinkedRoutines;
#define HPART_LINK_ROUTINES(letter, Value, hermitian_rank_k, hermitian_multiply)                                       \
    template <> struct LinkedRoutines<Value> {                                                                         \
        static inline const auto symmetric_update = HPART_BLAS(cblas_##letter##syrk);                                  \
        static inline const auto hermitian_update = HPART_BLAS(hermitian_rank_k);                                      \
        static inline const auto symmetric_product = HPART_BLAS(cblas_##letter##symm);                                 \
        static inline const auto hermitian_product = HPART_BLAS(hermitian_multiply);                                   \
        static inline const auto solve = HPART_BLAS(cblas_##letter##trsm);                                             \
        static inline const auto multiply = HPART_BLAS(cblas_##letter##trmm);                                          \
        static inline const auto getrf_ = HPART_BLAS(letter##getrf_);                                                  \
        static inline const auto potrf_ = HPART_BLAS(letter##potrf_);                                                  \
        static inline const auto geqrt3_ = HPART_BLAS(letter##geqrt3_);                                                \
        static inline const auto geqrf_ = HPART_BLAS(letter##geqrf_);                                                  \
        static inline const auto trtri_ = HPART_BLAS(letter##trtri_);                                                  \
        static inline const auto lauum_ = HPART_BLAS(letter##lauum_);                                                  \
    }
HPART_LINK_ROUTINES(s, float, cblas_ssyrk, cblas_ssymm);
HPART_LINK_ROUTINES(d, double, cblas_dsyrk, cblas_dsymm);
HPART_LINK_ROUTINES(c, std::complex<float>, cblas_cherk, cblas_chemm);
HPART_LINK_ROUTINES(z, std::complex<double>, cblas_zherk, cblas_zhemm);
#undef HPART_LINK_ROUTINES

// LAPACK's matrices are column-major; the results are its info.
template <typename Value> struct Routines : LinkedRoutines<Value> {
    using Linked = LinkedRoutines<Value>;
    static blasint getrf(blasint m, blasint n, Value *a, blasint lda, blasint *pivots)
    {
        blasint info = 0;
        Linked::getrf_(&m, &n, a, &lda, pivots, &info);
        return info;
    }
    static blasint potrf(char triangle, blasint n, Value *a, blasint lda)
    {
        blasint info = 0;
        Linked::potrf_(&triangle, &n, a, &lda, &info, 1);
        return info;
    }
    static blasint geqrt3(blasint m, blasint n, Value *a, blasint lda, Value *t, blasint ldt)
    {
        blasint info = 0;
        Linked::geqrt3_(&m, &n, a, &lda, t, &ldt, &info);
        return info;
    }
    static blasint geqrf(blasint m, blasint n, Value *a, blasint lda, Value *tau, Value *work, blasint size)
    {
        blasint info = 0;
        Linked::geqrf_(&m, &n, a, &lda, tau, work, &size, &info);
        return info;
    }
    static blasint trtri(char triangle, char diagonal, blasint n, Value *a, blasint lda)
    {
        blasint info = 0;
        Linked::trtri_(&triangle, &diagonal, &n, a, &lda, &info, 1, 1);
        return info;
    }
    static blasint lauum(char triangle, blasint n, Value *a, blasint lda)
    {
        blasint info = 0;
        Linked::lauum_(&triangle, &n, a, &lda, &info, 1);
        return info;
    }
};

inline CBLAS_ORDER cblas_order(bool row_major) { return row_major ? CblasRowMajor : CblasColMajor; }
inline CBLAS_UPLO cblas_triangle(Triangle triangle) { return triangle == Triangle::upper ? CblasUpper : CblasLower; }
inline CBLAS_DIAG cblas_diagonal(bool unit) { return unit ? CblasUnit : CblasNonUnit; }

} // namespace hpart
