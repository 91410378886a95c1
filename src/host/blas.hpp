// OpenBLAS's functions, and sizes as they take them.
#pragma once

#include "core/error.hpp"
#include "core/file.hpp"

#include <complex>
#include <cstdint>
#include <limits>

#include <cblas.h>

#ifndef HPART_OPENBLAS_FILE
#define HPART_OPENBLAS_FILE nullptr
#endif
#define HPART_BLAS(function) own_function(HPART_OPENBLAS_FILE, function, #function)

namespace hpart
{

// OpenBLAS's settings.
struct Openblas {
    static inline const auto get_config = HPART_BLAS(openblas_get_config);
    static inline const auto get_corename = HPART_BLAS(openblas_get_corename);
    static inline const auto get_parallel = HPART_BLAS(openblas_get_parallel);
    static inline const auto get_num_threads = HPART_BLAS(openblas_get_num_threads);
    static inline const auto set_num_threads = HPART_BLAS(openblas_set_num_threads);
};

// The products of a type.
template <typename Value> struct Cblas;
template <> struct Cblas<float> {
    static inline const auto gemm = HPART_BLAS(cblas_sgemm);
    static inline const auto gemv = HPART_BLAS(cblas_sgemv);
};
template <> struct Cblas<double> {
    static inline const auto gemm = HPART_BLAS(cblas_dgemm);
    static inline const auto gemv = HPART_BLAS(cblas_dgemv);
};
template <> struct Cblas<std::complex<float>> {
    static inline const auto gemm = HPART_BLAS(cblas_cgemm);
    static inline const auto gemv = HPART_BLAS(cblas_cgemv);
};
template <> struct Cblas<std::complex<double>> {
    static inline const auto gemm = HPART_BLAS(cblas_zgemm);
    static inline const auto gemv = HPART_BLAS(cblas_zgemv);
};

inline blasint blas_integer(std::int64_t value, const char *name)
{
    if (value > std::numeric_limits<blasint>::max())
        fail(Status::unsupported, name, " is ", value, "; this build's BLAS takes at most ",
             std::numeric_limits<blasint>::max());
    return static_cast<blasint>(value);
}

// C = A B, row-major and contiguous.
template <typename Real>
void multiply(std::int64_t rows, std::int64_t n, std::int64_t k, const Real *a, const Real *b, Real *c)
{
    const auto columns = blas_integer(n, "n"), depth = blas_integer(k, "k");
    Cblas<Real>::gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_integer(rows, "the number of rows"), columns,
                      depth, 1, a, depth, b, columns, 0, c, columns);
}

// While a thread has one, its BLAS calls run on it alone.

// OpenBLAS has one pool of threads for the whole process, and its size is the process's too: callers at the same time
// would wait for each other. The kernels bring their own threads instead. The last one of these to go puts the number of
// threads back that was set when the first one came. With OpenMP's threads each thread has a number of its own, which this one puts back.
// Each thread that computes makes one, and it ends on that thread.
class SingleThreadedBlas
{
  public:
    SingleThreadedBlas();
    SingleThreadedBlas(const SingleThreadedBlas &) = delete;
    SingleThreadedBlas &operator=(const SingleThreadedBlas &) = delete;
    ~SingleThreadedBlas();

  private:
    int of_this_thread_ = 0;
};

} // namespace hpart
