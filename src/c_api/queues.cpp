// The calls that run packages of a schedule, or as the processors ask for them.
#include "measurement/queues.hpp"
#include "c_api/handles.hpp"
#include "c_api/team.hpp"
#include "measurement/team_run.hpp"
#include "models/schedule_table.hpp"
#include "partitioners/problem/problem.hpp"

#include <numeric>
#include <utility>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// The queues of a schedule: each processor's tasks in their order, with their first rows.
class FixedQueues
{
  public:
    FixedQueues(const std::vector<ScheduleTask> &tasks, std::size_t processors) : queues_(processors)
    {
        std::int64_t first = 0;
        for (const auto &task : tasks) {
            queues_[static_cast<std::size_t>(task.processor)].push_back({task, first});
            first += task.size * task.repeats;
        }
        size_ = first;
    }
    std::int64_t size() const { return size_; }

    NextPackage start() const
    {
        return [queues = queues_](std::size_t i, std::optional<double>) mutable -> Slice {
            auto &queue = queues[i];
            if (!queue.empty() && queue.front().task.repeats == 0) queue.erase(queue.begin());
            if (queue.empty()) return {};
            auto &[task, first] = queue.front();
            --task.repeats;
            return {std::exchange(first, first + task.size), task.size};
        };
    }

  private:
    struct Message {
        ScheduleTask task;
        std::int64_t first;
    };
    std::vector<std::vector<Message>> queues_;
    std::int64_t size_ = 0;
};

NextPackage self_queue(const SelfSchedule &schedule, std::size_t processors,
                       const std::vector<std::span<const std::int64_t>> &sizes)
{
    return [scheduler = SelfScheduler(schedule, processors, sizes),
            first = std::int64_t{0}](std::size_t i, std::optional<double> seconds) mutable -> Slice {
        const auto rows = scheduler.next(i, seconds);
        return {std::exchange(first, first + rows), rows};
    };
}

void check_processors(std::int64_t given, const Team &team, const char *what)
{
    if (given != static_cast<std::int64_t>(team.count()))
        fail_argument(what, " has ", pluralise(given, "processor"), ", the team ", team.count());
}

Report report_of(const QueueMeasurement &found, const StopRule &rule)
{
    const auto &makespan = found.makespan.estimates.front();
    std::vector<double> rows(found.busy.size(), 0), packages = rows, utilisation;
    for (const double busy : found.busy) utilisation.push_back(makespan.mean > 0 ? busy / makespan.mean : 0);
    for (const auto &package : found.packages) {
        rows[package.processor] += static_cast<double>(package.slice.rows);
        ++packages[package.processor];
    }
    const auto each_package = [&](auto of) {
        std::vector<double> values;
        for (const auto &package : found.packages) values.push_back(static_cast<double>(of(package)));
        return values;
    };
    Report report;
    report.set("busy_seconds", found.busy);
    report.set("utilisation", utilisation);
    report.set("rows", rows);
    report.set("packages", packages);
    report.set("package_processor", each_package([](const PackageRun &run) { return run.processor; }));
    report.set("package_first", each_package([](const PackageRun &run) { return run.slice.first; }));
    report.set("package_size", each_package([](const PackageRun &run) { return run.slice.rows; }));
    report.set("package_seconds", each_package([](const PackageRun &run) { return run.seconds; }));
    report.set("samples", found.makespan.samples);
    report.set("interval", describe(rule));
    report.set("interval_low", std::max(0.0, makespan.low));
    report.set("interval_high", makespan.high);
    report.set("median", makespan.median);
    report.set("minimum", makespan.minimum);
    report.set("repetitions", found.makespan.repetitions);
    report.set("stop_reason", std::string(stop_reason_name(found.makespan.reason)));
    report.set("precision_reached", std::int64_t{found.makespan.precise ? 1 : 0});
    report.set("binding_kept", std::int64_t{found.broken.empty() ? 1 : 0});
    report.set("binding_warning", found.broken.empty() ? "" : found.broken + std::string(binding_remedy()));
    report.set("checked", std::int64_t{found.check ? 1 : 0});
    if (found.check) {
        report.set("max_relative_error", found.check->max_relative_error);
        report.set("tolerance", found.check->tolerance);
    }
    return report;
}

void run(const Team &team, const Queues &queues, std::span<const std::size_t> together, const Options &options,
         double *makespan, hpart_report **report)
{
    check_cores(team, options, together);
    const QueueSettings settings{StopRule::from(options), options.get_int("warmup"), options.get_int("check") == 1};
    auto control = control_of(options);
    const auto found =
        run_queues(team, queues, settings, Poll([&] { control.report_progress(-1, "running packages"); }));
    auto about = report_of(found, settings.rule);
    about.set("time_doubt", team.time_doubt());
    if (report != nullptr) *report = new hpart_report{std::move(about)}; // the last that can fail
    *makespan = found.makespan.estimates.front().mean;
}

} // namespace

extern "C" {

hpart_status hpart_team_run_schedule(hpart_team *team, const hpart_schedule *schedule, const hpart_options *options,
                                     double *makespan, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        require(schedule, "schedule");
        require(makespan, "makespan");
        const auto set = options_for(options, call_run_schedule);
        check_processors(static_cast<std::int64_t>(schedule->value.processors.size()), members, "schedule");
        if (schedule->value.tasks.empty()) fail_argument("schedule has no packages; there is nothing to run");
        const FixedQueues fixed(schedule->value.tasks, members.count());
        std::vector<std::size_t> active;
        for (const auto &task : schedule->value.tasks)
            if (const auto i = static_cast<std::size_t>(task.processor); active.empty() || active.back() != i)
                active.push_back(i);
        run(members, {[&] { return fixed.start(); }, fixed.size()}, active, set, makespan, report);
    });
}

hpart_status hpart_team_self_schedule(hpart_team *team, const char *method, int64_t size,
                                      const hpart_platform *platform, const hpart_options *options, double *makespan,
                                      hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        require(method, "method");
        require(makespan, "makespan");
        if (size < 1) fail_argument("size is ", size, "; it must be at least 1");
        const auto set = options_for(options, call_self_schedule);
        std::vector<std::span<const std::int64_t>> sizes;
        if (platform != nullptr) {
            check_processors(platform->value.count(), members, "platform");
            sizes = package_sizes(platform->prepared.get(platform->value, Needs::time).instance());
        }
        const auto schedule = SelfSchedule::from(self_method_of(method), size, members.count(), set);
        std::vector<std::size_t> all(members.count());
        std::iota(all.begin(), all.end(), std::size_t{0});
        run(members, {[&] { return self_queue(schedule, members.count(), sizes); }, size, true}, all, set, makespan,
            report);
    });
}

} // extern "C"
