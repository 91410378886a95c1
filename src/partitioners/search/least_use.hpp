// Points of one function within the target and the bound on the time of a sum, which has times.
#pragma once

#include "partitioners/search/break_solution.hpp"

#include <cstddef>
#include <optional>

namespace hpart
{

// Points first .. last.
struct PointRange {
    std::size_t first;
    std::size_t last;
};

// The first and the last point there; nothing where there is none.
std::optional<PointRange> ends_within(const SumOverFunctions &sum, std::size_t f);

// The last point of a size within the target, whatever its time.
std::size_t last_within_target(const SumOverFunctions &sum, std::size_t f);

struct LeastPoint {
    std::size_t point;
    double reduced; // cost - multiplier x size
};

// The point of least reduced cost among those there in the range, the first of equals in a block; infinite where there is none.
LeastPoint least_within(const SumOverFunctions &sum, std::size_t f, PointRange among, double multiplier);

} // namespace hpart
