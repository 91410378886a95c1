// The core of a least sum: the points that may be part of a choice of small reduced cost.
#pragma once

#include "partitioners/sums/base_choice.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

// At a multiplier, the reduced cost of a point of class i is cost - multiplier x size - the least of that over the class, >= 0.
// The cost of a choice that sums to the target is, but for rounding, a constant plus its sum of reduced costs.
struct CorePoint {
    std::int64_t shift; // size above that of the class's base point
    double reduced;
    std::size_t point;
};

struct Core {
    double cap = 0; // every point of a reduced cost <= cap is here
    std::vector<std::size_t> first;
    std::vector<CorePoint> points; // class after class, by increasing size
    std::vector<double> least;     // of cost - multiplier x size, per class

    std::size_t classes() const { return first.size() - 1; }
    std::span<const CorePoint> of(std::size_t i) const { return {points.data() + first[i], first[i + 1] - first[i]}; }
};

// Bounds all roundings: for any choice whose computed cost may matter, the computed sum of its reduced costs and its left-to-right
// sum of costs differ, apart from the constant, by at most this. See core.cpp.
double core_margin(const SumOverFunctions &sum, const BaseChoice &base, double cap);

Core collect_core(const SumOverFunctions &sum, const BaseChoice &base, double cap);

// Makes each class's point of least cost - multiplier x size its base point, where rounding or the hull had another. Gives by how
// much their sum falls; nothing when their sizes are too large to sum.
std::optional<double> move_base(const SumOverFunctions &sum, BaseChoice &base, Core &core);

// A choice near the base; infinite where none was found.
struct Completion {
    double reduced = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> points;
};

// One class makes up the residual alone, or the open class moves on and another one makes up for that.
Completion complete_by_one(const SumOverFunctions &sum, const BaseChoice &base);

// Two classes of the core do.
Completion complete_by_two(const BaseChoice &base, const Core &core);

} // namespace hpart
