// The sums nearest to a target that cannot be met, for the message.
//
// If all classes offer 0, idling one class after another steps a sum down by at most the largest size. The nearest sum above the target
// is then within one largest size of it. Sums up to there are listed if there are few combinations; else a bit set finds them; if that is
// too large, the message names none.
#include "core/checked.hpp"
#include "partitioners/search/bit_row.hpp"
#include "partitioners/search/limits.hpp"
#include "partitioners/search/reachable_sum.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

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
        for (const auto size : sizes) extent.unit = std::gcd(extent.unit, size);
        extent.largest = std::max(extent.largest, sizes.back());
        extent.sum = saturating_add(extent.sum, saturating_mul(copies[f], sizes.back()));
        extent.options += static_cast<double>(copies[f]) * static_cast<double>(sizes.size());
    }
    return extent;
}

BitRow all_sums(const Choices &choices, std::int64_t unit, std::int64_t highest, Control &control)
{
    Pacer pacer(control, "looking for the nearest feasible sizes");
    BitRow sums(highest);
    BitRow grown(highest);
    sums.set(0);
    const auto last = sums.words() - 1;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        grown.copy(sums, last);
        for (const auto size : choices.sizes_of(i)) {
            if (size / unit > highest) break;
            grown.or_shifted(sums, size / unit, last);
            pacer.spend(static_cast<std::int64_t>(last));
        }
        sums.copy(grown, last);
    }
    return sums;
}

double count_combinations(const Choices &choices)
{
    double product = 1;
    for (std::size_t i = 0; i < choices.classes(); ++i) product *= static_cast<double>(choices.count(i));
    return product;
}

NearestSums nearest_of_few(const Choices &choices, std::int64_t target, std::size_t count, Control &control)
{
    Pacer pacer(control, "looking for the nearest feasible sizes");
    std::vector<std::int64_t> sums{0};
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        std::vector<std::int64_t> grown;
        for (const auto sum : sums)
            for (const auto size : choices.sizes_of(i))
                if (const auto total = checked_add(sum, size); total && *total <= largest_asked)
                    grown.push_back(*total);
        std::sort(grown.begin(), grown.end(), paced(pacer, std::less<>()));
        grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
        sums = std::move(grown);
    }
    const auto below = std::lower_bound(sums.begin(), sums.end(), target);
    const auto above = std::upper_bound(below, sums.end(), target);
    const auto take = [&](auto from, auto end) {
        const auto all = static_cast<std::size_t>(end - from);
        return SumsBeside{{from, from + static_cast<std::ptrdiff_t>(std::min(all, count))}, all <= count};
    };
    return {take(std::make_reverse_iterator(below), sums.rend()), take(above, sums.end())};
}

NearestSums nearest_by_bits(const Choices &choices, std::int64_t target, std::size_t count, const Extent &extent,
                            Control &control)
{
    NearestSums out;
    const auto last = std::min({saturating_add(target, extent.largest), extent.sum, largest_asked});
    const auto highest = last / extent.unit;
    const auto work = extent.options * static_cast<double>(highest) / BitRow::word_bits;
    if (work > most_word_operations || highest / 4 > control.memory_limit()) return out;
    const auto sums = all_sums(choices, extent.unit, highest, control);
    const auto take = [&](SumsBeside &side, std::int64_t v) {
        if (sums.test(v)) side.sums.push_back(v * extent.unit);
        return side.sums.size() < count;
    };
    out.below.are_all = true;
    for (auto v = target > 0 ? std::min(highest, (target - 1) / extent.unit) : -1; v >= 0; --v)
        if (!take(out.below, v)) {
            out.below.are_all = false;
            break;
        }
    out.above.are_all = last == std::min(extent.sum, largest_asked);
    for (auto v = target < 0 ? 0 : target / extent.unit + 1; v <= highest; ++v)
        if (!take(out.above, v)) {
            out.above.are_all = false;
            break;
        }
    return out;
}

} // namespace

NearestSums nearest_sums(const Choices &choices, std::int64_t target, std::size_t count, Control &control)
{
    const auto extent = extent_of(choices);
    NearestSums out;
    try {
        if (count_combinations(choices) <= most_combinations) return nearest_of_few(choices, target, count, control);
        out = nearest_by_bits(choices, target, count, extent, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    if (target > extent.sum && out.below.sums.empty()) out.below.sums = {extent.sum};
    if (target >= extent.sum) out.above.are_all = true;
    return out;
}

} // namespace hpart
