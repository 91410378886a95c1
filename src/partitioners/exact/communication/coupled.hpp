// The method `exact` where processors exchange messages, and where nodes can be switched off.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

// Method `exact` for energy and total energy where arranges() is true.
Solution least_arranged_energy(const PartitionProblem &problem, Control &control);

// The front of time and energy, or total energy; the energies are rounded. Empty if there is no distribution. Throws Status::limit.
std::vector<FrontPoint> arranged_front(const PartitionProblem &problem, Control &control);

// Method `exact` under the patterns chain, any_chain and summa of problem.communication.
Solution least_coupled_time(const PartitionProblem &problem, Control &control);

} // namespace hpart
