// The sums nearest to a target that cannot be met, for the message.
//
// If all classes offer 0, idling one class after another steps a sum down by at most the largest size. The nearest sum above the target
// is then within one largest size of it. The sums up to there are collected, unless they are too many for lists and for bits.
#include "partitioners/search/subset_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/limits.hpp"
#include "partitioners/search/sum_set.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

constexpr double most_word_operations = 2e8; // well under a second
constexpr double most_combinations = 1 << 20;
constexpr auto largest_asked = std::numeric_limits<std::int64_t>::max() - 1; // the C interface takes no larger size

struct Extent {
    std::int64_t unit = 0;    // common divisor of all sizes
    std::int64_t largest = 0; // size
    std::int64_t sum = 0;     // of the largest sizes
    double options = 0;       // of all classes
};

Extent extent_of(const Choices &choices)
{
    Extent extent;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        const auto sizes = choices.sizes_of_function(f);
        extent.unit = common_divisor(extent.unit, sizes, 0);
        extent.largest = std::max(extent.largest, sizes.back());
        extent.sum = saturating_add(extent.sum, saturating_mul(copies[f], sizes.back()));
        extent.options += static_cast<double>(copies[f]) * static_cast<double>(sizes.size());
    }
    return extent;
}

double count_combinations(const Choices &choices)
{
    double product = 1;
    for (std::size_t i = 0; i < choices.classes(); ++i) product *= static_cast<double>(choices.count(i));
    return product;
}

} // namespace

NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control)
{
    const auto extent = extent_of(choices);
    NearestSums out;
    out.above.is_none = target >= extent.sum;
    if (target > extent.sum) out.below.sum = extent.sum;
    const auto last = std::min({saturating_add(target, extent.largest), extent.sum, largest_asked});
    const auto unit = std::max<std::int64_t>(extent.unit, 1);
    const auto highest = std::max<std::int64_t>(last / unit, 0);
    const auto work = extent.options * static_cast<double>(highest) / BitRow::word_bits;
    if (work > most_word_operations && count_combinations(choices) > most_combinations) return out;
    within_limits([&] {
        Pacer pacer(control, "looking for the nearest feasible sizes");
        SumSet sums(highest, SumSet::Begin::as_list, control.memory_limit());
        sums.add_zero();
        for (std::size_t i = 0; i < choices.classes(); ++i) sums = sums.plus_one_of(choices.sizes_of(i), unit, pacer);
        const auto in_units = [&](std::int64_t size) { return size < 0 ? size : size / unit; };
        if (const auto below = sums.nearest_below(in_units(target - 1) + 1)) out.below.sum = *below * unit;
        if (const auto above = sums.nearest_above(in_units(target))) out.above.sum = *above * unit;
        out.below.is_none = !out.below.sum;
        out.above.is_none = !out.above.sum;
        return true;
    });
    return out;
}

} // namespace hpart
