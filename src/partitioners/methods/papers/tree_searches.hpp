// The tree searches of Khaleghzadeh's thesis.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

Solution hpopta(const PartitionProblem &problem, Control &control, Work &work);
Solution heopta(const PartitionProblem &problem, Control &control, Work &work);
Solution htpopta(const PartitionProblem &problem, Control &control, Work &work);
Solution hipopta(const PartitionProblem &problem, Control &control, Work &work);

// The dynamic front, of which HTPOPTA's front is a filter. Throws Status::limit.
std::vector<TimedEnergy> hepopta(const FrontProblem &problem, Control &control, Work &work);

} // namespace hpart
