// hpart schedule: several packages a processor, one after another.
#include "arguments.hpp"
#include "failure.hpp"
#include "output.hpp"
#include "table.hpp"

#include <limits>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct ScheduleArguments {
    Common common;
    std::string file;
    std::vector<std::string> sizes;
    std::optional<std::string> method; // nothing: the library's default, or what --option says
    std::optional<std::string> copies;
};

struct Task {
    std::int64_t processor = 0, size = 0, repeats = 0;
};

std::vector<Task> tasks_of(const Schedule &schedule)
{
    std::vector<Task> tasks;
    for (std::int64_t k = 0; k < hpart_schedule_tasks(schedule.get()); ++k) {
        Task task;
        check(hpart_schedule_task(schedule.get(), k, &task.processor, &task.size, &task.repeats));
        tasks.push_back(task);
    }
    return tasks;
}

Result solve(const hpart_platform *platform, std::int64_t size, const hpart_options *options)
{
    Schedule schedule;
    check(hpart_schedule_compute(platform, size, options, Filled(schedule)));
    Report report;
    check(hpart_schedule_report(schedule.get(), Filled(report)));
    const auto names = processor_names(platform);
    const auto tasks = tasks_of(schedule);
    const double makespan = hpart_schedule_makespan(schedule.get());
    const double seconds = report_double(report, "solve_seconds").value_or(std::numeric_limits<double>::quiet_NaN());
    const bool optimal = report_int(report, "optimal").value_or(0) == 1;
    const auto excess = report_double(report, "excess");

    Json json;
    json["size"] = size;
    json["makespan"] = makespan;
    json["optimal"] = optimal;
    json["tasks"] = Json::array();
    Table table({"processor", ">package", ">times", ">work"});
    for (const auto &task : tasks) {
        const auto &name = names.at(static_cast<std::size_t>(task.processor));
        json["tasks"].push_back({{"processor", name}, {"size", task.size}, {"repeats", task.repeats}});
        table.add(
            {name, std::to_string(task.size), std::to_string(task.repeats), std::to_string(task.size * task.repeats)});
    }
    for (const auto *key : {"time_low", "time_high", "exact_value", "excess"})
        if (const auto value = report_double(report, key)) json[key] = *value;
    json["utilisation"] = report_doubles(report, "utilisation");
    json["solve_seconds"] = seconds;
    return {json,
            table.text() + text("\nsize ", size, ", makespan ", seconds_text(makespan, report_interval(report, "time")),
                                optimal ? " (proved optimal)" : " (not proved optimal)", ", solved in ",
                                seconds_text(seconds), "\n",
                                excess ? fixed_text(100 * *excess, 1) + " % above the optimum\n" : "")};
}

void run_schedule(const ScheduleArguments &arguments)
{
    const auto sizes = parse_workloads(arguments.sizes);
    const auto options = make_options(arguments.common);
    set_option(options, arguments.common, "method", "--method", arguments.method);
    const auto platform = read_platform(arguments.file, arguments.copies);
    emit_each(arguments.common, sizes, {{"size", 0}, {"makespan", nullptr}, {"tasks", Json::array()}},
              [&](std::int64_t size) { return solve(platform.get(), size, options.get()); });
}

} // namespace

void add_schedule(CLI::App &app)
{
    auto arguments = std::make_shared<ScheduleArguments>();
    auto *sub = app.add_subcommand("schedule", "several packages a processor, one after another, in least time");
    sub->add_option("FILE", arguments->file, "platform file: functions of time (CSV)")->required();
    add_workloads(*sub, arguments->sizes);
    sub->add_option("--method", arguments->method, "the algorithm (default exact)")->type_name("METHOD");
    add_copies(*sub, arguments->copies);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart schedule --size 100000 --format json platform.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run_schedule(*arguments);
    });
}

} // namespace hpart_command
