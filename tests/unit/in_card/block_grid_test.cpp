#include "out_of_card/in_card/spans.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

namespace in_card_test
{

using namespace hpart;
using support::between;

namespace
{

std::int64_t parts(std::int64_t length, std::int64_t block) { return (length + block - 1) / block; }

// The least cost of all grids of enough blocks, or of the most where there are fewer.
double least_cost(const BlockLimits &limits, std::int64_t m, std::int64_t n, std::int64_t units)
{
    std::int64_t most = 0;
    double least = std::numeric_limits<double>::infinity();
    for (auto rows = limits.row_multiple; rows <= limits.most_rows; rows += limits.row_multiple)
        for (auto columns = limits.column_multiple; columns <= limits.most_columns; columns += limits.column_multiple) {
            const BlockGrid grid{rows, columns, parts(m, rows), parts(n, columns)};
            const auto blocks = std::min(grid.blocks(), 4 * units);
            if (blocks > most) least = std::numeric_limits<double>::infinity();
            if (blocks >= most) least = std::min(least, grid.cost(units));
            most = std::max(most, blocks);
        }
    return least;
}

TEST(BlockGrid, CoversTheMatrixAndCostsLittleMoreThanTheBest)
{
    auto random = support::seeded(5);
    for (std::int64_t i = 0, count = support::how_many(2); i < count; ++i) {
        const BlockLimits limits{between(random, 1, 8), 8 * between(random, 1, 3), 64 * between(random, 1, 4),
                                 240 * between(random, 1, 4)};
        const std::int64_t m = between(random, 1, i % 2 == 0 ? 40 : 3000),
                           n = between(random, 1, i % 3 == 0 ? 40 : 3000),
                           units = between(random, 2, i % 5 == 0 ? 64 : 4);
        const auto grid = block_grid(limits, m, n, units);
        const auto what = testing::Message() << m << " x " << n << ", " << units << " units, tiles of "
                                             << limits.row_multiple << " x " << limits.column_multiple;
        ASSERT_EQ(grid.rows % limits.row_multiple, 0) << what;
        ASSERT_EQ(grid.columns % limits.column_multiple, 0) << what;
        ASSERT_LE(grid.rows, parts(limits.most_rows, limits.row_multiple) * limits.row_multiple) << what;
        ASSERT_LE(grid.columns, limits.most_columns) << what;
        ASSERT_EQ(grid.row_parts, parts(m, grid.rows)) << what;
        ASSERT_EQ(grid.column_parts, parts(n, grid.columns)) << what;
        ASSERT_LE(grid.cost(units), 1.2 * least_cost(limits, m, n, units)) << what;
    }
}

TEST(BlockGrid, LeavesNoUnitWithoutWork)
{
    const BlockLimits limits{8, 24, 256, 1008};
    for (const auto &[m, n] : {std::pair{752, 1512}, {712, 1414}, {512, 528}, {418, 836}, {256, 264}}) {
        const auto grid = block_grid(limits, m, n, 2);
        EXPECT_EQ(grid.blocks() % 2, 0) << m << " x " << n;
        EXPECT_GE(grid.blocks(), 8) << m << " x " << n;
    }
    EXPECT_EQ(block_grid(limits, 1000, 1000, 1).blocks(), 4); // one unit: as large as caches take
}

} // namespace

} // namespace in_card_test
