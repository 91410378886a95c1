// The core of a least sum: the points that may be part of a choice of small reduced cost.
#pragma once

#include "partitioners/search/break_solution.hpp"

#include <algorithm>
#include <array>
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
    std::int64_t shift; // size above the size of the class's base point
    double reduced;
    double cost;
    std::size_t point;
};

// The classes that may leave their base point, and their points; the base point is one of them. Copies with the same base point share a list.
struct Core {
    std::vector<std::uint32_t> owners;  // increasing
    std::vector<std::uint32_t> list_of; // of each owner
    std::vector<std::size_t> first{0};  // of each list
    std::vector<CorePoint> points;      // list after list, by increasing size
    std::size_t choices = 0;            // points of all owners, without one of each

    std::size_t lists() const { return first.size() - 1; }
    std::span<const CorePoint> list(std::size_t l) const { return {points.data() + first[l], first[l + 1] - first[l]}; }
    std::span<const CorePoint> of(std::size_t c) const { return list(list_of[c]); }
    void end_list() { first.push_back(points.size()); }
    void add_owner(std::size_t owner, std::size_t l)
    {
        owners.push_back(static_cast<std::uint32_t>(owner));
        list_of.push_back(static_cast<std::uint32_t>(l));
        choices += std::max<std::size_t>(list(l).size(), 1) - 1;
    }
};

// The constant to which sums of reduced costs are added.
struct ReducedBound {
    double value = 0;     // multiplier x target + sum of the least: no choice costs less, up to the margin
    double magnitude = 0; // sum of the absolute values of these terms
    double largest = 0;   // of |least|
};
ReducedBound reduced_bound_of(const SumOverFunctions &sum, const BreakSolution &base);

// Bounds all roundings: for any choice whose computed cost may matter, the computed sum of its reduced costs and its sum of costs,
// exact or rounded, differ, apart from the constant, by at most this. See core.cpp.
double core_margin(std::size_t classes, const ReducedBound &bound, double cap);

// All points of reduced cost <= cap. The base points are nearly the least of their classes: `base_deficit` is the sum by which they are
// above these. Where `moves`, the least points become base points; `base_deficit` is infinite when their sizes are then too large to sum.
Core collect_core(const SumOverFunctions &sum, BreakSolution &base, double cap, bool moves, double &base_deficit);

// The points of a reduced cost <= cap.
Core part_of(const Core &core, double cap);

// A choice near the break solution, which sums to the target.
struct Repair {
    struct Change {
        std::size_t owner;
        std::size_t point;
    };
    double reduced = std::numeric_limits<double>::infinity(); // where none was found
    std::array<Change, 2> changes{};
    std::size_t count = 0;
};

// One class makes up the residual alone, or the break class moves on and another one makes up for that.
Repair repair_by_one(const SumOverFunctions &sum, const BreakSolution &base);

// Two classes of the core make up the residual.
Repair repair_by_two(const BreakSolution &base, const Core &core);

// A core whose reduced costs are whole numbers: their sums are exact in double, and equal sums are equal.

struct WholeCore {
    Core core;           // the same points, in the same order
    double cap = 0;      // of sums of reduced costs, below 2^53
    double per_cost = 0; // whole numbers for a cost of 1
};

// If the reduced costs of a choice sum to at most `cap` in the core given, its whole ones sum to at most the cap returned. Nothing if
// these do not fit.
std::optional<WholeCore> whole_core(const BreakSolution &base, const Core &core, double cap);

} // namespace hpart
