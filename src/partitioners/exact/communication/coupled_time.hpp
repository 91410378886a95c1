// Least time where the processors' costs depend on each other.
#pragma once

#include "partitioners/problem/solution.hpp"

namespace hpart
{

// Method `exact` under the patterns chain, any_chain and summa of problem.communication.
Solution least_coupled_time(const PartitionProblem &problem, Control &control, Work &work);

} // namespace hpart
