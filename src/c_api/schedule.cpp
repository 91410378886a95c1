// Schedules: computed, and kept in tables.
#include "c_api/partition.hpp"
#include "core/clock.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "models/platform_file.hpp"
#include "models/schedule_table.hpp"
#include "partitioners/problem/problem.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

using namespace hpart;
using namespace hpart::c_api;

extern "C" {

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
