// The cuts of C into blocks that the units of a processor take one by one.
#pragma once

#include <cstdint>

namespace hpart
{

struct BlockLimits {
    std::int64_t row_multiple = 1, column_multiple = 1; // blocks are of whole tiles
    std::int64_t most_rows = 1, most_columns = 1;       // of a block
};

struct BlockGrid {
    std::int64_t rows = 0, columns = 0; // of a block; the last ones may have fewer
    std::int64_t row_parts = 0, column_parts = 0;

    std::int64_t blocks() const { return row_parts * column_parts; }
    // Work of the unit that ends last, in units of a product's two operations.
    double cost(std::int64_t units) const;
};

// Cuts an m x n matrix, neither empty, for so many units: into few and large blocks, but enough that a unit which comes late, as it
// copies, leaves its share to the others, and as many as all units end together with: nine blocks take two units as long
// as ten.
BlockGrid block_grid(const BlockLimits &limits, std::int64_t m, std::int64_t n, std::int64_t units);

} // namespace hpart
