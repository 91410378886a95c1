// The methods for identical processors.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

Solution popta(const PartitionProblem &problem, Control &control, Work &work);
Solution eopta(const PartitionProblem &problem, Control &control, Work &work);
Solution paraleph(const PartitionProblem &problem, Control &control, Work &work);

// Throws Status::limit.
std::vector<TimedEnergy> aleph(const FrontProblem &problem, Control &control, Work &work);

} // namespace hpart
