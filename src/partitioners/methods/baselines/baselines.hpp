// The distributions that every experiment compares with. None minimises the objective.
#pragma once

#include "models/self_scheduling.hpp"
#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

Solution equal(const PartitionProblem &problem, Control &control, Work &work);
Solution cpm(const PartitionProblem &problem, Control &control, Work &work);
Solution fpm(const PartitionProblem &problem, Control &control, Work &work);
Solution smooth_fpm(const PartitionProblem &problem, Control &control, Work &work);
Solution balanced(const PartitionProblem &problem, Control &control, Work &work);

// A simulation of self-scheduling.
PackageSchedule self_scheduled(SelfMethod method, const ScheduleProblem &problem, Control &control, Work &work);

// The polynomial of that degree nearest to the points by least squares, at each x. Of count points, a degree of count - 1 at most is used.
std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree);

// The distribution over usable points with the least sum of |x_i - share_i|. Exact.
Solution nearest_to_shares(const PartitionProblem &problem, const std::vector<double> &shares, Control &control,
                           Work &work);

} // namespace hpart
