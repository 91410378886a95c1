// The BLAS with sizes as the library has them.
#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <limits>

#include <cblas.h>

namespace hpart
{

inline blasint blas_integer(std::int64_t value, const char *name)
{
    if (value > std::numeric_limits<blasint>::max())
        fail(Status::unsupported, name, " is ", value, "; this build's BLAS takes at most ",
             std::numeric_limits<blasint>::max());
    return static_cast<blasint>(value);
}

// C = A B, row-major and contiguous.
inline void multiply(std::int64_t rows, std::int64_t n, std::int64_t k, const double *a, const double *b, double *c)
{
    const auto columns = blas_integer(n, "n"), depth = blas_integer(k, "k");
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_integer(rows, "the number of rows"), columns, depth, 1,
                a, depth, b, columns, 0, c, columns);
}
inline void multiply(std::int64_t rows, std::int64_t n, std::int64_t k, const float *a, const float *b, float *c)
{
    const auto columns = blas_integer(n, "n"), depth = blas_integer(k, "k");
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_integer(rows, "the number of rows"), columns, depth, 1,
                a, depth, b, columns, 0, c, columns);
}

} // namespace hpart
