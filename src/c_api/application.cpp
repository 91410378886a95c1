#include "c_api/application.hpp"

#include "c_api/handles.hpp"
#include "c_api/team.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "measurement/application.hpp"
#include "measurement/optimize.hpp"
#include "measurement/optimize_one_time.hpp"
#include "measurement/queues.hpp"
#include "measurement/team_run.hpp"
#include "models/schedule_table.hpp"
#include "partitioners/problem/constraints.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// "CPU,GPU0,GPU1"
std::vector<std::string> split_names(std::string_view list)
{
    std::vector<std::string> names;
    for (;;) {
        const auto comma = list.find(',');
        names.emplace_back(trim(list.substr(0, comma)));
        if (comma == std::string_view::npos) return names;
        list.remove_prefix(comma + 1);
    }
}

// The NaN of times that the function leaves alone. A NaN that it computes has other bits.
constexpr std::uint64_t unset_bits = 0x7ff8'6870'6172'7400;

// A function of the user's, and the pointer it owns.
class UserApplication final : public Application
{
  public:
    UserApplication(std::vector<std::string> names, hpart_application function, void *user)
        : names_(std::move(names)), function_(function), user_(user)
    {
    }
    UserApplication(const UserApplication &) = delete;
    UserApplication &operator=(const UserApplication &) = delete;
    ~UserApplication() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    void prepare() override { gave_one_time_ = false; }
    void run(std::span<const std::int64_t> x, std::span<double> seconds) override
    {
        std::fill(seconds.begin(), seconds.end(), std::bit_cast<double>(unset_bits));
        const int stop = call_("the application", [&] {
            return function_(static_cast<std::int64_t>(x.size()), x.data(), seconds.data(), user_);
        });
        if (stop == HPART_ERR_CALLBACK && *hpart_last_error() != '\0') throw RunFailure(hpart_last_error());
        if (stop != 0) throw RunFailure(text("the application returned ", stop));
        std::vector<std::size_t> active, timed;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == 0) {
                seconds[i] = 0;
                continue;
            }
            active.push_back(i);
            if (std::bit_cast<std::uint64_t>(seconds[i]) == unset_bits) continue;
            timed.push_back(i);
            if (!std::isfinite(seconds[i]) || seconds[i] < 0)
                throw RunFailure(text("the application's time of processor ", in_quotes(names_[i]), " is ", seconds[i],
                                      " s; it must be a finite number, 0 or more"));
        }
        if (timed.size() < active.size() && timed.size() != 1)
            throw RunFailure(text("the application set ", timed.size(), " of ", active.size(),
                                  " times; it must set each, or one for all"));
        gave_one_time_ = timed.size() < active.size();
        if (!gave_one_time_) return;
        const double all = seconds[timed.front()];
        for (const auto i : active) seconds[i] = all;
    }
    bool gave_one_time() const override { return gave_one_time_; }
    bool stays_alive() const override { return true; }

  private:
    std::vector<std::string> names_;
    Callback call_;
    hpart_application function_;
    void *user_;
    hpart_free free_user_ = nullptr;
    std::atomic<bool> gave_one_time_ = false; // others look while it runs
};

} // namespace

extern "C" {

hpart_status hpart_team_set_application(hpart_team *team, const char *names, const char *command,
                                        const hpart_options *options)
{
    return guarded([&] {
        require(team, "team");
        require(names, "names");
        require(command, "command");
        const auto all = split_names(names);
        set_application(team->value, all, make_application(all, command, options_for(options, call_application)));
    });
}

hpart_status hpart_team_set_application_function(hpart_team *team, const char *names, hpart_application function,
                                                 void *user, hpart_free free_user)
{
    return guarded([&] {
        require(team, "team");
        require(names, "names");
        if (function == nullptr) fail_argument("function is NULL; it must not be");
        const auto all = split_names(names);
        const auto made = std::make_shared<UserApplication>(all, function, user);
        set_application(team->value, all, made);
        made->own(free_user);
    });
}

} // extern "C"

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

namespace
{

OptimizeRequest request_of(const Team &members, Objective objective, std::int64_t size, std::int64_t points,
                           const std::int64_t *sizes, const Options &options)
{
    if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
    const auto wanted = array(sizes, points, "sizes");
    auto request = OptimizeRequest::from(objective, size, wanted, options);
    // A single processor has one distribution.
    if (members.count() == 1 && std::ranges::find(request.sizes, size) != request.sizes.end()) request.sizes = {size};
    std::vector<std::size_t> all(members.count());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (request.is_simultaneous()) check_cores(members, options, all);
    return request;
}

} // namespace

extern "C" {

hpart_status hpart_team_optimize(hpart_team *team, int32_t objective, int64_t size, int64_t points,
                                 const int64_t *sizes, const hpart_options *options, int64_t *x, double *value,
                                 hpart_platform **measured, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto wanted = objective_of(objective);
        require(x, "x");
        const auto set = options_for(options, call_optimize);
        const auto request = request_of(members, wanted, size, points, sizes, set);
        auto control = control_of(set);
        auto found = optimize(members, request, control);
        auto about = std::make_unique<hpart_report>(hpart_report{hpart::report_of(found)});
        if (measured != nullptr) *measured = new hpart_platform{std::move(found.platform)}; // the last that can fail
        if (report != nullptr) *report = about.release();
        if (value != nullptr) *value = found.value.value;
        const auto &best = found.rivals[found.winner].x;
        std::copy(best.begin(), best.end(), x);
    });
}

hpart_status hpart_team_optimize_front(hpart_team *team, int64_t size, int32_t energy, int64_t points,
                                       const int64_t *sizes, const hpart_options *options, hpart_front **front,
                                       hpart_platform **measured, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (energy != HPART_ENERGY_DYNAMIC && energy != HPART_ENERGY_TOTAL)
            fail_argument("energy is ", energy, "; it must be 0 (dynamic) or 1 (total)");
        require(front, "front");
        const auto set = options_for(options, call_optimize);
        for (const auto *key : {"confirm", "shares", "max_runs"})
            if (set.is_set(key))
                fail_option(key, " is set; hpart_team_optimize runs distributions, no call runs a front");
        const auto objective = energy == HPART_ENERGY_TOTAL ? Objective::total_energy : Objective::energy;
        const auto request = request_of(members, objective, size, points, sizes, set);
        auto control = control_of(set);
        auto found = optimize_front(members, request, control);
        const auto about = hpart::report_of(found);
        auto report_handle = make_report(report != nullptr, about);
        auto points_found =
            std::make_unique<hpart_front>(hpart_front{Front{std::move(found.certificate.upper), about}});
        if (measured != nullptr) *measured = new hpart_platform{std::move(found.platform)}; // the last that can fail
        if (report != nullptr) *report = report_handle.release();
        *front = points_found.release();
    });
}

} // extern "C"

namespace
{

std::vector<Grouping> groupings_in(const char *topology)
{
    return topology == nullptr ? groupings_of_this_machine(usable_cores()) : groupings_of(topology);
}

} // namespace

extern "C" {

hpart_status hpart_grouping_count(const char *topology, int64_t *count)
{
    return guarded([&] {
        require(count, "count");
        *count = static_cast<std::int64_t>(groupings_in(topology).size());
    });
}

hpart_status hpart_grouping_describe(const char *topology, int64_t k, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        auto groupings = groupings_in(topology);
        const auto count = groupings.size();
        for (std::size_t known = 0; known < count; ++known)
            for (const auto &name : groupings[known].other_names)
                groupings.push_back({name, groupings[known].groups, {}});
        if (k < 0 || k >= static_cast<std::int64_t>(groupings.size()))
            fail_argument("k is ", k, "; the machine has groupings 0 to ", count - 1);
        const auto &grouping = groupings[static_cast<std::size_t>(k)];
        auto line = grouping.name;
        for (const auto &group : grouping.groups) line += text(" ", format_cores(group));
        copy_text(line, buffer, capacity, needed);
    });
}

} // extern "C"
