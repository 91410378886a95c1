// The sums nearest to a target that cannot be met, for the message.
//
// All classes offer 0. From a sum above the target, idling one class after another steps down by at most the largest size, so the
// nearest sum above is within one largest size of the target; from 0, so is the nearest below. Sums up to there are listed where
// there are few combinations, else a bit set; where that is too large, nothing is said.
#include "core/checked.hpp"
#include "partitioners/limits.hpp"
#include "partitioners/sums/bit_row.hpp"
#include "partitioners/sums/reachable_sum.hpp"

#include <algorithm>
#include <numeric>

namespace hpart
{

namespace
{

constexpr double most_word_operations = 2e8; // well under a second
constexpr double most_combinations = 1 << 20;

struct Extent {
    std::int64_t unit = 0;    // common divisor of all sizes
    std::int64_t largest = 0; // size
    std::int64_t sum = 0;     // of the largest sizes
};

Extent extent_of(const Choices &choices)
{
    Extent extent;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        for (const auto size : choices.sizes_of(i)) extent.unit = std::gcd(extent.unit, size);
        extent.largest = std::max(extent.largest, choices.sizes_of(i).back());
        extent.sum = saturating_add(extent.sum, choices.sizes_of(i).back());
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

NearestSums nearest_of_few(const Choices &choices, std::int64_t target)
{
    std::vector<std::int64_t> sums{0};
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        std::vector<std::int64_t> grown;
        for (const auto sum : sums)
            for (const auto size : choices.sizes_of(i))
                if (const auto total = checked_add(sum, size)) grown.push_back(*total);
        std::sort(grown.begin(), grown.end());
        grown.erase(std::unique(grown.begin(), grown.end()), grown.end());
        sums = std::move(grown);
    }
    NearestSums out;
    out.determined = true;
    const auto above = std::upper_bound(sums.begin(), sums.end(), target);
    if (above != sums.begin()) out.below = *(above - 1);
    if (above != sums.end()) out.above = *above;
    return out;
}

NearestSums nearest_by_bits(const Choices &choices, std::int64_t target, const Extent &extent, Control &control)
{
    NearestSums out;
    const auto highest = saturating_add(target, extent.largest) / extent.unit;
    const auto work = static_cast<double>(choices.sizes.size()) * static_cast<double>(highest) / BitRow::word_bits;
    if (work > most_word_operations || highest / 4 > control.memory_limit()) return out;
    const auto sums = all_sums(choices, extent.unit, highest, control);
    // The target itself is no multiple of the unit, or no sum.
    for (auto v = target / extent.unit; !out.below; --v)
        if (sums.test(v)) out.below = v * extent.unit;
    for (auto v = target / extent.unit + 1; v <= highest && !out.above; ++v)
        if (sums.test(v)) out.above = v * extent.unit;
    out.determined = true;
    return out;
}

} // namespace

NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control)
{
    const auto extent = extent_of(choices);
    if (target >= extent.sum) { // also where no processor can do anything
        NearestSums out;
        out.determined = true;
        out.below = extent.sum;
        return out;
    }
    if (count_combinations(choices) <= most_combinations) return nearest_of_few(choices, target);
    try {
        return nearest_by_bits(choices, target, extent, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return {};
}

} // namespace hpart
