#include "kernels/dgemm.hpp"

#include "kernels/dimensions.hpp"
#include "kernels/pseudo_random.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

std::string DgemmDims::description() const
{
    const std::array dimensions = {Dimension{"n", n}, Dimension{"k", k}};
    return describe_kernel("dgemm", dimensions);
}

DgemmData::DgemmData(const DgemmDims &dims, std::int64_t rows) : a(rows, dims.k), b(dims.k, dims.n), c(rows, dims.n) {}

void DgemmData::fill(const DgemmDims &dims, const Slice &slice, std::size_t part, std::size_t parts)
{
    const auto rows = part_of(slice.rows, part, parts);
    fill_rows(RandomArray::gemm_a, a.data() + rows.first * dims.k, slice.first + rows.first, rows.rows, dims.k);
    std::fill_n(c.data() + rows.first * dims.n, rows.rows * dims.n, 0.0);
    const auto rows_of_b = part_of(dims.k, part, parts);
    fill_rows(RandomArray::gemm_b, b.data() + rows_of_b.first * dims.n, rows_of_b.first, rows_of_b.rows, dims.n);
}

} // namespace hpart
