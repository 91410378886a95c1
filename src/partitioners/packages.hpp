// What the methods for schedules share: which packages they may use, and what a schedule's packages take.
#pragma once

#include "partitioners/instance.hpp"
#include "partitioners/partition.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Of each processor the sizes up to the one of its highest speed x / t(x), the smallest of several: the rising part of its speed
// function as the WDAH thesis (4.2) takes it.
Instance rising_part(const Instance &instance);

// Seconds that each processor is busy: its packages' times added one by one, from the largest package to the smallest. Tasks are
// by processor, then by decreasing size.
std::vector<double> busy_seconds(const Instance &instance, const std::vector<ScheduleTask> &tasks);

// No schedule of the size is shorter, for sums of times as double gives them.
double schedule_bound(const Instance &instance, std::int64_t size);

} // namespace hpart
