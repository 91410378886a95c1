// The method `exact` where processors exchange messages, and where nodes can be switched off.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

// Method `exact` for energy and total energy where arranges() is true.
Solution least_arranged_energy(const PartitionProblem &problem, Control &control, Work &work);

// The front of time and energy, or total energy; the energies are rounded. Empty if there is no distribution. Throws Status::limit.
std::vector<TimedEnergy> arranged_front(const FrontProblem &problem, Control &control, Work &work);

// Method `exact` under the patterns chain, any_chain and summa of problem.communication.
Solution least_coupled_time(const PartitionProblem &problem, Control &control, Work &work);

} // namespace hpart
