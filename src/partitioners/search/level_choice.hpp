// A choice of least cost on one level: all of its points have the least cost at a slope, as whole edges of hulls have.
#pragma once

#include "partitioners/search/core.hpp"

#include <optional>
#include <vector>

namespace hpart
{

// A choice of the core that sums to the target, of the least exact cost; of several, the smallest size of the last class, then of
// the class before it, and so on. Nothing where there is no such choice on one level, or its sums are not evenly spaced.
std::optional<std::vector<BasePoint>> level_choice(const SumOverFunctions &sum, const BreakSolution &base,
                                                   const Core &core);

} // namespace hpart
