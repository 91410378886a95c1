#include "kernels/zfft.hpp"

#include "core/checked.hpp"
#include "kernels/pseudo_random.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

template <typename Real> std::string FftDims<Real>::description() const
{
    const std::array dimensions = {Dimension{"n", n}};
    return describe_kernel(sizeof(Real) == sizeof(double) ? "zfft" : "cfft", dimensions);
}

template <typename Real>
FftData<Real>::FftData(const FftDims<Real> &dims, std::int64_t rows)
    : in(rows, saturating_mul(2, dims.n)), out(rows, saturating_mul(2, dims.n))
{
}

template <typename Real>
void FftData<Real>::fill(const FftDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts)
{
    const auto rows = part_of(slice.rows, part, parts);
    const auto columns = 2 * dims.n;
    fill_rows(RandomArray::fft_signal, in.data() + rows.first * columns, slice.first + rows.first, rows.rows, columns);
    std::fill_n(out.data() + rows.first * columns, rows.rows * columns, Real{0});
}

template struct FftDims<float>;
template struct FftDims<double>;
template struct FftData<float>;
template struct FftData<double>;

} // namespace hpart
