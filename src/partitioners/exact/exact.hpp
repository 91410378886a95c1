// The method `exact` of each problem, and the bounds.
#pragma once

#include "partitioners/problem/solution.hpp"
#include "partitioners/search/resources.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

Solution least_time(const PartitionProblem &problem, Control &control);
// Among the distributions within the rules' uses; the preferred one of them.
Solution least_energy(const PartitionProblem &problem, Control &control);
Solution least_total_energy(const PartitionProblem &problem, Control &control);

// HEPOPT: the Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution.
// Throws Status::limit.
std::vector<FrontPoint> exact_front(const PartitionProblem &problem, Control &control);

// Several packages a processor, one after another: least makespan. Throws Status::limit.
PackageSchedule exact_schedule(const ScheduleProblem &problem, Control &control);

// A lower bound of the objective, in one pass.
double objective_bound(const PartitionProblem &problem);
// A lower bound for the report of a method that adds energies in double and found x: the value of x if such sums are exact, else the
// exact optimum's.
double bound_for_double_energies(const std::vector<std::int64_t> &x, const PartitionProblem &problem, Control &control);
// The bound after a limit: 0 where the pass itself would overrun it.
double bound_at_limit(const PartitionProblem &problem);

// The least time at which the sizes that are fast enough could sum to `size` or more; infinity when they never do. No
// distribution is faster.
double time_bound(const Prepared &prepared, std::int64_t size);

// Least time of the distributions within the rules' uses and energy; the preferred one of them.
Solution least_time_within_rules(const PartitionProblem &problem, Control &control);

// All totals up to a limit as options without costs, one class a processor. Throws Status::limit.
Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control);

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

// These are for processors that exchange messages and nodes that can be switched off (exact/communication).

// Method `exact` for energy and total energy where arranges() is true.
Solution least_arranged_energy(const PartitionProblem &problem, Control &control);

// The front of time and energy, or total energy; the energies are rounded. Empty if there is no distribution. Throws Status::limit.
std::vector<FrontPoint> arranged_front(const PartitionProblem &problem, Control &control);

// Method `exact` under the patterns chain, any_chain and summa of problem.communication.
Solution least_coupled_time(const PartitionProblem &problem, Control &control);

} // namespace hpart
