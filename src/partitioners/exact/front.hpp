// Fronts of the energies that are returned, HTPOPT from HEPOPT, and fewer points that represent all.
#pragma once

#include "partitioners/problem/solution.hpp"
#include "partitioners/search/resource_search.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// The points of an exact dynamic front, in increasing time, that are not dominated once their energies are rounded: the dynamic energy,
// or base power x time + dynamic energy.
std::vector<FrontPoint> rounded_front(std::vector<FrontPoint> front, const Instance &instance,
                                      std::optional<double> base_power);

// The dynamic energies for which power x seconds + energy, rounded, is within the total.
CostLimit energy_within_total(double power, double seconds, double total);

// At most `count` (>= 2) points of a front in increasing time: its two ends, then again and again the point farthest from all chosen,
// by the Euclidean distance when time and energy of the whole front each span 1; of equally far ones the faster.
std::vector<FrontPoint> spread_points(std::vector<FrontPoint> front, std::int64_t count);

// The fewest points of a front in increasing time such that every point (t, e) of it has a kept one (t', e') with t' <= (1 + eps) t and
// e' <= (1 + eps) e; and the two ends.
std::vector<FrontPoint> cover_points(std::vector<FrontPoint> front, double eps);

// Pareto points of the dynamic front of energies <= budget, with both ends, such that every such point is covered in the same sense, without
// the whole front; empty when there is no distribution, the one of least energy when the budget is below it. Throws Status::limit.
std::vector<FrontPoint> covering_front(const PartitionProblem &problem, double eps, double budget, Control &control);

} // namespace hpart
