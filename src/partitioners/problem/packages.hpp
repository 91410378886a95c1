// Shared by the methods for schedules: the packages that they may use, and the times of a schedule's packages.
#pragma once

#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/request.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Keeps each processor's sizes up to the size of its highest speed x / t(x), the smallest of several: the rising part of its speed
// function, as in the WDAH thesis (4.2).
Instance rising_part(const Instance &instance);

// The sizes of each processor, without the idle point.
std::vector<std::span<const std::int64_t>> package_sizes(const Instance &instance);

// Seconds that each processor is busy: its packages' times added one by one, from the largest package to the smallest. Tasks are
// by processor, then by decreasing size.
std::vector<double> busy_seconds(const Instance &instance, const std::vector<ScheduleTask> &tasks);

// No schedule of the size is shorter, for sums of times as double gives them.
double schedule_bound(const Instance &instance, std::int64_t size);

} // namespace hpart
