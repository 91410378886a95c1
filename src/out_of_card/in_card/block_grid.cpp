#include "out_of_card/in_card/block_grid.hpp"

#include "core/numbers.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr std::int64_t blocks_a_unit = 4;

// The largest side of blocks that makes at least so many parts of a length; a tile's where none does.
std::int64_t side_for(std::int64_t length, std::int64_t parts, std::int64_t multiple, std::int64_t most)
{
    const auto side = parts <= 1 ? round_up(length, multiple) : round_down((length - 1) / (parts - 1), multiple);
    return std::clamp(side, multiple, std::max(multiple, round_down(most, multiple)));
}

} // namespace

double BlockGrid::cost(std::int64_t units) const
{
    constexpr double packing = 12; // of an element of A or B, once a block; measured
    const auto each =
        static_cast<double>(rows) * static_cast<double>(columns) + packing * static_cast<double>(rows + columns);
    return static_cast<double>(ceil_div(blocks(), units)) * each;
}

BlockGrid block_grid(const BlockLimits &limits, std::int64_t m, std::int64_t n, std::int64_t units)
{
    const auto evened = [](std::int64_t length, std::int64_t side, std::int64_t multiple) {
        return round_up(ceil_div(length, ceil_div(length, side)), multiple);
    };
    const auto grid_of = [&](std::int64_t rows, std::int64_t columns) {
        rows = evened(m, rows, limits.row_multiple);
        columns = evened(n, columns, limits.column_multiple);
        return BlockGrid{rows, columns, ceil_div(m, rows), ceil_div(n, columns)};
    };
    const auto rows_for = [&](std::int64_t parts) { return side_for(m, parts, limits.row_multiple, limits.most_rows); };
    const auto columns_for = [&](std::int64_t parts) {
        return side_for(n, parts, limits.column_multiple, limits.most_columns);
    };
    const auto wanted = units * blocks_a_unit;
    const auto is_better = [&](const BlockGrid &grid, const BlockGrid &than) {
        const bool enough = grid.blocks() >= wanted, was_enough = than.blocks() >= wanted;
        if (enough != was_enough) return enough;
        return enough ? grid.cost(units) < than.cost(units) : grid.blocks() > than.blocks();
    };
    auto best = grid_of(rows_for(1), columns_for(1));
    if (units == 1) return best;
    // A few columns fewer than would do may even out what units have to do.
    constexpr std::int64_t fewer = 8;
    for (auto rows = rows_for(1); rows > 0; rows -= limits.row_multiple) {
        auto columns = columns_for(ceil_div(wanted, ceil_div(m, rows)));
        for (std::int64_t i = 0; i <= fewer && columns > 0; ++i, columns -= limits.column_multiple)
            if (const auto grid = grid_of(rows, columns); is_better(grid, best)) best = grid;
    }
    return best;
}

} // namespace hpart
