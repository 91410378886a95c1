// The call for a schedule.
#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/calls/constrained_call.hpp"
#include "partitioners/calls/reports.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/packages.hpp"
#include "partitioners/problem/points_of_call.hpp"

#include <algorithm>
#include <optional>

namespace hpart
{

namespace
{

// Totals of packages beyond the size are needed too: as far as one more package of the largest size.
[[noreturn]] void fail_infeasible_schedule(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto limit = saturating_add(size, prepared.records().largest_size);
    const auto nearest = within_limits(
        [&] { return nearest_sums(schedule_choices(prepared.instance(), limit, control), size, control); });
    fail_infeasible(size, nearest.value_or(NearestSums{}));
}

// Tasks are in the order of the processors.
std::int64_t count_active(const std::vector<ScheduleTask> &tasks)
{
    std::int64_t active = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (k == 0 || tasks[k].processor != tasks[k - 1].processor) ++active;
    return active;
}

// The least makespan, when it is to be compared with and is found within the limits.
std::optional<double> exact_makespan(const ScheduleProblem &problem, const std::string &method,
                                     const PackageSchedule &found, Control &control)
{
    if (!wants_comparison(problem.options)) return std::nullopt;
    if (method == "exact" || problem.size == 0) return found.makespan;
    return within_limits([&] { return exact_schedule(problem, control).makespan; });
}

// Each package moves its own bytes over the host link.
std::optional<Communication> communication_of_packages(const Platform &platform, const ScheduleRequest &request)
{
    const auto name = request.options.get_text("communication");
    if (name == "none") return std::nullopt;
    if (name != "host") fail_argument("communication is ", in_quotes(name), "; schedules take 'none' and 'host'");
    return Communication(platform, request.options, request.size);
}

} // namespace

Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = at_objective_bound(measured, prepared_measured, request.options);
    const auto &method = find_schedule_method(request.method);
    const auto communication = communication_of_packages(platform, request);
    const PointsOfCall points(platform, prepared_platform, Needs::time, {}, request.size,
                              communication ? &*communication : nullptr, control);
    const auto &all = points.get();
    std::optional<Prepared> rising;
    if (request.options.get_text("packages") == "rising") rising.emplace(rising_part(all.instance()), all.simd_level());
    const auto &prepared = rising ? *rising : all;
    const auto &instance = prepared.instance();
    check_summable(prepared.extremes().longest_seconds * static_cast<double>(request.size),
                   "the times of the packages");
    const ScheduleProblem problem{platform, prepared, instance, request.size, request.ties, request.options};
    auto found = method.solve(problem, control);
    if (found.outcome == Outcome::none) fail_infeasible_schedule(prepared, request.size, control);
    const auto exact = exact_makespan(problem, request.method, found, control);
    Schedule schedule;
    schedule.makespan = found.makespan;
    for (std::int64_t i = 0; i < measured.count(); ++i) schedule.processors.push_back(measured.processor(i).name);
    schedule.tasks = std::move(found.tasks);
    schedule.report.set("method", request.method);
    report_value(schedule.report, schedule.makespan, found.lower_bound, exact);
    schedule.report.set("active", count_active(schedule.tasks));
    report_utilisation(schedule.report, busy_seconds(instance, schedule.tasks), schedule.makespan);
    if (communication) {
        const auto busy = busy_seconds(points.computing().instance(), schedule.tasks);
        const auto compute = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
        schedule.report.set("compute_seconds", compute);
        schedule.report.set("communication_seconds", schedule.makespan - compute);
    }
    report_intervals(schedule.report, measured, schedule.tasks, communication ? &*communication : nullptr);
    report_work(schedule.report, control);
    return schedule;
}

Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control)
{
    return compute_schedule(platform, PreparedPlatform(), request, control);
}

} // namespace hpart
