// hpart schedule: several packages a processor, one after another.
#include "arguments.hpp"
#include "comparison.hpp"
#include "core/containers.hpp"
#include "core/option_keys.hpp"
#include "execution.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct ScheduleArguments {
    Common common;
    FileTeam team;
    std::vector<std::string> sizes;
    std::optional<std::string> method; // nothing: the library's default, or what --option says
    std::optional<std::string> copies, table;
    bool run = false;
};

std::string hash_of_functions(const hpart_platform *platform)
{
    std::uint64_t hash = 0;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        const auto function = function_of(platform, i);
        hash = hpart::add_to_hash<std::int64_t>(hash, function.sizes);
        hash = hpart::add_to_hash<double>(hash, function.seconds);
    }
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016" PRIx64, hash);
    return digits.data();
}

// A table's key: the kernel of the platform file, and all that decides the schedule.
std::string application_of(const ScheduleArguments &arguments, const hpart_platform *platform)
{
    auto application = kernel_of(platform);
    if (application.empty()) application = "platform " + arguments.team.file;
    application += " functions=" + hash_of_functions(platform);
    if (arguments.method) application += " method=" + *arguments.method;
    if (arguments.copies) application += " copies=" + *arguments.copies;
    for (const auto &setting : options_of(arguments.common, hpart::call_schedule).options) application += " " + setting;
    return application;
}

// Takes the schedule from the table if it has one for these functions. Else computes it and adds it to the table. Returns true if
// the table had it.
bool find_or_compute(const ScheduleArguments &arguments, const hpart_platform *platform, std::int64_t size,
                     const hpart_options *options, Schedule &schedule)
{
    if (!arguments.table) {
        check(hpart_schedule_compute(platform, size, options, Filled(schedule)));
        return false;
    }
    const auto *const table = arguments.table->c_str();
    const auto application = application_of(arguments, platform);
    if (std::filesystem::exists(table)) {
        const auto status = hpart_schedule_read(table, application.c_str(), size, platform, Filled(schedule));
        if (status != HPART_ERR_INFEASIBLE) {
            check(status);
            return true;
        }
    }
    check(hpart_schedule_compute(platform, size, options, Filled(schedule)));
    check(hpart_schedule_write(schedule.get(), table, application.c_str()), Files::written);
    return false;
}

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

Result solve(const ScheduleArguments &arguments, const hpart_platform *platform, hpart_team *team, std::int64_t size,
             const hpart_options *options)
{
    Schedule schedule;
    const bool is_known = find_or_compute(arguments, platform, size, options, schedule);
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
        const auto function = function_of(platform, task.processor);
        const auto point = std::ranges::lower_bound(function.sizes, task.size) - function.sizes.begin();
        json["tasks"].push_back({{"processor", name},
                                 {"size", task.size},
                                 {"repeats", task.repeats},
                                 {"time", function.seconds.at(static_cast<std::size_t>(point))}});
        table.add(
            {name, std::to_string(task.size), std::to_string(task.repeats), std::to_string(task.size * task.repeats)});
    }
    for (const auto *key : {"time_low", "time_high", "exact_value", "excess"})
        if (const auto value = report_double(report, key)) json[key] = *value;
    json["utilisation"] = report_doubles(report, "utilisation");
    json["solve_seconds"] = seconds;
    if (arguments.table) json["from_table"] = is_known;
    std::string measured;
    if (team != nullptr && !tasks.empty()) {
        const auto run =
            execute_queues(hpart::call_run_schedule, {arguments.common, !arguments.team.runs_programs()},
                           [&](const hpart_options *of_run, double *seconds_of_run, hpart_report **about) {
                               return hpart_team_run_schedule(team, schedule.get(), of_run, seconds_of_run, about);
                           });
        measured = text("measured ", queues_text(run), ", utilisation ", utilisation_text(run), ", ",
                        run["checked"].get<bool>() ? "checked" : "not checked", "\n");
        json["run"] = run;
        json["measured_makespan"] = run["makespan"]; // columns of the CSV
        json["measured_low"] = run["interval_low"];
        json["measured_high"] = run["interval_high"];
    }
    return {json, table.text() +
                      text("\nsize ", size, ", makespan ", seconds_text(makespan, report_interval(report, "time")),
                           optimal ? " (proved optimal)" : " (not proved optimal)",
                           is_known ? ", found in the table in " : ", solved in ", seconds_text(seconds), "\n",
                           excess ? fixed_text(100 * *excess, 1) + " % above the optimum\n" : "") +
                      measured};
}

void run_schedule(const ScheduleArguments &arguments)
{
    const auto sizes = parse_workloads(arguments.sizes);
    if (!arguments.run) require_options_of(arguments.common, hpart::call_schedule);
    if (!arguments.run && arguments.team.are_given())
        refuse("what names a kernel, its processors or its programs belongs to --run, which is not given");
    if (arguments.run && arguments.copies) refuse("--copies belongs to predictions; --run executes on this node");
    const auto options = make_options(options_of(arguments.common, hpart::call_schedule));
    set_option(options, arguments.common, "method", "--method", arguments.method);
    if (arguments.table) claim_output("--table", *arguments.table, true);
    const auto platform = read_platform(arguments.team.file, arguments.copies);
    Team team;
    if (arguments.run) team = make_team(arguments.team, platform.get());
    emit_each(arguments.common, sizes, {{"size", 0}, {"makespan", nullptr}, {"tasks", Json::array()}},
              [&](std::int64_t size) { return solve(arguments, platform.get(), team.get(), size, options.get()); });
}

} // namespace

void add_schedule(CLI::App &app)
{
    auto arguments = std::make_shared<ScheduleArguments>();
    auto *sub = app.add_subcommand("schedule", "several packages a processor, one after another, in least time");
    sub->add_option("FILE", arguments->team.file, "platform file: functions of time (CSV)")->required();
    add_workloads(*sub, arguments->sizes);
    sub->add_option("--method", arguments->method, "the algorithm (default exact)")->type_name("METHOD");
    add_copies(*sub, arguments->copies);
    add_optional(*sub, "--table", arguments->table,
                 "table of schedules: a schedule that it has is not computed again; a new one is added")
        ->type_name("TABLE");
    sub->add_flag("--run", arguments->run, "execute the schedule on this machine, as hpart run does a split");
    add_file_team(*sub, arguments->team);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("hpart plot draws the result of -o.\nExample: hpart schedule --size 2048 --table schedules.csv --run "
                "dgemm.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run_schedule(*arguments);
    });
}

} // namespace hpart_command
