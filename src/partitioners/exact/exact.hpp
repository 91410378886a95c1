// The method `exact` of each problem, and the bounds.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
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
double bound_after_double_sums(const std::vector<std::int64_t> &x, const PartitionProblem &problem, Control &control);
// The bound after a limit: 0 where the pass itself would overrun it.
double bound_at_limit(const PartitionProblem &problem);

// The least time at which the sizes that are fast enough could sum to `size` or more; infinity when they never do. No
// distribution is faster.
double time_bound(const Prepared &prepared, std::int64_t size);

// Least time of the distributions within the rules' uses and energy; the preferred one of them.
Solution least_time_within_rules(const PartitionProblem &problem, Control &control);

// All totals up to a limit as options without costs, one class a processor. Throws Status::limit.
Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control);

} // namespace hpart
