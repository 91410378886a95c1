#include "core/error.hpp"
#include "kernels/checks.hpp"
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

template <typename Real> Check check_gemm(const GemmDims<Real> &dims, std::span<const SliceResult> slices)
{
    if (dims.depends_on_size()) {
        Check worst{0, 0};
        for (const auto &slice : slices) worst = worse(worst, check_gemm(dims.at(slice.slice.rows), {&slice, 1}));
        return worst;
    }
    std::int64_t rows = 0;
    for (const auto &[slice, values] : slices) rows += slice.rows;
    const GemmDims<double> in_double{dims.n, dims.k};
    GemmData<double> whole(in_double, rows);
    whole.fill(in_double, {slices.empty() ? 0 : slices.front().slice.first, rows}, 0, 1);
    round_to<Real>(whole.a);
    round_to<Real>(whole.b);
    multiply(rows, dims.n, dims.k, whole.a.data(), whole.b.data(), whole.c.data());
    // Each of the k products and sums rounds once in either computation.
    const auto tolerance =
        8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * (static_cast<double>(dims.k) + 1);
    return {error_of(slices, whole.c.data()), tolerance};
}

#else

template <typename Real> Check check_gemm(const GemmDims<Real> &, std::span<const SliceResult>)
{
    fail(Status::unsupported, "this build has no OpenBLAS, which a check of gemm compares with");
}

#endif

template Check check_gemm(const GemmDims<float> &dims, std::span<const SliceResult> slices);
template Check check_gemm(const GemmDims<double> &dims, std::span<const SliceResult> slices);

} // namespace hpart
