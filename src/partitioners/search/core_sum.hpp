// Least sum of costs by the core around the convex relaxation.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/base_choice.hpp"
#include "partitioners/search/least_sum.hpp"

#include <optional>

namespace hpart
{

// As least_sum; nothing when the sums are too large or too sparse for it.
std::optional<LeastSum> least_sum_by_core(const SumOverFunctions &sum, const SumQuery &query, Control &control,
                                          Work &work);

// No choice costs less; infinite when the target is out of reach. `multiplier`: one nearby to begin with, if known, and the one of this.
double least_sum_bound(const SumOverFunctions &sum, std::optional<double> &multiplier);

} // namespace hpart
