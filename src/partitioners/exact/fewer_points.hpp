// Fewer points of a front that represent all.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// At most `count` (>= 2) points of a front in increasing time: its two ends, then again and again the point farthest from all chosen,
// by the Euclidean distance when time and energy of the whole front each span 1; of equally far ones the faster.
std::vector<TimedEnergy> spread_points(std::vector<TimedEnergy> front, std::int64_t count);

// The fewest points of a front in increasing time such that every point (t, e) of it has a kept one (t', e') with t' <= (1 + eps) t and
// e' <= (1 + eps) e; and the two ends.
std::vector<TimedEnergy> cover_points(std::vector<TimedEnergy> front, double eps);

// Pareto points of the dynamic front of energies <= budget, with both ends, such that every such point is covered in the same sense, without
// the whole front; empty when there is no distribution, the one of least energy when the budget is below it. Throws Status::limit.
std::vector<TimedEnergy> covering_front(const FrontProblem &problem, double eps, double budget, Control &control,
                                        Work &work);

} // namespace hpart
