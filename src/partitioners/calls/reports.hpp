// Option objective_bound, and what the reports of the calls have in common.
#pragma once

#include "core/options.hpp"
#include "partitioners/calls/partition.hpp"

#include <optional>
#include <vector>

namespace hpart
{

class Communication;

// The values that a call solves over: the platform's own, or one end of their intervals.
struct ValuesOfCall {
    const Platform &platform;
    const PreparedPlatform &prepared;
};

ValuesOfCall at_objective_bound(const Platform &platform, const PreparedPlatform &prepared, const Options &options);

// True with compare=exact: `exact` of a report is then the optimum's value, if it was found within the limits.
inline bool wants_comparison(const Options &options) { return options.get_text("compare") == "exact"; }
// Reports how good a value is: its bound, and the exact value if that was asked for.
void report_value(Report &report, double value, double lower_bound, std::optional<double> exact);
// Each processor's busy seconds over all seconds; 0 if nothing takes time.
void report_utilisation(Report &report, std::vector<double> busy, double seconds);
void report_work(Report &report, const Control &control);

// Each adds time_low, time_high, energy_low and energy_high, as far as the platform has that end for every point that is used.
// by_seconds: the communication whose energies are seconds, for sum_time.
void report_intervals(Report &report, const Platform &platform, const Distribution &found, Objective objective,
                      const Communication *communication, const Communication *by_seconds);
// Arrays with one entry per point of the front; NaN where a point has an unknown end.
void report_intervals(Report &report, const Platform &platform, const std::vector<FrontPoint> &points, bool total,
                      const Communication *communication);
// The ends of the makespan.
void report_intervals(Report &report, const Platform &platform, const std::vector<ScheduleTask> &tasks,
                      const Communication *communication);

} // namespace hpart
