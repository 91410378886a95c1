// A core whose reduced costs are whole numbers: their sums are exact in double, and equal sums are equal.
#pragma once

#include "partitioners/search/core.hpp"

#include <optional>

namespace hpart
{

struct WholeCore {
    Core core;           // the same points, in the same order
    double cap = 0;      // of sums of reduced costs, below 2^53
    double per_cost = 0; // whole numbers for a cost of 1
};

// If the reduced costs of a choice sum to at most `cap` in the core given, its whole ones sum to at most the cap returned. Nothing if
// these do not fit.
std::optional<WholeCore> whole_core(const BreakSolution &base, const Core &core, double cap);

} // namespace hpart
