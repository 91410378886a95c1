// The method `exact` where a distribution must keep rules as a whole.
#pragma once

#include "partitioners/problem/solution.hpp"

namespace hpart
{

// Least time of the distributions within the rules' uses and energy; the preferred one of them.
Solution least_time_within_rules(const PartitionProblem &problem, Control &control, Work &work);
// Least energy of the distributions within the rules' uses; the preferred one of them.
Solution least_energy_within_rules(const PartitionProblem &problem, Control &control, Work &work);

} // namespace hpart
