// Amounts of two resources that options use besides their cost: a processor's being active and the work moved to it; bounds of the cost.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hpart
{

// Integers >= 0; the sums over a choice stay below 2^53.
using ResourceUse = std::array<std::int64_t, 2>;

constexpr auto unbounded = std::numeric_limits<std::int64_t>::max();
constexpr ResourceUse unbounded_use{unbounded, unbounded};

inline ResourceUse plus(const ResourceUse &a, const ResourceUse &b) { return {a[0] + b[0], a[1] + b[1]}; }
inline ResourceUse minus(const ResourceUse &a, const ResourceUse &b) { return {a[0] - b[0], a[1] - b[1]}; }
inline bool is_within(const ResourceUse &use, const ResourceUse &most)
{
    return use[0] <= most[0] && use[1] <= most[1];
}

// 1 if the size is not 0; and its excess over the class's previous size, 0 without previous sizes.
inline ResourceUse use_of_size(std::int64_t size, std::size_t i, std::span<const std::int64_t> previous)
{
    return {size != 0 ? 1 : 0, previous.empty() ? 0 : std::max<std::int64_t>(0, size - previous[i])};
}

// The resources that each option uses. Classes of one function have equal previous sizes.
std::vector<ResourceUse> uses_of(const Choices &choices, std::span<const std::int64_t> previous);

// The costs that are allowed: rounded together with `beside`, at most `most`.
struct CostLimit {
    double most = std::numeric_limits<double>::infinity();
    ExactSum beside{}; // >= 0
    double least = 0;  // no sum of costs, rounded, is below: where it is known, a search takes less time

    bool allows(const ExactSum &cost) const { return (beside + cost).rounded() <= most; }
    // No cost above it is allowed.
    double cap() const { return (most - beside.rounded()) + 4 * std::numeric_limits<double>::epsilon() * most; }
};

// The value that is minimised first: cost, the first resource (active processors) or the second (work moved). The others break ties.
enum class Prefer : std::uint8_t { least_cost, fewest_active, least_moved };

} // namespace hpart
