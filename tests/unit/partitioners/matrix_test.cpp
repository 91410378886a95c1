// Column-based partitions of matrices: the arrangement against all arrangements, and that rectangles tile.
#include "core/error.hpp"
#include "instances.hpp"
#include "partitioners/matrix/column_based.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace
{

using hpart::MatrixRectangle;

// Areas as integers, and the least of (sum over columns of N W + k M A) / W over all set partitions, by trying each.
struct AllArrangements {
    const std::vector<std::int64_t> &areas;
    std::int64_t rows, columns;
    std::vector<std::int64_t> sums{}, counts{};
    std::int64_t whole = std::accumulate(areas.begin(), areas.end(), std::int64_t{0});
    std::int64_t best = std::numeric_limits<std::int64_t>::max();

    void place(std::size_t i)
    {
        if (i == areas.size()) {
            std::int64_t cost = 0;
            for (std::size_t c = 0; c < sums.size(); ++c) cost += rows * whole + counts[c] * columns * sums[c];
            best = std::min(best, cost);
            return;
        }
        for (std::size_t c = 0; c <= sums.size(); ++c) {
            const bool is_new = c == sums.size();
            if (is_new && static_cast<std::int64_t>(sums.size()) == columns) continue;
            if (!is_new && counts[c] == rows) continue;
            if (is_new) {
                sums.push_back(0);
                counts.push_back(0);
            }
            sums[c] += areas[i];
            ++counts[c];
            place(i + 1);
            sums[c] -= areas[i];
            --counts[c];
            if (!is_new) continue;
            sums.pop_back();
            counts.pop_back();
            break;
        }
    }
};

void expect_least(const std::vector<std::int64_t> &areas, std::int64_t rows, std::int64_t columns)
{
    AllArrangements all{areas, rows, columns};
    all.place(0);
    const std::vector<double> reals(areas.begin(), areas.end());
    const auto found = hpart::arrange_in_columns(reals, rows, columns);
    const auto expected = static_cast<double>(all.best) / static_cast<double>(all.whole);
    ASSERT_EQ(found.half_perimeters, expected) << rows << " x " << columns;
    // The true cost of the columns found.
    std::int64_t cost = 0;
    std::vector<int> placed(areas.size());
    for (const auto &column : found.columns) {
        std::int64_t sum = 0;
        for (const auto i : column) {
            sum += areas[i];
            ++placed[i];
        }
        cost += rows * all.whole + static_cast<std::int64_t>(column.size()) * columns * sum;
        ASSERT_LE(static_cast<std::int64_t>(column.size()), rows);
    }
    ASSERT_EQ(cost, all.best);
    ASSERT_LE(static_cast<std::int64_t>(found.columns.size()), columns);
    ASSERT_EQ(placed, std::vector<int>(areas.size(), 1));
}

TEST(ColumnArrangement, IsTheLeastOfAll)
{
    instances::for_each_instance(8, 0.5, [&](auto &random, auto k) {
        const auto p = instances::between(random, 1, k % 20 == 0 ? 8 : 6);
        const auto largest = instances::between(random, 1, 1000);
        std::vector<std::int64_t> areas;
        for (std::int64_t i = 0; i < p; ++i) areas.push_back(instances::between(random, 1, largest));
        // Small matrices, where the limits bind, as often as large ones.
        const auto side = k % 2 == 0 ? 4 : 2000;
        auto rows = instances::between(random, 1, side);
        const auto columns = instances::between(random, 1, side);
        rows = std::max(rows, (p + columns - 1) / columns);
        expect_least(areas, rows, columns);
    });
}

TEST(ColumnArrangement, OfTheUnitSquare)
{
    // Four equal areas make a 2 x 2 grid: half-perimeters 1 each, which is the lower bound 2 sqrt(1/4) each.
    const auto grid = hpart::arrange_in_columns(std::vector<double>{1, 1, 1, 1}, 100, 100);
    EXPECT_EQ(grid.half_perimeters, 400);
    EXPECT_EQ(grid.columns.size(), 2U);
    // One processor with nearly all stands alone, the small ones share a column.
    const auto uneven = hpart::arrange_in_columns(std::vector<double>{1, 97, 1, 1}, 100, 100);
    EXPECT_EQ(uneven.columns, (std::vector<std::vector<std::size_t>>{{1}, {0, 2, 3}}));
    EXPECT_DOUBLE_EQ(uneven.half_perimeters, 200 + 97 + 3 * 3);
}

TEST(ColumnArrangement, OfAbsurdlyManyIsRefusedAtOnce)
{
    const auto status_of = [](std::size_t processors, std::int64_t rows, std::int64_t columns) {
        try {
            hpart::partition_matrix(std::vector<double>(processors, 1), rows, columns);
        } catch (const hpart::Error &error) {
            return error.status();
        }
        return hpart::Status::success;
    };
    constexpr std::int64_t large = 1 << 30;
    EXPECT_EQ(status_of(300'000, large, large), hpart::Status::limit); // time
    EXPECT_EQ(status_of(20'000, 100, 2'000), hpart::Status::success);  // short columns
    EXPECT_EQ(status_of(5'000, large, large), hpart::Status::success);
}

// No overlap and nothing left free: areas sum to the whole and no two rectangles share an element.
void expect_tiling(const std::vector<MatrixRectangle> &rectangles, std::int64_t rows, std::int64_t columns)
{
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < rectangles.size(); ++i) {
        const auto &a = rectangles[i];
        ASSERT_GE(a.first_row, 0);
        ASSERT_GE(a.first_column, 0);
        ASSERT_LE(a.first_row + a.height, rows);
        ASSERT_LE(a.first_column + a.width, columns);
        covered += a.height * a.width;
        for (std::size_t j = 0; j < i; ++j) {
            const auto &b = rectangles[j];
            const bool apart = a.first_row + a.height <= b.first_row || b.first_row + b.height <= a.first_row ||
                               a.first_column + a.width <= b.first_column || b.first_column + b.width <= a.first_column;
            ASSERT_TRUE(apart) << i << " and " << j;
        }
    }
    ASSERT_EQ(covered, rows * columns);
}

double any_area(instances::Random &random, std::int64_t kind)
{
    switch (kind) {
    case 0: return static_cast<double>(instances::between(random, 0, 3));
    case 1: return std::uniform_real_distribution<>(0, 1)(random);
    default: return std::pow(10, std::uniform_real_distribution<>(-12, 12)(random));
    }
}

TEST(MatrixPartition, RandomOnesTile)
{
    instances::for_each_instance(9, 0.5, [&](auto &random, auto k) {
        const auto p = instances::between(random, 1, k % 50 == 0 ? 60 : 12);
        const auto kind = instances::between(random, 0, 2);
        std::vector<double> areas;
        for (std::int64_t i = 0; i < p; ++i) areas.push_back(any_area(random, kind));
        areas[0] += 1;
        const auto side = k % 3 == 0 ? 8 : k % 3 == 1 ? 200 : 1'000'000;
        auto rows = instances::between(random, 1, side);
        const auto columns = instances::between(random, 1, side);
        rows = std::max(rows, (p + columns - 1) / columns);
        const auto found = hpart::partition_matrix(areas, rows, columns);
        expect_tiling(found.rectangles, rows, columns);
        for (std::size_t i = 0; i < areas.size(); ++i) {
            const auto &rectangle = found.rectangles[i];
            ASSERT_EQ(rectangle.height > 0 && rectangle.width > 0, areas[i] > 0);
            ASSERT_EQ(rectangle.height == 0 && rectangle.width == 0, areas[i] == 0);
        }
        // Real areas: no tiling is below the bound, but for rounding.
        ASSERT_GE(found.arrangement.half_perimeters, found.lower_bound * (1 - 1e-12));
    });
}

// The published guarantee of the arrangement on a square: at most 7/4 of the lower bound.
TEST(MatrixPartition, IsNearTheLowerBoundOnSquares)
{
    instances::Random random(10);
    double worst = 1;
    for (int k = 0; k < 2000; ++k) {
        std::vector<double> areas;
        const auto p = instances::between(random, 1, 40);
        for (std::int64_t i = 0; i < p; ++i) areas.push_back(any_area(random, k % 3 == 0 ? 2 : 1) + 1e-9);
        const auto found = hpart::partition_matrix(areas, 1 << 20, 1 << 20);
        worst = std::max(worst, found.arrangement.half_perimeters / found.lower_bound);
    }
    EXPECT_LE(worst, 1.75);
    EXPECT_GT(worst, 1.0);
}

TEST(MatrixPartition, RoundsToTheNearestElements)
{
    // Shares 1/2, 1/3, 1/6 of 100 x 100: a column of 50 for the first, one of 50 with heights 67 and 33.
    const auto found = hpart::partition_matrix(std::vector<double>{3, 2, 1}, 100, 100);
    EXPECT_EQ(found.rectangles[0].width * found.rectangles[0].height, 5000);
    EXPECT_EQ(found.rectangles[1].height, 67);
    EXPECT_EQ(found.rectangles[2].height, 33);
    EXPECT_NEAR(found.largest_area_error, 50 / 3.0, 1e-9);
    EXPECT_EQ(found.half_perimeters, 150 + 2 * 50 + 100);
}

// The sum of squares of what the integers differ from the exact parts.
double squares(const std::vector<std::int64_t> &parts, const std::vector<double> &weights, std::int64_t whole)
{
    const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    double out = 0;
    for (std::size_t k = 0; k < parts.size(); ++k)
        out += std::pow(static_cast<double>(parts[k]) - weights[k] / sum * static_cast<double>(whole), 2);
    return out;
}

// Every way to share `rest` among the parts from k on, at least 1 each.
double least_squares(std::vector<std::int64_t> &parts, std::size_t k, std::int64_t rest,
                     const std::vector<double> &weights, std::int64_t whole)
{
    if (k + 1 == weights.size()) {
        parts[k] = rest;
        return squares(parts, weights, whole);
    }
    auto best = std::numeric_limits<double>::infinity();
    const auto others = static_cast<std::int64_t>(weights.size() - k - 1);
    for (parts[k] = 1; parts[k] + others <= rest; ++parts[k])
        best = std::min(best, least_squares(parts, k + 1, rest - parts[k], weights, whole));
    return best;
}

TEST(MatrixPartition, SharesOfIntegersHaveTheLeastSquares)
{
    instances::Random random(11);
    for (int k = 0; k < 3000; ++k) {
        std::vector<double> weights;
        const auto p = instances::between(random, 1, 4);
        for (std::int64_t i = 0; i < p; ++i) weights.push_back(any_area(random, k % 2 == 0 ? 1 : 2) + 1e-13);
        const auto whole = instances::between(random, p, 14);
        const auto parts = hpart::share_integers(weights, whole);
        ASSERT_EQ(std::accumulate(parts.begin(), parts.end(), std::int64_t{0}), whole);
        ASSERT_GE(*std::min_element(parts.begin(), parts.end()), 1);
        std::vector<std::int64_t> tried(weights.size());
        ASSERT_LE(squares(parts, weights, whole), least_squares(tried, 0, whole, weights, whole) + 1e-9);
    }
}

TEST(MatrixPartition, RefusesWhatCannotBe)
{
    const auto refused = [](const std::vector<double> &areas, std::int64_t rows, std::int64_t columns, const char *word,
                            hpart::Status status = hpart::Status::invalid_argument) {
        support::expect_error(status, {word}, [&] { hpart::partition_matrix(areas, rows, columns); });
    };
    refused({}, 2, 2, "at least one");
    refused({0, 0}, 2, 2, "at least one");
    refused({1, -1}, 2, 2, "areas[1] is -1");
    refused({std::nan("")}, 2, 2, "areas[0] is nan");
    refused({1}, 0, 2, "rows is 0");
    refused({1}, 2, (std::int64_t{1} << 53) + 1, "columns is 9007199254740993");
    refused({1, 1, 0, 1}, 1, 2, "3 positive areas", hpart::Status::infeasible);
}

TEST(MatrixPartition, WildAreasAndSides)
{
    const auto tiny = std::numeric_limits<double>::denorm_min();
    const auto huge = std::numeric_limits<double>::max();
    const auto wild = hpart::partition_matrix(std::vector<double>{tiny, huge, huge, tiny}, 10, 10);
    expect_tiling(wild.rectangles, 10, 10);
    EXPECT_GE(wild.rectangles[0].height * wild.rectangles[0].width, 1);
    const auto side = std::int64_t{1} << 53;
    const auto large = hpart::partition_matrix(std::vector<double>{1, 1, 1}, side, 1).rectangles;
    EXPECT_EQ(large[0].height + large[1].height + large[2].height, side);
    // As many areas as elements: one each.
    const auto full = hpart::partition_matrix(std::vector<double>{9, 1, 5, 1e-9, 2, 7}, 2, 3);
    expect_tiling(full.rectangles, 2, 3);
}

} // namespace
