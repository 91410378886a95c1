#include "kernels/zfft.hpp"

#include "core/checked.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/pseudo_random.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

std::string ZfftDims::description() const
{
    const std::array dimensions = {Dimension{"n", n}};
    return describe_kernel("zfft", dimensions);
}

ZfftData::ZfftData(const ZfftDims &dims, std::int64_t rows)
    : in(rows, saturating_mul(2, dims.n)), out(rows, saturating_mul(2, dims.n))
{
}

void ZfftData::fill(const ZfftDims &dims, const Slice &slice, std::size_t part, std::size_t parts)
{
    const auto rows = part_of(slice.rows, part, parts);
    const auto columns = 2 * dims.n;
    fill_rows(RandomArray::fft_signal, in.data() + rows.first * columns, slice.first + rows.first, rows.rows, columns);
    std::fill_n(out.data() + rows.first * columns, rows.rows * columns, 0.0);
}

} // namespace hpart
