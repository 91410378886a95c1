// Several packages a processor, one after another: least makespan, exact.
#pragma once

#include "partitioners/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Tasks by processor, then by decreasing size; outcome none when no packages sum to the size. Throws Status::limit.
struct PackageSchedule {
    Outcome outcome = Outcome::none;
    double makespan = 0;
    std::int64_t active = 0;
    std::vector<ScheduleTask> tasks;
};

PackageSchedule exact_schedule(const Platform &platform, std::int64_t size, Ties ties, Control &control, Work &work);

// All totals up to a limit as options without costs, one class a processor. Throws Status::limit.
Choices schedule_choices(const Platform &platform, std::int64_t limit, Control &control);

} // namespace hpart
