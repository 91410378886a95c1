#include "partitioners/calls/partition.hpp"
#include "c_api/handles.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "models/platform_file.hpp"
#include "models/schedule_table.hpp"
#include "models/shape.hpp"
#include "partitioners/matrix/column_based.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

Ties ties_of(const Options &options)
{
    return options.get_text("ties") == "fewest" ? Ties::fewest : Ties::deterministic;
}

constexpr auto largest_size = std::numeric_limits<std::int64_t>::max() - 1;

void check_workload(std::int64_t size)
{
    if (size < 0) fail_argument("size is ", size, "; it must not be negative");
    // Sums of sizes saturate at the largest integer, which must differ from every valid size.
    if (size > largest_size) fail_argument("size is ", size, "; it must be at most ", largest_size);
}

bool has_values(const Platform &platform, Column<double> Points::*values)
{
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &of_processor = platform.points(i).*values;
        if (std::any_of(of_processor.begin(), of_processor.end(), [](double value) { return !std::isnan(value); }))
            return true;
    }
    return false;
}

// A call that lacks a function altogether is wrong; a call that lacks only sizes is infeasible.
void check_functions(const Platform &platform, std::int64_t size, bool needs_energies)
{
    if (size == 0) return;
    if (!has_values(platform, &Points::seconds) && !platform.facts.all<ApplicationRun>().empty())
        fail_argument(
            "the platform has runs of an application that gave one time for all processors, and no functions; profile "
            "with option simultaneous=0, or let the application print the time of each");
    if (!has_values(platform, &Points::seconds))
        fail_argument("the platform has no time functions; profile it, or set them");
    if (needs_energies && !has_values(platform, &Points::joules))
        fail_argument("the platform has no energy functions; profile with a meter, or set them");
}

[[noreturn]] void fail_at_limit(const Control &control, const char *what_it_left)
{
    fail(Status::limit, control.limit_met(), " ", what_it_left, "; a larger one lets the search go on");
}

const char *what_is_left(const Distribution &found)
{
    if (!found.feasible) return "before a distribution was found";
    if (std::get<std::int64_t>(found.report.get("optimal")) == 1)
        return "and the distribution given is optimal; among equal ones another may be the one that the options choose";
    return "and the distribution given is feasible, not proved optimal";
}

// The result of a call whose limit was reached before it had built all points.
Distribution unknown_distribution(const Options &settings)
{
    Distribution out;
    out.limit_reached = true;
    out.report.set("method", settings.get_text("method"));
    if (const auto deadline = settings.find_double("deadline")) out.report.set("deadline", *deadline);
    out.report.set("optimal", std::int64_t{0});
    out.report.set("feasible", std::int64_t{0});
    out.report.set("lower_bound", 0.0);
    return out;
}

// A search measured only the sizes that it needed: the best of these is not proved best.
Report as_proved(Report report, const Platform &platform)
{
    if (!platform.facts.states(Topic::sizes_of_search)) return report;
    report.set("optimal", std::int64_t{0});
    report.erase("lower_bound");
    report.erase("gap");
    return report;
}

// Calls that give nothing when they meet a limit.
template <typename Solve> auto all_or_nothing(const Control &control, Solve &&solve)
{
    try {
        return solve();
    } catch (const TooManyPoints &) {
        throw;
    } catch (const Error &error) {
        if (error.status() == Status::limit) fail_at_limit(control, "before the result was complete");
        throw;
    }
}

} // namespace

extern "C" {

hpart_status hpart_partition(const hpart_platform *platform, int32_t objective, int64_t size,
                             const hpart_options *options, int64_t *x, double *seconds, double *joules,
                             hpart_report **report)
{
    return guarded([&] {
        require(platform, "platform");
        PartitionRequest request;
        request.objective = objective_of(objective);
        check_workload(size);
        request.size = size;
        require(x, "x");
        const auto settings = options_for(options, call_partition);
        check_functions(platform->value, size, needs_energies(request.objective) || settings.is_set("energy_budget"));
        request.method = settings.get_text("method");
        request.ties = ties_of(settings);
        request.options = settings;
        request.wants_joules = joules != nullptr;
        request.wants_utilisation = report != nullptr;
        auto control = Control::from(settings);
        Distribution found;
        std::optional<TooManyPoints> too_many;
        try {
            found = partition(platform->value, platform->prepared, request, control);
        } catch (const TooManyPoints &error) {
            too_many = error;
            found = unknown_distribution(settings);
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            found = unknown_distribution(settings);
        }
        found.report = as_proved(std::move(found.report), platform->value);
        const char *left = what_is_left(found);
        auto report_handle = make_report(report != nullptr, std::move(found.report));
        if (found.feasible) {
            std::copy(found.x.begin(), found.x.end(), x);
            if (seconds != nullptr) *seconds = found.seconds;
            if (joules != nullptr) *joules = found.joules;
        }
        if (report != nullptr) *report = report_handle.release();
        if (too_many) throw TooManyPoints(*too_many);
        if (found.limit_reached) fail_at_limit(control, left);
    });
}

hpart_status hpart_partition_time(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                  int64_t *x, double *seconds)
{
    return hpart_partition(platform, HPART_OBJECTIVE_TIME, size, options, x, seconds, nullptr, nullptr);
}

hpart_status hpart_partition_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                    int64_t *x, double *joules)
{
    return hpart_partition(platform, HPART_OBJECTIVE_ENERGY, size, options, x, nullptr, joules, nullptr);
}

hpart_status hpart_partition_total_energy(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                          int64_t *x, double *joules)
{
    return hpart_partition(platform, HPART_OBJECTIVE_TOTAL_ENERGY, size, options, x, nullptr, joules, nullptr);
}

hpart_status hpart_platform_aggregate(const hpart_platform *node, int32_t objective, int64_t size,
                                      const hpart_options *options, hpart_platform **whole)
{
    return guarded([&] {
        require(node, "node");
        require(whole, "whole");
        // A node's functions have neither the base power nor sums of times.
        const auto is_shared_out = [](const ObjectiveKind &kind) {
            return kind.needs_times() != kind.needs_energies && !kind.adds_times;
        };
        PartitionRequest request;
        request.objective = objective_kind(objective, is_shared_out, ", which nodes share out").objective;
        check_workload(size);
        request.size = size;
        request.options = options_for(options, call_partition);
        request.method = request.options.get_text("method");
        request.ties = ties_of(request.options);
        check_functions(node->value, size, needs_energies(request.objective));
        auto control = Control::from(request.options);
        *whole = all_or_nothing(
            control, [&] { return new hpart_platform{aggregate(node->value, node->prepared, request, control)}; });
    });
}

hpart_status hpart_shares_compute(int64_t processors, const int64_t *x, double *shares)
{
    return guarded([&] {
        const auto sizes = array(x, processors, "x");
        require(shares, "shares");
        const auto found = shares_of(sizes);
        std::copy(found.begin(), found.end(), shares);
    });
}

hpart_status hpart_front_compute(const hpart_platform *platform, int64_t size, int32_t energy,
                                 const hpart_options *options, hpart_front **front)
{
    return guarded([&] {
        require(platform, "platform");
        check_workload(size);
        require(front, "front");
        if (energy != HPART_ENERGY_DYNAMIC && energy != HPART_ENERGY_TOTAL)
            fail_argument("energy is ", energy, "; it must be 0 (dynamic) or 1 (total)");
        const auto settings = options_for(options, call_front);
        check_functions(platform->value, size, true);
        auto control = Control::from(settings);
        const auto kind = energy == HPART_ENERGY_TOTAL ? FrontEnergy::total : FrontEnergy::dynamic;
        auto found = all_or_nothing(control, [&] {
            return compute_front(platform->value, platform->prepared,
                                 {size, kind, settings.get_text("method"), settings}, control);
        });
        found.report = as_proved(std::move(found.report), platform->value);
        *front = new hpart_front{std::move(found)};
    });
}

int64_t hpart_front_count(const hpart_front *front)
{
    return front == nullptr ? -1 : static_cast<std::int64_t>(front->value.points.size());
}

int64_t hpart_front_processors(const hpart_front *front)
{
    // A front has a point at least, and a point an entry per processor.
    return front == nullptr ? -1 : static_cast<std::int64_t>(front->value.points.front().x.size());
}

hpart_status hpart_front_point(const hpart_front *front, int64_t k, double *seconds, double *joules, int64_t *x)
{
    return guarded([&] {
        require(front, "front");
        const auto &points = front->value.points;
        if (k < 0 || k >= static_cast<std::int64_t>(points.size()))
            fail_argument("k is ", k, "; the front has points 0 to ", points.size() - 1);
        const auto &point = points[static_cast<std::size_t>(k)];
        if (seconds != nullptr) *seconds = point.seconds;
        if (joules != nullptr) *joules = point.joules;
        if (x != nullptr) std::copy(point.x.begin(), point.x.end(), x);
    });
}

hpart_status hpart_front_report(const hpart_front *front, hpart_report **report)
{
    return guarded([&] {
        require(front, "front");
        require(report, "report");
        *report = new hpart_report{front->value.report};
    });
}

void hpart_front_destroy(hpart_front *front) { delete front; }

hpart_status hpart_schedule_compute(const hpart_platform *platform, int64_t size, const hpart_options *options,
                                    hpart_schedule **schedule)
{
    return guarded([&] {
        require(platform, "platform");
        check_workload(size);
        require(schedule, "schedule");
        const auto settings = options_for(options, call_schedule);
        check_functions(platform->value, size, false);
        auto control = Control::from(settings);
        auto found = all_or_nothing(control, [&] {
            return compute_schedule(platform->value, platform->prepared,
                                    {size, settings.get_text("method"), ties_of(settings), settings}, control);
        });
        found.report = as_proved(std::move(found.report), platform->value);
        *schedule = new hpart_schedule{std::move(found)};
    });
}

double hpart_schedule_makespan(const hpart_schedule *schedule)
{
    return schedule == nullptr ? std::numeric_limits<double>::quiet_NaN() : schedule->value.makespan;
}

int64_t hpart_schedule_tasks(const hpart_schedule *schedule)
{
    return schedule == nullptr ? -1 : static_cast<std::int64_t>(schedule->value.tasks.size());
}

hpart_status hpart_schedule_task(const hpart_schedule *schedule, int64_t k, int64_t *processor, int64_t *size,
                                 int64_t *repeats)
{
    return guarded([&] {
        require(schedule, "schedule");
        const auto &tasks = schedule->value.tasks;
        if (k < 0 || k >= static_cast<std::int64_t>(tasks.size()))
            fail_argument("k is ", k, "; the schedule has ", pluralise(tasks.size(), "task"), ", from 0 on");
        const auto &task = tasks[static_cast<std::size_t>(k)];
        if (processor != nullptr) *processor = task.processor;
        if (size != nullptr) *size = task.size;
        if (repeats != nullptr) *repeats = task.repeats;
    });
}

hpart_status hpart_schedule_report(const hpart_schedule *schedule, hpart_report **report)
{
    return guarded([&] {
        require(schedule, "schedule");
        require(report, "report");
        *report = new hpart_report{schedule->value.report};
    });
}

void hpart_schedule_destroy(hpart_schedule *schedule) { delete schedule; }

} // extern "C"

namespace
{

Report tiling_report(const MatrixPartition &partition)
{
    Report report;
    report.set("columns", static_cast<std::int64_t>(partition.arrangement.columns.size()));
    report.set("half_perimeters", partition.half_perimeters);
    report.set("exact_half_perimeters", partition.arrangement.half_perimeters);
    report.set("lower_bound", partition.lower_bound);
    report.set("ratio", partition.half_perimeters / partition.lower_bound);
    report.set("largest_area_error", partition.largest_area_error);
    return report;
}

} // namespace

extern "C" {

hpart_status hpart_matrix_partition(int64_t processors, const double *areas, int64_t rows, int64_t columns,
                                    int64_t *first_rows, int64_t *first_columns, int64_t *heights, int64_t *widths,
                                    hpart_report **report)
{
    return guarded([&] {
        const auto all_areas = array(areas, processors, "areas");
        require(first_rows, "first_rows");
        require(first_columns, "first_columns");
        require(heights, "heights");
        require(widths, "widths");
        const auto found = partition_matrix(all_areas, rows, columns);
        auto *const made =
            report == nullptr ? nullptr : new hpart_report{tiling_report(found)}; // after this nothing throws
        for (std::size_t i = 0; i < found.rectangles.size(); ++i) {
            const auto &rectangle = found.rectangles[i];
            first_rows[i] = rectangle.first_row;
            first_columns[i] = rectangle.first_column;
            heights[i] = rectangle.height;
            widths[i] = rectangle.width;
        }
        if (report != nullptr) *report = made;
    });
}

} // extern "C"

namespace
{

constexpr std::chrono::milliseconds patience(5000); // for another writer of the same table

TableEntry entry_of(const Schedule &schedule, const std::string &application)
{
    TableEntry entry{application, 0, schedule.makespan, false, schedule.processors, {}};
    entry.is_optimal = std::get<std::int64_t>(schedule.report.get("optimal")) == 1;
    for (const auto &[processor, size, repeats] : schedule.tasks) {
        entry.tasks.push_back({processor, size, repeats});
        entry.size += size * repeats; // cannot overflow: the sum is a size that a computed or stored schedule has
    }
    return entry;
}

// Fails unless the functions still give the schedule's makespan. Returns the busy seconds.
std::vector<double> busy_on(const hpart_platform &platform, const Schedule &schedule)
{
    const auto misfit = [](const auto &...parts) {
        fail(Status::infeasible, "the table's schedule does not fit the platform: ", parts...);
    };
    const auto &functions = platform.value;
    const auto count = static_cast<std::int64_t>(schedule.processors.size());
    if (functions.count() != count)
        misfit("it has ", pluralise(count, "processor"), ", the platform ", functions.count());
    for (std::int64_t i = 0; i < count; ++i)
        if (const auto &name = schedule.processors[static_cast<std::size_t>(i)]; functions.processor(i).name != name)
            misfit("processors[", i, "] is ", in_quotes(name), ", in the platform ",
                   in_quotes(functions.processor(i).name));
    const auto &instance = platform.prepared.get(functions, Needs::time).instance();
    for (const auto &task : schedule.tasks) {
        const auto i = static_cast<std::size_t>(task.processor);
        if (instance.of(i).find(task.size) == instance.of(i).count())
            misfit("processor ", in_quotes(schedule.processors[i]), " has no time at size ", task.size);
    }
    auto busy = busy_seconds(instance, schedule.tasks);
    const auto makespan = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
    if (makespan != schedule.makespan)
        misfit("its makespan is ", schedule.makespan, " s, by the functions ", makespan, " s");
    return busy;
}

Schedule schedule_of(const TableEntry &entry)
{
    Schedule schedule;
    schedule.makespan = entry.makespan;
    schedule.processors = entry.processors;
    std::int64_t active = 0, last = -1;
    for (const auto &[processor, package, repeats] : entry.tasks) {
        schedule.tasks.push_back({processor, package, repeats});
        active += processor == last ? 0 : 1;
        last = processor;
    }
    schedule.report.set("method", std::string("table"));
    schedule.report.set("optimal", std::int64_t{entry.is_optimal ? 1 : 0});
    schedule.report.set("feasible", std::int64_t{1});
    schedule.report.set("active", active);
    return schedule;
}

} // namespace

extern "C" {

hpart_status hpart_schedule_write(const hpart_schedule *schedule, const char *path, const char *application)
{
    return guarded([&] {
        require(schedule, "schedule");
        require(path, "path");
        require(application, "application");
        check_application(application);
        const FileLock lock(path, patience);
        ScheduleTable table;
        if (std::error_code error; std::filesystem::exists(path, error))
            table = parse_schedule_table(read_file(path), path);
        table.set(entry_of(schedule->value, application));
        write_file(path, format_schedule_table(table));
    });
}

hpart_status hpart_schedule_read(const char *path, const char *application, int64_t size,
                                 const hpart_platform *platform, hpart_schedule **schedule)
{
    return guarded([&] {
        const auto start = Clock::now();
        require(path, "path");
        require(application, "application");
        check_application(application);
        require(schedule, "schedule");
        const auto table = parse_schedule_table(read_file(path), path);
        const auto *const entry = table.find(application, size);
        if (entry == nullptr)
            fail(Status::infeasible, "the table ", in_quotes(path), " has no schedule of size ", size, " and ",
                 in_quotes(application));
        auto found = schedule_of(*entry);
        if (platform != nullptr) {
            auto busy = busy_on(*platform, found);
            for (auto &seconds : busy) seconds = found.makespan > 0 ? seconds / found.makespan : 0;
            found.report.set("utilisation", busy);
        }
        found.report.set("solve_seconds", seconds_since(start));
        *schedule = new hpart_schedule{std::move(found)};
    });
}

} // extern "C"
