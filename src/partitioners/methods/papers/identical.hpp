// The methods for identical processors.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

Solution popta(const Question &question, Control &control, Work &work);
Solution eopta(const Question &question, Control &control, Work &work);
Solution paraleph(const Question &question, Control &control, Work &work);

// Throws Status::limit.
std::vector<TimedEnergy> aleph(const FrontQuestion &question, Control &control, Work &work);

} // namespace hpart
