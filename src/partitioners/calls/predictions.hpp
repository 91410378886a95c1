// Option objective_bound, and the intervals of a result's predictions.
#pragma once

#include "core/options.hpp"
#include "partitioners/calls/partition.hpp"

#include <vector>

namespace hpart
{

class Communication;

// The values that a call solves over: the platform's own, or one end of their intervals.
struct ValuesOfCall {
    const Platform &platform;
    const PreparedPlatform &prepared;
};

ValuesOfCall values_of_call(const Platform &platform, const PreparedPlatform &prepared, const Options &options);

// Each adds time_low, time_high, energy_low and energy_high, as far as the platform has that end for every point that is used.
// by_seconds: the communication whose energies are seconds, for sum_time.
void report_intervals(Report &report, const Platform &platform, const Distribution &found, Objective objective,
                      const Communication *communication, const Communication *by_seconds);
// Arrays with one entry per point of the front; NaN where a point has an unknown end.
void report_intervals(Report &report, const Platform &platform, const std::vector<FrontPoint> &points, bool total,
                      const Communication *communication);
// Those of the makespan.
void report_intervals(Report &report, const Platform &platform, const std::vector<ScheduleTask> &tasks,
                      const Communication *communication);

} // namespace hpart
