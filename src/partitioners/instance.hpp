// The points of a platform that a problem may use.
#pragma once

#include "models/platform.hpp"
#include "partitioners/sums/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart
{

enum class Needs : std::uint8_t { time, time_and_energy };

// Usable points of all processors, one array a quantity, processor after processor, by increasing size. The first of each is
// the idle point (0, 0, 0).
struct Instance {
    std::vector<std::size_t> first{0};
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    std::vector<double> joules; // NaN where absent and not needed

    std::size_t processors() const { return first.size() - 1; }
};

// Points within the processors' limits that have the values needed.
Instance usable_points(const Platform &platform, Needs needs);

// One class a processor: the points of size <= target that keep(k) accepts, at the cost cost(k). k is the point's index.
template <typename Keep, typename Cost>
Choices choices_where(const Instance &instance, std::int64_t target, Keep keep, Cost cost)
{
    Choices choices;
    choices.sizes.reserve(instance.sizes.size());
    choices.costs.reserve(instance.sizes.size());
    choices.first.reserve(instance.first.size());
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        for (auto k = instance.first[i]; k < instance.first[i + 1] && instance.sizes[k] <= target; ++k)
            if (keep(k)) choices.add(instance.sizes[k], cost(k));
        choices.end_class();
    }
    return choices;
}

// Those of time <= seconds, without costs.
inline Choices choices_within(const Instance &instance, std::int64_t target, double seconds)
{
    return choices_where(
        instance, target, [&](std::size_t k) { return instance.seconds[k] <= seconds; },
        [](std::size_t) { return 0.0; });
}

// The distinct times above `above`, increasing.
std::vector<double> distinct_times(const Instance &instance, double above);

} // namespace hpart
