// The distributions that every experiment compares with. None minimises the objective.
#pragma once

#include "partitioners/solution.hpp"

#include <vector>

namespace hpart
{

Solution equal(const Question &question, Control &control, Work &work);
Solution cpm(const Question &question, Control &control, Work &work);
Solution fpm(const Question &question, Control &control, Work &work);
Solution balanced(const Question &question, Control &control, Work &work);

// The distribution over usable points with the least sum of |x_i - share_i|. Exact.
Solution nearest_to_shares(const Question &question, const std::vector<double> &shares, Control &control, Work &work);

} // namespace hpart
