#include "kernels/dgemm.hpp"

#include "kernels/pseudo_random.hpp"

#include <algorithm>
#include <array>

namespace hpart
{

template <typename Real> std::string GemmDims<Real>::description() const
{
    const std::array dimensions = {Dimension{"n", n}, Dimension{"k", k}};
    return describe_kernel(sizeof(Real) == sizeof(double) ? "dgemm" : "sgemm", dimensions);
}

template <typename Real>
GemmData<Real>::GemmData(const GemmDims<Real> &dims, std::int64_t rows)
    : a(rows, dims.k), b(dims.k, dims.n), c(rows, dims.n)
{
}

template <typename Real>
void GemmData<Real>::fill(const GemmDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts)
{
    const auto rows = part_of(slice.rows, part, parts);
    fill_rows(RandomArray::gemm_a, a.data() + rows.first * dims.k, slice.first + rows.first, rows.rows, dims.k);
    std::fill_n(c.data() + rows.first * dims.n, rows.rows * dims.n, Real{0});
    const auto rows_of_b = part_of(dims.k, part, parts);
    fill_rows(RandomArray::gemm_b, b.data() + rows_of_b.first * dims.n, rows_of_b.first, rows_of_b.rows, dims.n);
}

template struct GemmDims<float>;
template struct GemmDims<double>;
template struct GemmData<float>;
template struct GemmData<double>;

} // namespace hpart
