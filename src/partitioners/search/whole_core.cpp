// Costs are whole numbers C of a power of 2, and the multiplier is rounded to a whole number L of it. A choice that sums to the target
// has sum (C - L x shift) = sum C - a constant, for any L: the order of the exact sums of costs. The least of each list is taken off.
// The unit is as fine as the cap allows, so that L is near the multiplier and the sums stay small: within the cap all of them are below
// 2^53, and double adds them exactly. A sum above the cap may be rounded, but not to below it.
// Source: design of hpart.
#include "partitioners/search/whole_core.hpp"

#include "partitioners/search/exact_costs.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

constexpr int cost_bits = 80;
constexpr int most_refined = 40; // bits of the unit below the unit that costs need
constexpr int sum_bits = 52;     // of the cap without the rounding of the multiplier
constexpr double largest_product = 0x1p120;
constexpr double largest_cap = 0x1p53 - 1;

} // namespace

std::optional<WholeCore> whole_core(const BreakSolution &base, const Core &core, double cap)
{
    std::vector<double> costs;
    costs.reserve(core.points.size());
    for (const auto &point : core.points) costs.push_back(point.cost);
    const auto exact = ExactCosts::of(costs, cost_bits);
    if (!exact) return std::nullopt;
    std::vector<std::int64_t> longest_shift(core.lists()); // |shift|
    for (std::size_t l = 0; l < core.lists(); ++l)
        for (const auto &point : core.list(l)) longest_shift[l] = std::max(longest_shift[l], std::abs(point.shift));
    double span = std::abs(static_cast<double>(base.residual)); // bounds all shifts of a choice together
    for (const auto l : core.list_of) span += static_cast<double>(longest_shift[l]);

    const auto in_units = std::ldexp(cap, -exact->exponent());
    if (!(in_units < std::ldexp(1, sum_bits))) return std::nullopt;
    const auto refined = in_units > 0 ? std::min(most_refined, sum_bits - 1 - std::ilogb(in_units)) : most_refined;
    const auto scale = refined - exact->exponent();
    const auto multiplier = std::ldexp(base.multiplier, scale);
    if (!(std::abs(multiplier) * span < largest_product)) return std::nullopt;
    const auto rounded = std::nearbyint(multiplier);
    WholeCore whole{core, std::ldexp(cap, scale) + std::abs(multiplier - rounded) * span + 4, std::ldexp(1, scale)};
    if (!(whole.cap < largest_cap)) return std::nullopt;
    const auto slope = static_cast<Wide>(rounded);
    std::vector<Wide> reduced(core.points.size());
    for (std::size_t l = 0; l < core.lists(); ++l) {
        const auto begin = core.first[l];
        const auto end = core.first[l + 1];
        if (begin == end) continue;
        for (auto k = begin; k < end; ++k) reduced[k] = (exact->values()[k] << refined) - slope * core.points[k].shift;
        const auto least = *std::min_element(reduced.begin() + static_cast<std::ptrdiff_t>(begin),
                                             reduced.begin() + static_cast<std::ptrdiff_t>(end));
        for (auto k = begin; k < end; ++k) whole.core.points[k].reduced = static_cast<double>(reduced[k] - least);
    }
    return whole;
}

} // namespace hpart
