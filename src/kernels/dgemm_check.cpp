#include "core/error.hpp"
#include "kernels/dgemm.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#endif

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

#ifdef HPART_HAVE_OPENBLAS

namespace
{

double error_of(std::span<const SliceResult> slices, const double *reference)
{
    double largest_error = 0, largest = 0;
    for (const auto &[slice, values] : slices)
        for (const double value : values) {
            // A value that is not a number must not pass as no error.
            if (!std::isfinite(value)) return std::numeric_limits<double>::infinity();
            largest_error = std::max(largest_error, std::fabs(value - *reference));
            largest = std::max(largest, std::fabs(*reference));
            ++reference;
        }
    return largest_error == 0 ? 0 : largest_error / largest;
}

} // namespace

Check check_dgemm(const DgemmDims &dims, std::span<const SliceResult> slices)
{
    std::int64_t rows = 0;
    for (const auto &[slice, values] : slices) rows += slice.rows;
    DgemmData whole(dims, rows);
    whole.fill(dims, {0, rows}, 0, 1);
    multiply(rows, dims.n, dims.k, whole.a.data(), whole.b.data(), whole.c.data());
    // Each of the k products and sums rounds once in either computation.
    const auto tolerance = 8 * std::numeric_limits<double>::epsilon() * (static_cast<double>(dims.k) + 1);
    return {error_of(slices, whole.c.data()), tolerance};
}

#else

Check check_dgemm(const DgemmDims &, std::span<const SliceResult>)
{
    fail(Status::unsupported, "this build has no OpenBLAS, which a check of dgemm compares with");
}

#endif

} // namespace hpart
