// The schedules of the WDAH thesis.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Initial priorities (equation 4.6): shares of the size in proportion to the highest speeds, 0 for a processor without packages.
// Infinite speeds, if any, share it equally.
std::vector<double> wdah_priorities(const std::vector<double> &speeds, std::int64_t size);

// Branch and cut with option backtrack_limit. Heuristic. Throws Status::limit.
PackageSchedule wdah(const ScheduleProblem &problem, Control &control, Work &work);

// The same with a backtrack limit of 1: the first schedule.
PackageSchedule wdah_heuristic(const ScheduleProblem &problem, Control &control, Work &work);

} // namespace hpart
