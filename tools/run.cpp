// hpart run: executes the kernel of a platform file with the optimal distribution and the usual ones.
#include "comparison.hpp"
#include "core/option_keys.hpp"
#include "execution.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>

namespace hpart_command
{

namespace
{

struct RunArguments {
    Common common;
    std::string size, objective = "time";
    FileTeam team;
    MeterArguments meter;
    std::optional<std::string> budget;
    bool interference = false, dynamic = false;
};

// Slowdown of processors that run together, and the pairs that disturb each other.

constexpr double most_seconds_alone = 5; // of each measurement, usually

bool is_slower(const Json &row) { return row["ratio_low"].get<double>() > 1; } // together than alone

// Measures the processors that have work alone, all together, and, where some are slower together, in pairs.
Json interference(hpart_team *team, const std::vector<std::string> &names, const std::vector<std::int64_t> &x,
                  const Common &common, double most_seconds)
{
    struct Times {
        std::vector<double> seconds, low, high; // one per processor
        bool is_one = false;                    // of all, not of each
    };
    ProgressBar bar;
    const auto most = std::to_string(most_seconds);
    const auto options = make_options(options_of(common, hpart::call_measure), {{"max_seconds", most.c_str()}});
    bar.attach(options.get());
    const auto measure = [&](const std::vector<std::size_t> &active) {
        std::vector<std::int64_t> sizes(x.size(), 0);
        for (const auto i : active) sizes[i] = x[i];
        std::vector<double> seconds(x.size());
        Report report;
        const auto status =
            hpart_team_measure(team, sizes.data(), options.get(), seconds.data(), nullptr, Filled(report));
        if (status == HPART_ERR_CANCELLED) give_up("interrupted");
        check(status);
        return Times{seconds, report_doubles(report, "interval_low"), report_doubles(report, "interval_high"),
                     report_int(report, "one_time") == 1};
    };
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0) active.push_back(i);
    auto rows = Json::array();
    const auto together = measure(active);
    if (together.is_one) return rows;
    std::vector<Times> alone(x.size());
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    for (const auto i : active) {
        alone[i] = measure({i});
        const auto &one = alone[i];
        rows.push_back({{"processor", names[i]},
                        {"size", x[i]},
                        {"alone_seconds", one.seconds[i]},
                        {"together_seconds", together.seconds[i]},
                        {"ratio", together.seconds[i] / one.seconds[i]},
                        {"ratio_low", std::max(0.0, together.low[i]) / one.high[i]},
                        {"ratio_high", one.low[i] > 0 ? together.high[i] / one.low[i] : unbounded},
                        {"disturbed_by", Json::array()}});
    }
    // Pairs: the other processor of a pair disturbs.
    for (std::size_t a = 0; a < active.size(); ++a)
        for (std::size_t b = a + 1; b < active.size(); ++b) {
            if (!is_slower(rows[a]) && !is_slower(rows[b])) continue;
            const auto i = active[a], j = active[b];
            const auto pair = active.size() == 2 ? together : measure({i, j});
            if (pair.low[i] > alone[i].high[i]) rows[a]["disturbed_by"].push_back(names[j]);
            if (pair.low[j] > alone[j].high[j]) rows[b]["disturbed_by"].push_back(names[i]);
        }
    return rows;
}

// "interference: GPU takes 1.31 x (1.28 to 1.34) as long together as alone, disturbed by CPU"
std::string interference_text(const Json &rows)
{
    std::string out;
    for (const auto &row : rows) {
        if (!is_slower(row)) continue;
        const auto number = [&](const char *key) { return row[key].get<double>(); };
        out += text("interference: ", row["processor"].get<std::string>(), " takes ",
                    ratio_text(number("ratio"), {number("ratio_low"), number("ratio_high")}, " x"),
                    " as long together as alone");
        const auto &others = row["disturbed_by"];
        for (std::size_t k = 0; k < others.size(); ++k)
            out += (k == 0 ? ", disturbed by " : " and ") + others[k].get<std::string>();
        out += "\n";
    }
    if (out.empty() && !rows.empty()) out = "interference: none; each processor takes as long together as alone\n";
    return out;
}

constexpr const char *optimal = "optimal";

// The option interpolate goes to the partitioner, the others to the measurements.
constexpr std::uint32_t of_splits = hpart::call_slice;

// The split that hpart tune chose takes the place of the best one of its few points, which is "optimal" only if a search certified it.
void take_chosen(const Problem &problem, const Facts &facts, const std::string &objective, Row &first)
{
    if (!facts.has_sizes_of_search) return;
    const auto chosen = facts.chosen_split(objective, problem.size);
    first.method = chosen && chosen->certified ? optimal : chosen ? "chosen" : "best measured";
    if (!chosen || chosen->x.size() != first.x.size()) return;
    if (chosen->x == first.x) return;
    first.x = chosen->x;
    first.costs = {}; // shares that the user gave may have sizes that the file lacks
    if (objective != "time") return;
    double seconds = 0, joules = 0; // by a call each: a file may have no energies
    if (hpart_platform_evaluate(problem.platform, first.x.data(), &seconds, nullptr) == HPART_SUCCESS)
        first.costs[goal_time].value = seconds;
    if (hpart_platform_evaluate(problem.platform, first.x.data(), nullptr, &joules) == HPART_SUCCESS)
        first.costs[goal_energy].value = joules;
}

// "optimal is faster than equal: 1.12 x (1.05 to 1.19)"
std::string comparison(const Row &first, const Row &other)
{
    const auto &[ratio, interval] = other.execution->ratio;
    // One end suffices to know the faster one.
    const auto times = [](double value, const Interval &ends) {
        if (is_telling(value, ends)) return ratio_text(value, ends, " x");
        return text("at least ", fixed_text(ends.low, 2), " x");
    };
    constexpr double least_difference = 0.001; // that the digits show
    if (other.x != first.x && interval.low > 1 - least_difference && interval.high < 1 + least_difference)
        return text(first.method, " and ", other.method, " take the same time within 0.1 %");
    switch (compare(interval, other.x == first.x)) {
    case Comparison::same: return text(first.method, " and ", other.method, " are the same split");
    case Comparison::faster: return text(first.method, " is faster than ", other.method, ": ", times(ratio, interval));
    case Comparison::slower:
        return text(other.method, " is faster than ", first.method, ": ",
                    times(1 / ratio, {1 / interval.high, 1 / interval.low}));
    case Comparison::undecided:
        if (!is_telling(ratio, interval)) break;
        return text(first.method, " and ", other.method, " cannot be told apart: the time of ", other.method, " is ",
                    times(ratio, interval), " that of ", first.method);
    case Comparison::scattered: break;
    }
    return text(first.method, " and ", other.method, " cannot be compared: their times scatter too much");
}

Json split_json(const Row &row, const Rounds &rounds)
{
    Json json;
    json["method"] = row.method;
    if (row.x.empty()) {
        for (const auto *key : {"distribution", "predicted_seconds", "measured_seconds"}) json[key] = nullptr;
        json["checked"] = false;
        for (const auto *key : {"predicted_joules", "measured_joules"}) json[key] = nullptr;
        return json;
    }
    const auto &[seconds, interval] = row.costs[goal_time];
    const auto &ran = *row.execution;
    json["distribution"] = row.x;
    json["predicted_seconds"] = seconds;
    if (interval.is_known()) set_interval(json, "time", interval);
    json["measured_seconds"] = ran.time.value;
    set_interval(json, "measured", ran.time.interval);
    json["ratio"] = ran.ratio.value;
    set_interval(json, "ratio", ran.ratio.interval);
    json["distinguishable"] = ran.is_distinguishable();
    json["checked"] = ran.checked;
    json["max_relative_error"] = ran.max_relative_error;
    json["repetitions"] = rounds.repetitions;
    json["binding_warning"] = rounds.binding_warning;
    json["utilisation"] = ran.utilisation;
    json["predicted_joules"] = row.costs[goal_energy].value;
    json["measured_joules"] = ran.joules;
    json["measured_joules_error"] = ran.joules_error;
    return json;
}

Json dynamic_json(const std::vector<Row> &rows)
{
    auto list = Json::array();
    for (const auto &row : rows) {
        list.push_back({{"method", row.method},
                        {"predicted_seconds", row.costs[goal_time].value},
                        {"run", row.execution ? row.execution->queues : Json()}});
        if (row.failure) list.back()["reason"] = row.failure->what();
    }
    return list;
}

std::string dynamic_text(const std::vector<std::string> &names, const std::vector<Row> &rows)
{
    if (rows.empty()) return {};
    Table table({"self-scheduling", names_text(names), ">packages", ">predicted", ">measured", ">utilisation"});
    for (const auto &row : rows) {
        const auto &[seconds, interval] = row.costs[goal_time];
        std::vector<std::string> cells{
            row.method, row.x.empty() ? "no such schedule" : "not run", "-", seconds_text(seconds, interval), "-", "-"};
        if (row.execution) { // no failure came before
            const auto &run = row.execution->queues;
            const auto packages = run["packages"].get<std::vector<std::int64_t>>();
            cells[1] = distribution_text(run["rows"].get<std::vector<std::int64_t>>());
            cells[2] = std::to_string(std::accumulate(packages.begin(), packages.end(), std::int64_t{0}));
            cells[4] = queues_text(run);
            cells[5] = utilisation_text(run);
        }
        table.add(std::move(cells));
    }
    return "\n" + table.text();
}

// Joules of every split beside each other: they may be below 0, within their error.
std::string energies(const std::vector<Row> &rows, const std::string &method, const std::string &source)
{
    if (std::isnan(rows.front().costs[goal_energy].value) && method.empty()) return {};
    const auto predicted = energy_heading(">predicted energy", source.substr(0, source.find(' ')));
    Table table({"method", predicted, energy_heading(">measured energy", method), ">+-"});
    for (const auto &row : rows)
        if (!row.x.empty())
            table.add({row.method, joules_text(row.costs[goal_energy].value), signed_joules_text(row.execution->joules),
                       joules_text(row.execution->joules_error)});
    return table.text() + "\n";
}

std::string error_text(const Execution &ran)
{
    if (!ran.checked) return "not checked";
    return ran.max_relative_error == 0 ? "0" : scientific_text(ran.max_relative_error, 2);
}

std::string splits_text(const std::vector<std::string> &names, const std::vector<Row> &rows)
{
    const bool any_checked =
        std::ranges::any_of(rows, [](const auto &row) { return row.execution && row.execution->checked; });
    std::vector<std::string> titles{"method", names_text(names), ">predicted", ">measured", ">utilisation"};
    if (any_checked) titles.emplace_back(">max relative error");
    Table table(titles);
    std::string comparisons;
    for (const auto &row : rows) {
        std::vector<std::string> cells{row.method, "not among the sizes", "-", "-", "-", "-"};
        if (!row.x.empty()) {
            const auto &ran = *row.execution;
            const auto &predicted = row.costs[goal_time];
            if (&row != &rows.front()) comparisons += comparison(rows.front(), row) + "\n";
            cells = {row.method,
                     distribution_text(row.x),
                     seconds_text(predicted.value, predicted.interval),
                     seconds_text(ran.time.value, ran.time.interval),
                     fixed_text(100 * ran.utilisation, 0) + " %",
                     error_text(ran)};
        }
        cells.resize(titles.size());
        table.add(std::move(cells));
    }
    return text(table.text(), "\n", comparisons);
}

std::string for_people(const Json &result, const std::string &kernel, const std::vector<std::string> &names,
                       const std::vector<Row> &rows, const Rounds &rounds, const std::string &energy_method,
                       const std::string &energy_source)
{
    const auto size = result["size"].get<std::int64_t>();
    const auto &kind = hpart::objective_named(result["objective"].get<std::string>());
    const bool is_of_medians = rounds.statistic == "median";
    auto out =
        text(kernel, ", ", is_of_programs(kernel) ? text("size ", size) : text(size, " rows"),
             kind.adds_times ? ", processors one after another: sums of times" : "", "\n\n", splits_text(names, rows),
             is_of_medians ? "(medians of each round's ratio" : "(ratios of mean times", ", with intervals of ",
             confidence_text(rounds.confidence), " confidence)\n\n", energies(rows, energy_method, energy_source));
    if (!rounds.busy.empty())
        out += text("The machine was busy: ", rounds.busy,
                    is_of_medians ? "" : ". Medians are less affected: --option statistic=median", ".\n");
    if (!rounds.binding_warning.empty())
        out += text("binding not kept: ", rows.front().method, ", ", rounds.binding_warning, "\n");
    const auto *const builtin = hpart::find_kernel(kernel.substr(0, kernel.find(' ')));
    if (builtin == nullptr || is_of_programs(kernel)) return out;
    for (const auto name : builtin->work.versions) // its times are theirs
        if (result["libraries"].contains(name))
            out += text(name, " ", result["libraries"][name].get<std::string>(), "\n");
    return out;
}

// The failure of a measurement after the comparison, which is written first.
Failure late_failure(const char *measurement, const Failure &failure)
{
    if (interrupted_by() != 0)
        return {exit_other, text("interrupted while the ", measurement, " was measured; the comparison is complete")};
    return {failure.exit_status(),
            text("the ", measurement, " could not be measured: ", failure.what(), "; the comparison is complete")};
}

void run_run(const RunArguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size == 0) refuse("--size is 0; there is nothing to run, it must be 1 or more");
    const auto objective = parse_time_objective(arguments.objective, arguments.meter);
    if (arguments.dynamic) require_queues(objective, arguments.team);
    if (arguments.interference) require_at_once(objective, "--interference needs");
    if (!arguments.dynamic)
        require_options_of(arguments.common, of_splits | hpart::call_compare | hpart::call_measure | hpart::call_meter);
    const auto platform = read_platform(arguments.team.file);
    auto team_arguments = arguments.team;
    team_arguments.program = arguments.team.program.within(arguments.budget, least_timeout);
    const auto team = make_team(team_arguments, platform.get());
    const auto names = processor_names(platform.get());
    const auto facts = facts_of(platform.get());
    const Problem problem{platform.get(), size, arguments.common, of_splits, has_energy(platform.get())};
    std::vector<Row> dynamic, rows{predict_measured(problem, {optimal, "exact"}, objective, facts)};
    if (rows.front().failure)
        throw Failure(*rows.front().failure); // nothing to run; without a baseline the others still run
    for (const auto *method : usual_methods)
        rows.push_back(predict_measured(problem, {method, method}, objective, facts));
    take_chosen(problem, facts, arguments.objective, rows.front());
    if (arguments.dynamic)
        for (const auto *method : dynamic_methods) dynamic.push_back(simulate(problem, method));
    if (arguments.budget) refuse_twice(arguments.common, "--budget", "max_seconds");
    const TimeBudget budget(arguments.budget ? std::optional(parse_seconds("--budget", *arguments.budget))
                                             : std::nullopt);
    const std::size_t later = dynamic.size() + (arguments.interference ? names.size() + 1 : 0);
    TeamMeter meter(arguments.meter);
    meter.attach(team.get());
    const auto kernel = arguments.team.runs_programs() ? kernel_of(team) : kernel_of(platform.get());
    ExecutionSettings settings{arguments.common,
                               !arguments.team.runs_programs(),
                               !hpart::objective_kind(objective).adds_times,
                               most_seconds_a_split,
                               budget,
                               later};
    const auto rounds = execute_rows(team.get(), rows, settings, meter);
    std::optional<Failure> late;
    if (rounds.failure)
        late = rounds.has_failed_energy ? late_failure("energy", *rounds.failure)
                                        : Failure(exit_other, text("interrupted; the comparison has ",
                                                                   hpart::pluralise(rounds.repetitions, "round")));
    auto slowdowns = Json::array();
    const char *measurement = "self-scheduling";
    if (!late) try {
            settings.most_seconds = budget.share(1, std::max<std::size_t>(later, 1), most_seconds_a_split);
            execute_dynamic(team.get(), platform.get(), size, dynamic, settings);
            measurement = "interference";
            if (arguments.interference)
                slowdowns = interference(team.get(), names, rows.front().x, arguments.common,
                                         budget.share(1, names.size() + 1, most_seconds_alone));
        } catch (const Failure &failure) {
            late = late_failure(measurement, failure);
        }

    Json result;
    const auto line = parse_kernel_line(kernel); // nothing where programs are run
    result["kernel"] = line ? line->kernel : kernel;
    result["objective"] = arguments.objective;
    result["size"] = size;
    result["processors"] = names;
    result["splits"] = Json::array();
    for (const auto &row : rows) result["splits"].push_back(split_json(row, rounds));
    result["complete"] = !rounds.is_cut_off;
    result["contaminated"] = rounds.contaminated;
    result["busy"] = rounds.busy;
    result["dims"] = dims_json(line ? line->dims : Dims());
    result["libraries"] = libraries_json();
    result["among_measured_sizes"] = facts.has_sizes_of_search;
    result["functions_measured"] = facts.measured.empty() ? Json() : Json(facts.measured);
    result["interference"] = slowdowns.empty() ? Json() : slowdowns;
    if (arguments.dynamic) result["dynamic"] = dynamic_json(dynamic);
    meter.describe(result);
    emit(arguments.common, result, [&] {
        return for_people(result, kernel, names, rows, rounds, meter.method(), facts.energy_source()) +
               facts.sizes_text() + interference_text(slowdowns) + dynamic_text(names, dynamic);
    });
    if (late) throw Failure(*late);
    const bool is_option = arguments.common.has_option("max_seconds");
    const bool has_others = std::ranges::any_of(rows, [&](const Row &row) { return row.x != rows.front().x; });
    if (rounds.is_cut_off && has_others)
        note_short_budget(text("The ", is_option ? "time" : "budget", " ended before all splits were told apart"),
                          is_option ? "--option max_seconds" : "--budget");
}

} // namespace

void add_run(CLI::App &app)
{
    auto arguments = std::make_shared<RunArguments>();
    auto *sub = app.add_subcommand("run", "executes the optimal split and the usual ones; predicted against measured");
    sub->add_option("FILE", arguments->team.file, "platform file of hpart profile, measured on this machine (CSV)")
        ->required();
    sub->add_option("--size", arguments->size, "number of rows, or size, of the whole problem")
        ->required()
        ->type_name("N");
    sub->add_option("--objective", arguments->objective,
                    "time (default); sum-time: processors run one after another, and their times add up")
        ->type_name(choices_text(objective_names(is_of_times)));
    add_file_team(*sub, arguments->team);
    sub->add_flag("--interference", arguments->interference,
                  "measure the optimal split's processors alone and together");
    sub->add_flag("--dynamic", arguments->dynamic, "run self-scheduling too: fixed, guided, factoring, sigmoid");
    add_optional(*sub, "--budget", arguments->budget,
                 "end near this time, with checks, comparison and energies; two rounds at least (default 15s a split)")
        ->type_name("TIME");
    add_meter_arguments(*sub, arguments->meter);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer(
        "The splits are optimal, equal, cpm (constant speeds), fpm (functions of speed) and balanced (equal\n"
        "times). With a file of hpart tune the first one is the split that tune chose, named chosen unless it was\n"
        "certified, or best measured if tune was for other sizes. They run in rounds, each once per round, until each "
        "can be told apart from the optimal one, or is\n"
        "equally fast within --option precision=0.025, or for --budget (15 s a split). With a meter each\n"
        "runs once more for its energy. --option applies to these measurements, interpolate to the splits.\n"
        "Example: hpart run --kernel dgemm --size 2048 -o result.json dgemm.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run_run(*arguments);
    });
}

} // namespace hpart_command
