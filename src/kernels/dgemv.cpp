#include "kernels/dgemv.hpp"

#include "kernels/pseudo_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart
{

template <typename Real> std::string GemvDims<Real>::description() const
{
    const std::array dimensions = {Dimension{"n", n}};
    return describe_kernel(sizeof(Real) == sizeof(double) ? "dgemv" : "sgemv", dimensions);
}

template <typename Real>
GemvData<Real>::GemvData(const GemvDims<Real> &dims, std::int64_t rows) : a(rows, dims.n), x(1, dims.n), y(rows, 1)
{
}

template <typename Real>
void GemvData<Real>::fill(const GemvDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts)
{
    const auto rows = part_of(slice.rows, part, parts);
    fill_rows(RandomArray::gemv_a, a.data() + rows.first * dims.n, slice.first + rows.first, rows.rows, dims.n);
    std::fill_n(y.data() + rows.first, rows.rows, Real{0});
    const auto columns = part_of(dims.n, part, parts);
    fill_rows(RandomArray::gemv_x, x.data() + columns.first, columns.first, columns.rows, 1);
}

template <typename Real> Check check_gemv(const GemvDims<Real> &asked, std::span<const SliceResult> slices)
{
    double largest_error = 0, largest = 0;
    std::int64_t longest = 0;
    for (const auto &[slice, values] : slices) {
        const auto dims = asked.at(slice.rows);
        longest = std::max(longest, dims.n);
        GemvData<Real> data(dims, slice.rows);
        data.fill(dims, slice, 0, 1);
        for (std::int64_t i = 0; i < slice.rows; ++i) {
            long double sum = 0;
            const Real *row = data.a.data() + i * dims.n;
            for (std::int64_t j = 0; j < dims.n; ++j) sum += static_cast<long double>(row[j]) * data.x.data()[j];
            const auto expected = static_cast<double>(sum);
            const double error = std::abs(values[static_cast<std::size_t>(i)] - expected);
            largest_error =
                std::isfinite(error) ? std::max(largest_error, error) : std::numeric_limits<double>::infinity();
            largest = std::max(largest, std::abs(expected));
        }
    }
    // Each of the n products and sums rounds once.
    const double tolerance =
        8 * static_cast<double>(std::numeric_limits<Real>::epsilon()) * (static_cast<double>(longest) + 1);
    return {largest_error == 0 ? 0 : largest_error / largest, tolerance};
}

template struct GemvDims<float>;
template struct GemvDims<double>;
template struct GemvData<float>;
template struct GemvData<double>;
template Check check_gemv(const GemvDims<float> &dims, std::span<const SliceResult> slices);
template Check check_gemv(const GemvDims<double> &dims, std::span<const SliceResult> slices);

} // namespace hpart
