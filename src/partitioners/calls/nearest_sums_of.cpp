// All sums are the smallest one and a multiple of a common divisor. Those beside the size are most often sums, one processor off its largest
// size within a time. Else lists or bit sets of all sums (search/nearest_sums.cpp) where these are short, or exact tests of one multiple after
// another, from the size outwards.
#include "partitioners/calls/constrained_call.hpp"

#include "core/numbers.hpp"
#include "partitioners/exact/sum_within_time.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

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
        const auto &function = instance.of_function[f];
        const auto sizes = function.sizes;
        grid.unit = function.may_idle() ? std::gcd(grid.unit, points.units()[f])
                                        : common_divisor(grid.unit, sizes, sizes.front());
        const auto copies = static_cast<std::int64_t>(points.groups().copies(f));
        grid.smallest = saturating_add(grid.smallest, saturating_mul(copies, sizes.front()));
    }
    grid.largest = std::min(points.records().largest_sum, any_size - 1); // the C interface takes no larger size
    return grid;
}

// Tests sums on the way outwards from a size.
class OutwardTests
{
  public:
    OutwardTests(std::int64_t size, const Prepared &points, Control &control)
        : grid_(grid_of(points)), points_(points), control_(control), above_(grid_.smallest)
    {
        if (grid_.unit == 0 || size < grid_.smallest) return;
        const auto steps = (std::min(size, grid_.largest) - grid_.smallest) / grid_.unit;
        const auto last = grid_.smallest + steps * grid_.unit; // <= size
        above_ = saturating_add(last, grid_.unit);
        below_ = last < size ? last : last - grid_.unit;
    }

    // The two beside the size, where they are found soon.
    NearestSums quick() const
    {
        NearestSums nearest;
        if (grid_.unit == 0) return nearest; // one sum
        const auto look = [&](SumBeside &side, std::int64_t sum) {
            if (is_out(sum))
                side.is_none = true;
            else if (is_sum_quickly(sum))
                side.sum = sum;
        };
        look(nearest.below, below_);
        look(nearest.above, above_);
        return nearest;
    }

    void run(NearestSums &nearest) const
    {
        if (grid_.unit == 0) return;
        if (!nearest.below.is_known()) nearest.below = test_from(below_, -grid_.unit);
        if (!nearest.above.is_known()) nearest.above = test_from(above_, grid_.unit);
    }

  private:
    bool is_out(std::int64_t sum) const { return sum < grid_.smallest || sum > grid_.largest; }

    bool is_sum_quickly(std::int64_t sum) const
    {
        const auto level = TimeLevels(points_, sum).least();
        return level && level->sum < any_size && SumWithinTime(points_, sum, control_).repair_by_one(*level);
    }

    // The first sum on the way from `from` by steps of `step`.
    SumBeside test_from(std::int64_t from, std::int64_t step) const
    {
        for (int test = 0; test < most_tests; ++test) {
            if (is_out(from)) return {.is_none = true};
            const SumWithinTime sums(points_, from, control_);
            if (sums.test(TimeLevels(points_, from).at(infinity))) return {from};
            from = saturating_add(from, step);
        }
        return {};
    }

    SumGrid grid_;
    const Prepared &points_;
    Control &control_;
    std::int64_t below_ = -1;
    std::int64_t above_;
};

} // namespace

NearestSums nearest_sums_of(const Prepared &points, std::int64_t size, Control &control)
{
    const auto largest = points.records().largest_sum;
    const bool has_sums = points.records().fastest < infinity;
    if (has_sums && largest < size) return {{largest}, {.is_none = true}};
    std::optional<OutwardTests> tests;
    if (has_sums) tests.emplace(size, points, control);
    if (tests)
        if (auto quick = tests->quick(); quick.below.is_known() && quick.above.is_known()) return quick;
    auto nearest = nearest_above_smallest(choices_within(points.instance(), any_size, infinity), size, control);
    within_limits([&] {
        if (tests) tests->run(nearest);
        return true;
    });
    return nearest;
}

} // namespace hpart
