// The schedules of the WDAH thesis.
#pragma once

#include "partitioners/problem/solution.hpp"

namespace hpart
{

// Branch and cut with option backtrack_limit. Heuristic. Throws Status::limit.
PackageSchedule wdah(const ScheduleProblem &problem, Control &control, Work &work);

// The same with a backtrack limit of 1: the first schedule.
PackageSchedule wdah_heuristic(const ScheduleProblem &problem, Control &control, Work &work);

} // namespace hpart
