// The distributions that every experiment compares with. None minimises the objective.
#pragma once

#include "partitioners/solution.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

Solution equal(const Question &question, Control &control, Work &work);
Solution cpm(const Question &question, Control &control, Work &work);
Solution fpm(const Question &question, Control &control, Work &work);
Solution smooth_fpm(const Question &question, Control &control, Work &work);
Solution balanced(const Question &question, Control &control, Work &work);

// Shares of equal time by the speed functions x / seconds; seconds has an entry a point of the instance.
std::vector<double> fpm_shares(const Instance &instance, std::span<const double> seconds, std::int64_t size);

// The distribution over usable points with the least sum of |x_i - share_i|. Exact.
Solution nearest_to_shares(const Question &question, const std::vector<double> &shares, Control &control, Work &work);

} // namespace hpart
