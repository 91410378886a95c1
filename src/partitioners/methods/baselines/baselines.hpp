// The distributions that every experiment compares with. None minimises the objective.
#pragma once

#include "models/schedule_table.hpp"
#include "partitioners/problem/problem.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

Solution equal(const PartitionProblem &problem, Control &control);
Solution cpm(const PartitionProblem &problem, Control &control);
Solution fpm(const PartitionProblem &problem, Control &control);
Solution smooth_fpm(const PartitionProblem &problem, Control &control);
Solution balanced(const PartitionProblem &problem, Control &control);

// A simulation of self-scheduling.
PackageSchedule self_scheduled(SelfMethod method, const ScheduleProblem &problem, Control &control);

// In proportion to the speeds; infinite ones share the size alone.
std::vector<double> shares_by_speed(const std::vector<double> &speeds, std::int64_t size);

// The distribution over usable points with the least sum of |x_i - share_i|. Exact.
Solution nearest_to_shares(const PartitionProblem &problem, const std::vector<double> &shares, Control &control);

} // namespace hpart
