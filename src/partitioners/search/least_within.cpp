// Blocks without a point within the bound on the time are left out, and blocks with a least reduced cost above a point found.
// The most promising block is first: few others are looked at.
#include "partitioners/search/least_within.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

constexpr auto block_points = CostFunctions::block_points;

} // namespace

std::size_t last_within_target(const SumOverFunctions &sum, std::size_t f)
{
    const auto sizes = sum.functions.sizes(f);
    if (sizes.empty() || sizes.back() <= sum.target) return sizes.size() - 1;
    return static_cast<std::size_t>(std::ranges::upper_bound(sizes, sum.target) - sizes.begin()) - 1;
}

std::optional<PointRange> ends_within(const SumOverFunctions &sum, std::size_t f)
{
    const auto seconds = sum.times->of(f);
    const auto *of_blocks = sum.times->of_blocks(f);
    const auto is_there = [&](std::size_t k) { return seconds[k] <= sum.longest; };
    const auto end = last_within_target(sum, f) + 1; // 0: there is none
    std::size_t first = 0;
    while (first < end && !is_there(first)) ++first;
    if (first == end) return std::nullopt;
    auto last = end - 1;
    while (!is_there(last)) {
        const auto block = last / block_points;
        last = of_blocks[block] <= sum.longest ? last - 1 : block * block_points - 1;
    }
    return PointRange{first, last};
}

LeastPoint least_within(const SumOverFunctions &sum, std::size_t f, PointRange among, double multiplier)
{
    const auto &functions = sum.functions;
    const auto *sizes = functions.sizes(f).data();
    const auto *costs = functions.costs(f).data();
    const auto *seconds = sum.times->of(f).data();
    const auto *of_blocks = sum.times->of_blocks(f);
    const auto blocks = functions.blocks(f);
    const auto tilt = functions.tilt();
    const auto rest = multiplier - tilt;
    const auto *extreme_sizes = rest >= 0 ? blocks.last_sizes : blocks.last_sizes - 1;
    LeastPoint best{among.first, infinity};
    const auto scan = [&](std::size_t b) {
        const auto begin = std::max(among.first, b * block_points);
        const auto end = std::min(among.last + 1, (b + 1) * block_points);
        const auto found = least_reduced_within(functions.simd_level(), sizes + begin, costs + begin, seconds + begin,
                                                end - begin, multiplier, sum.longest);
        if (found == end - begin) return;
        const auto k = begin + found;
        const auto reduced = costs[k] - multiplier * static_cast<double>(sizes[k]);
        if (reduced < best.reduced) best = {k, reduced};
    };
    const auto begin = among.first / block_points;
    const auto count = among.last / block_points - begin + 1;
    const auto level = functions.simd_level();
    const auto *least_costs = blocks.least_costs + begin;
    const auto promising =
        least_reduced_within(level, extreme_sizes + begin, least_costs, of_blocks + begin, count, rest, sum.longest);
    if (promising == count) return best;
    scan(begin + promising);
    // The bound of a block rounds two products and two differences.
    const auto products = (std::abs(tilt) + std::abs(multiplier)) * static_cast<double>(sizes[among.last]);
    const auto denormal = std::numeric_limits<double>::denorm_min();
    const auto most = [&] {
        return best.reduced + 8 * (unit_roundoff * (products + std::abs(best.reduced)) + denormal);
    };
    constexpr std::size_t at_once = 64;
    for (std::size_t from = 0; from < count; from += at_once) {
        const auto part = std::min(at_once, count - from);
        auto mask = blocks_within(level, least_costs + from, extreme_sizes + begin + from, part,
                                  {rest, sizes[among.last], most()});
        for (; mask != 0; mask &= mask - 1) {
            const auto b = from + static_cast<std::size_t>(std::countr_zero(mask));
            if (b != promising && of_blocks[begin + b] <= sum.longest) scan(begin + b);
        }
    }
    return best;
}

} // namespace hpart
