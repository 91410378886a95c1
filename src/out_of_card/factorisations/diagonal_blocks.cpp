#include "out_of_card/factorisations/diagonal_blocks.hpp"

namespace hpart
{

namespace
{

// A solution by the inverse has the error of a product times the block's condition; substitution's error is mostly far smaller.
// Blocks of factors by LU with pivots have conditions of some tens of their width.
constexpr double largest_condition_per_row = 32;

} // namespace

void DiagonalBlocks::invert(std::int64_t k, const HostMatrix &a, const Shape &shape)
{
    auto &block = blocks_[static_cast<std::size_t>(k)];
    const auto inverse = block.inverse.matrix().block(0, 0, a.rows, a.columns);
    block.a = a;
    block.shape = shape;
    on_host::make_identity(inverse, 0, a.columns);
    on_host::solve_triangle({.triangle = shape.triangle, .unit_diagonal = shape.unit_diagonal}, a, inverse);
    const auto condition = on_host::norm_of_rows(shape.triangle, shape.unit_diagonal, a) *
                           on_host::norm_of_rows(shape.triangle, false, inverse);
    block.is_accurate = condition <= largest_condition_per_row * static_cast<double>(a.rows);
}

HostMatrix DiagonalBlocks::inverse(std::int64_t k) const
{
    const auto &block = blocks_[static_cast<std::size_t>(k)];
    return block.inverse.matrix().block(0, 0, block.a.rows, block.a.columns);
}

void DiagonalBlocks::solve(DeviceWork &work, std::int64_t k, const DeviceFactor &inverse, const DeviceBlock &right,
                           const DeviceBlock &solved, const HostMatrix &to) const
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
        block.a, to);
    work.send(solved, to);
}

} // namespace hpart
