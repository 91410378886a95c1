// Distributions over time functions that never fall.
#pragma once

#include "adaptive/curve.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

struct SizeBounds {
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
};

// The distribution of least time with bounds[i].smallest <= x[i] <= bounds[i].largest, whose sums must enclose the size: each
// processor gets the largest size that it can do in the same time, found by bisection. O(p log(points) log(precision)).
std::vector<std::int64_t> level(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds,
                                std::int64_t size);

// Returns the distribution within the bounds that moves least from `current` and takes at most `seconds`, or the time that the
// bounds force. Ties: the distribution that level would choose. Such a distribution must exist.
std::vector<std::int64_t> move_least(const std::vector<MonotoneCurve> &curves, std::vector<SizeBounds> bounds,
                                     double seconds, const std::vector<std::int64_t> &current, std::int64_t size);

// The largest time.
double seconds_of(const std::vector<MonotoneCurve> &curves, const std::vector<std::int64_t> &x);

// Work that has another place in `to` than in `from`.
std::int64_t moved_between(const std::vector<std::int64_t> &from, const std::vector<std::int64_t> &to);

} // namespace hpart
