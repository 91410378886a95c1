#include "out_of_card/factorisations/diagonal_blocks.hpp"

namespace hpart
{

namespace
{

// A solution by the inverse has an error of the block's condition times that of a product; substitution's is mostly far
// below this. Blocks of factors by LU with pivots have conditions of some tens of their width.
constexpr double largest_condition_per_row = 32;

// The largest sum of magnitudes of a row.
template <typename Value> double norm_of_rows(const Part<Value> &a, const typename DiagonalBlocks<Value>::Shape &shape)
{
    double largest = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
        double sum = shape.unit_diagonal ? 1 : static_cast<double>(std::abs(a.at(i, i)));
        const bool lower = shape.triangle == Triangle::lower;
        for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : a.columns); ++j)
            sum += static_cast<double>(std::abs(a.at(i, j)));
        if (!(sum <= largest)) largest = sum; // also when it is no number
    }
    return largest;
}

} // namespace

template <typename Value> void DiagonalBlocks<Value>::invert(std::int64_t k, const Part<Value> &a, const Shape &shape)
{
    auto &block = blocks_[static_cast<std::size_t>(k)];
    const auto inverse = block.inverse.part().block(0, 0, a.rows, a.columns);
    block.a = a;
    block.shape = shape;
    fill(inverse, Value(0));
    for (std::int64_t i = 0; i < a.rows; ++i) inverse.at(i, i) = 1;
    on_host::solve_triangle({.triangle = shape.triangle, .unit_diagonal = shape.unit_diagonal}, a, inverse);
    const auto condition = norm_of_rows(a, shape) * norm_of_rows(inverse, {.triangle = shape.triangle});
    block.is_accurate = condition <= largest_condition_per_row * static_cast<double>(a.rows);
}

template <typename Value> HostMatrix DiagonalBlocks<Value>::inverse(std::int64_t k) const
{
    const auto &block = blocks_[static_cast<std::size_t>(k)];
    const auto &part = block.inverse.part();
    return {ScalarOf<Value>::type, part.row_major, block.a.rows, block.a.columns, part.data, part.ld};
}

template <typename Value>
void DiagonalBlocks<Value>::solve(DeviceWork &work, std::int64_t k, const DeviceFactor &inverse,
                                  const DeviceBlock &right, const DeviceBlock &solved, const HostMatrix &to) const
{
    const auto &block = blocks_[static_cast<std::size_t>(k)];
    if (block.is_accurate) {
        work.multiply(1, inverse, {right}, 0, solved);
        work.fetch(solved, to);
        return;
    }
    work.fetch(right, to);
    work.wait_for(to);
    on_host::solve_triangle(
        {.triangle = block.shape.triangle, .transpose = inverse.transpose, .unit_diagonal = block.shape.unit_diagonal},
        block.a, part_of<Value>(to));
    work.send(solved, to);
}

#define HPART_BLOCKS(Value) template class DiagonalBlocks<Value>;
HPART_FOR_ALL_TYPES(HPART_BLOCKS)
#undef HPART_BLOCKS

} // namespace hpart
