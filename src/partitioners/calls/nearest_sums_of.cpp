// Lists or bit sets of all sums (search/nearest_sums.cpp) where these are short. Else one multiple of the common divisor after another, from
// the size outwards, is tested exactly: of many processors the first one most often is a sum.
#include "partitioners/calls/constrained_call.hpp"

#include "core/checked.hpp"
#include "core/doubles.hpp"
#include "partitioners/exact/sum_within_time.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

constexpr auto any_size = std::numeric_limits<std::int64_t>::max();
constexpr int most_tests = 64; // a side

// Sizes are counted from each processor's smallest, which is above 0 without the idle points.
NearestSums nearest_above_smallest(Choices choices, std::int64_t size, Control &control)
{
    const NearestSums none{{.is_none = true}, {.is_none = true}};
    std::int64_t smallest = 0;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        if (choices.sizes_of_function(f).empty()) return none;
        const auto first = choices.sizes_of_function(f).front();
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) choices.sizes[k] -= first;
        smallest = saturating_add(smallest, saturating_mul(copies[f], first));
    }
    if (smallest == any_size) return none;
    // Below the smallest of all, that one is the nearest.
    auto nearest = nearest_sums(choices, std::max<std::int64_t>(size - smallest, -1), control);
    for (auto *side : {&nearest.below, &nearest.above}) {
        if (!side->sum) continue;
        side->sum = saturating_add(*side->sum, smallest);
        if (*side->sum == any_size) *side = {.is_none = true};
    }
    return nearest;
}

// All sums are smallest + k x unit, up to largest.
struct SumGrid {
    std::int64_t smallest = 0;
    std::int64_t unit = 0;
    std::int64_t largest = 0;
};

SumGrid grid_of(const Prepared &points)
{
    SumGrid grid;
    const auto &instance = points.instance();
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto sizes = instance.of_function[f].sizes;
        grid.unit = common_divisor(grid.unit, sizes, sizes.front());
        const auto copies = static_cast<std::int64_t>(points.groups().copies(f));
        grid.smallest = saturating_add(grid.smallest, saturating_mul(copies, sizes.front()));
    }
    grid.largest = std::min(points.records().largest_sum, any_size - 1); // the C interface takes no larger size
    return grid;
}

// The first sum on the way from `from` by steps of `step`.
SumBeside test_from(std::int64_t from, std::int64_t step, const SumGrid &grid, const Prepared &points, Control &control)
{
    for (int test = 0; test < most_tests; ++test) {
        if (from < grid.smallest || from > grid.largest) return {.is_none = true};
        const SumWithinTime sums(points, from, control);
        if (sums.test(TimeLevels(points, from).at(infinity))) return {from};
        from = saturating_add(from, step);
    }
    return {};
}

void test_outwards(NearestSums &nearest, std::int64_t size, const Prepared &points, Control &control)
{
    const auto grid = grid_of(points);
    if (grid.unit == 0) return; // one sum
    auto above = grid.smallest;
    if (size >= grid.smallest) {
        const auto steps = (std::min(size, grid.largest) - grid.smallest) / grid.unit;
        const auto last = grid.smallest + steps * grid.unit; // <= size
        above = saturating_add(last, grid.unit);
        const auto below = last < size ? last : last - grid.unit;
        if (!nearest.below.is_known()) nearest.below = test_from(below, -grid.unit, grid, points, control);
    } else {
        nearest.below.is_none = true;
    }
    if (!nearest.above.is_known()) nearest.above = test_from(above, grid.unit, grid, points, control);
}

} // namespace

NearestSums nearest_sums_of(const Prepared &points, std::int64_t size, Control &control)
{
    const auto largest = points.records().largest_sum;
    if (points.records().fastest < infinity && largest < size) return {{largest}, {.is_none = true}};
    auto nearest = nearest_above_smallest(choices_within(points.instance(), any_size, infinity), size, control);
    within_limits([&] {
        if (points.records().fastest < infinity) test_outwards(nearest, size, points, control);
        return true;
    });
    return nearest;
}

} // namespace hpart
