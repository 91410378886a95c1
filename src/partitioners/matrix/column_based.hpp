// A matrix cut into rectangles, one per processor, in columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

// The areas of each column, in the order of the columns.
struct ColumnArrangement {
    std::vector<std::vector<std::size_t>> columns; // indices of positive areas
    double half_perimeters = 0;                    // their sum when the rectangles have the exact, real areas
};

// The arrangement in columns of least half_perimeters for a matrix of rows x columns elements, in which every rectangle can
// have an element at least: no column of more than `rows` rectangles, no more than `columns` of them.
ColumnArrangement arrange_in_columns(std::span<const double> areas, std::int64_t rows, std::int64_t columns);

struct MatrixRectangle {
    std::int64_t first_row = 0, first_column = 0;
    std::int64_t height = 0, width = 0; // 0, 0 for an area of 0
};

// Integers that sum to the whole, each at least 1, with the least sum of squared differences from the whole shared in proportion
// to the weights, which are positive. whole >= number of weights.
std::vector<std::int64_t> share_integers(std::span<const double> weights, std::int64_t whole);

struct MatrixPartition {
    std::vector<MatrixRectangle> rectangles; // one per processor; they tile the matrix
    ColumnArrangement arrangement;
    double half_perimeters = 0;    // of the rectangles
    double lower_bound = 0;        // of any tiling with the exact, real areas
    double largest_area_error = 0; // the largest |area - exact area|, in elements
};

// Areas are relative. Status::infeasible when there are more positive areas than elements.
MatrixPartition partition_matrix(std::span<const double> areas, std::int64_t rows, std::int64_t columns);

} // namespace hpart
