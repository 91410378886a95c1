#include "dynamic.hpp"

#include "core/option_keys.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "progress_bar.hpp"
#include "split_runner.hpp"
#include "table.hpp"

#include <functional>
#include <numeric>

namespace hpart_command
{

namespace
{

// With the progress and the keys of both calls.
Json execute(std::uint32_t call, bool check_result, const Common &common, double most_seconds,
             const std::function<hpart_status(const hpart_options *, double *, hpart_report **)> &run)
{
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const auto seconds = std::to_string(most_seconds);
    const auto options =
        make_options(options_of(common, call), {{"check", check_result ? "1" : "0"}, {"max_seconds", seconds.c_str()}});
    bar.attach(options.get());
    double makespan = 0;
    Report report;
    const auto status = run(options.get(), &makespan, Filled(report));
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check(status);
    note_time_doubt(report_text(report, "time_doubt"));
    Json json;
    json["makespan"] = makespan;
    for (const auto *key : {"interval_low", "interval_high", "max_relative_error"})
        if (const auto value = report_double(report, key)) json[key] = *value;
    json["checked"] = report_int(report, "checked").value_or(0) == 1;
    json["repetitions"] = report_int(report, "repetitions").value_or(0);
    for (const auto *key : {"busy_seconds", "utilisation"}) json[key] = report_doubles(report, key);
    for (const auto *key : {"rows", "packages"}) {
        json[key] = Json::array();
        for (const double value : report_doubles(report, key)) json[key].push_back(static_cast<std::int64_t>(value));
    }
    json["binding_warning"] = report_text(report, "binding_warning");
    return json;
}

std::string measured_text(const Json &run)
{
    return seconds_text(run["makespan"].get<double>(),
                        {run["interval_low"].get<double>(), run["interval_high"].get<double>()});
}

// The mean over all processors.
std::string utilisation_text(const Json &run)
{
    const auto each = run["utilisation"].get<std::vector<double>>();
    return fixed_text(100 * std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size()), 0) +
           " %";
}

} // namespace

void require_queues(std::int32_t objective, const FileTeam &team)
{
    if (objective == HPART_OBJECTIVE_SUM_TIME)
        refuse("--dynamic needs processors that run at once; with --objective sum-time they run one after another");
    if (team.application.are_given())
        refuse("--dynamic needs processors that run packages on their own; an application runs all of them at once");
}

DynamicRow simulate_dynamic(const hpart_platform *platform, std::int64_t size, const char *method, const Common &common)
{
    const auto options = make_options(options_of(common, hpart::call_schedule), {{"method", method}});
    DynamicRow row;
    row.method = method;
    Schedule schedule;
    const auto status = hpart_schedule_compute(platform, size, options.get(), Filled(schedule));
    if (status == HPART_ERR_INFEASIBLE || status == HPART_ERR_LIMIT) {
        row.reason = last_error_text();
        return row;
    }
    check(status);
    row.predicted = hpart_schedule_makespan(schedule.get());
    Report report;
    check(hpart_schedule_report(schedule.get(), Filled(report)));
    row.predicted_interval = report_interval(report, "time");
    row.rows.resize(static_cast<std::size_t>(hpart_platform_processors(platform)), 0);
    for (std::int64_t k = 0; k < hpart_schedule_tasks(schedule.get()); ++k) {
        std::int64_t processor = 0, package = 0, repeats = 0;
        check(hpart_schedule_task(schedule.get(), k, &processor, &package, &repeats));
        row.rows[static_cast<std::size_t>(processor)] += package * repeats;
    }
    return row;
}

Json execute_schedule(hpart_team *team, const hpart_schedule *schedule, bool check, const Common &common)
{
    return execute(hpart::call_run_schedule, check, common, most_seconds_a_split,
                   [&](const hpart_options *options, double *makespan, hpart_report **report) {
                       return hpart_team_run_schedule(team, schedule, options, makespan, report);
                   });
}

std::vector<Json> execute_dynamic(hpart_team *team, const hpart_platform *platform, std::int64_t size, bool check,
                                  const std::vector<DynamicRow> &rows, const Common &common, double most_seconds)
{
    std::vector<Json> runs;
    runs.reserve(rows.size());
    for (const auto &row : rows)
        runs.push_back(row.rows.empty()
                           ? Json()
                           : execute(hpart::call_self_schedule, check, common, most_seconds,
                                     [&](const hpart_options *options, double *makespan, hpart_report **report) {
                                         return hpart_team_self_schedule(team, row.method.c_str(), size, platform,
                                                                         options, makespan, report);
                                     }));
    return runs;
}

Json dynamic_json(const std::vector<DynamicRow> &rows, const std::vector<Json> &runs)
{
    auto list = Json::array();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        Json json{{"method", rows[k].method}};
        json["predicted_seconds"] = rows[k].rows.empty() ? Json() : Json(rows[k].predicted);
        json["run"] = runs[k];
        if (!rows[k].reason.empty()) json["reason"] = rows[k].reason;
        list.push_back(std::move(json));
    }
    return list;
}

std::string dynamic_text(const std::vector<std::string> &names, const std::vector<DynamicRow> &rows,
                         const std::vector<Json> &runs)
{
    if (rows.empty()) return {};
    std::string processors;
    for (const auto &name : names) processors += (processors.empty() ? "" : " | ") + name;
    Table table({"self-scheduling", processors, ">packages", ">predicted", ">measured", ">utilisation"});
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].rows.empty()) {
            table.add({rows[k].method, "no such schedule", "-", "-", "-", "-"});
            continue;
        }
        if (runs[k].is_null()) { // a failure came before
            table.add({rows[k].method, "not run", "-", seconds_text(rows[k].predicted, rows[k].predicted_interval), "-",
                       "-"});
            continue;
        }
        const auto packages = runs[k]["packages"].get<std::vector<std::int64_t>>();
        table.add({rows[k].method, distribution_text(runs[k]["rows"].get<std::vector<std::int64_t>>()),
                   std::to_string(std::accumulate(packages.begin(), packages.end(), std::int64_t{0})),
                   seconds_text(rows[k].predicted, rows[k].predicted_interval), measured_text(runs[k]),
                   utilisation_text(runs[k])});
    }
    return "\n" + table.text();
}

std::string schedule_run_text(const Json &run)
{
    return text("measured ", measured_text(run), ", utilisation ", utilisation_text(run), ", ",
                run["checked"].get<bool>() ? "checked" : "not checked", "\n");
}

} // namespace hpart_command
