// The greedy partitioner of Al-Hashimi and Basuhail.
#pragma once

#include "partitioners/problem/solution.hpp"

namespace hpart
{

// Objective time. Heuristic; a distribution whenever there is one.
Solution data_locality(const PartitionProblem &problem, Control &control, Work &work);

} // namespace hpart
