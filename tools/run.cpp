// hpart run: executes the kernel of a platform file with the optimal distribution and the usual ones.
#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "dynamic.hpp"
#include "file.hpp"
#include "group.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "split_runner.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
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

struct Method {
    const char *name;   // as the result shows it
    const char *method; // as the library knows it
};
constexpr std::array<Method, 5> compared_methods = {
    {{"optimal", "exact"}, {"equal", "equal"}, {"cpm", "cpm"}, {"fpm", "fpm"}, {"balanced", "balanced"}}};

struct Split {
    std::string method;
    std::vector<std::int64_t> x; // empty when the method finds no distribution among the sizes measured
    double predicted = 0;
    Interval predicted_interval;                                        // not known without intervals of the points
    double predicted_joules = std::numeric_limits<double>::quiet_NaN(); // without energy functions
    Execution execution;
};

// The option interpolate goes to the partitioner, the others to the measurements.
constexpr std::uint32_t of_splits = hpart::call_slice;

Split partition(const hpart_platform *platform, std::int32_t objective, std::int64_t size, const Method &method,
                const Common &common, const Facts &facts)
{
    const auto options = make_options(options_of(common, of_splits), {{"method", method.method}});
    Split split;
    split.method = method.name;
    split.x.resize(static_cast<std::size_t>(hpart_platform_processors(platform)));
    Report report;
    const auto status = hpart_partition(platform, objective, size, options.get(), split.x.data(), &split.predicted,
                                        &split.predicted_joules, Filled(report));
    // Without any distribution there is nothing to run; where only a baseline finds none, the others still run.
    const bool is_baseline = method.name != compared_methods.front().name;
    if (status == HPART_ERR_INFEASIBLE && is_baseline) {
        split.x.clear();
        return split;
    }
    check(status);
    if (!facts.is_split_of_method(objective == HPART_OBJECTIVE_TIME ? "time" : "sum-time", size, method.method,
                                  split.x))
        split.x.clear();
    split.predicted_interval = report_interval(report, "time");
    return split;
}

// The split that hpart tune chose takes the place of the best one of its few points, which is "optimal" only if a search certified it.
void take_chosen(const hpart_platform *platform, const Facts &facts, const RunArguments &arguments, std::int64_t size,
                 Split &first)
{
    if (!facts.has_sizes_of_search) return;
    const auto chosen = facts.chosen_split(arguments.objective, size);
    first.method = chosen && chosen->certified ? compared_methods.front().name : chosen ? "chosen" : "best measured";
    if (!chosen || chosen->x.size() != first.x.size()) return;
    if (chosen->x == first.x) return;
    first.x = chosen->x;
    first.predicted_interval = {};
    // Shares that the user gave may have sizes that the file lacks.
    first.predicted = first.predicted_joules = std::numeric_limits<double>::quiet_NaN();
    if (arguments.objective != "time") return;
    double seconds = 0, joules = 0; // by a call each: a file may have no energies
    if (hpart_platform_evaluate(platform, first.x.data(), &seconds, nullptr) == HPART_SUCCESS)
        first.predicted = seconds;
    if (hpart_platform_evaluate(platform, first.x.data(), nullptr, &joules) == HPART_SUCCESS)
        first.predicted_joules = joules;
}

void execute(hpart_team *team, bool has_reference, const Common &common, TeamMeter &meter, bool simultaneous,
             std::vector<Split> &splits, std::optional<Failure> &late, const TimeBudget &budget, std::size_t later)
{
    std::vector<std::vector<std::int64_t>> distributions;
    distributions.reserve(splits.size());
    for (const auto &split : splits) distributions.push_back(split.x);
    const auto executions = execute_splits(team, distributions, has_reference, common, meter, simultaneous,
                                           most_seconds_a_split, &late, budget, later);
    for (std::size_t k = 0; k < splits.size(); ++k) splits[k].execution = executions[k];
}

// "optimal is faster than equal: 1.12 x (1.05 to 1.19)"
std::string comparison(const Split &optimal, const Split &other)
{
    const auto &[low, high] = other.execution.ratio_interval;
    // One end suffices to know the faster one.
    const auto times = [](double ratio, const Interval &interval) {
        if (is_telling(ratio, interval)) return ratio_text(ratio, interval, " x");
        return text("at least ", fixed_text(interval.low, 2), " x");
    };
    const auto ratio = times(other.execution.ratio, {low, high});
    switch (compare({low, high}, other.x == optimal.x)) {
    case Comparison::same: return text(optimal.method, " and ", other.method, " are the same split");
    case Comparison::faster: return text(optimal.method, " is faster than ", other.method, ": ", ratio);
    case Comparison::slower:
        return text(other.method, " is faster than ", optimal.method, ": ",
                    times(1 / other.execution.ratio, {1 / high, 1 / low}));
    case Comparison::undecided:
        if (!is_telling(other.execution.ratio, {low, high})) break;
        return text(optimal.method, " and ", other.method, " cannot be told apart: the time of ", other.method, " is ",
                    ratio, " that of ", optimal.method);
    case Comparison::scattered: break;
    }
    return text(optimal.method, " and ", other.method, " cannot be compared: their times scatter too much");
}

Json split_json(const Split &split)
{
    Json json;
    json["method"] = split.method;
    if (split.x.empty()) {
        json["distribution"] = nullptr;
        json["predicted_seconds"] = nullptr;
        json["measured_seconds"] = nullptr;
        json["checked"] = false;
        json["predicted_joules"] = nullptr;
        json["measured_joules"] = nullptr;
        return json;
    }
    json["distribution"] = split.x;
    json["predicted_seconds"] = split.predicted;
    if (split.predicted_interval.is_known()) {
        json["time_low"] = split.predicted_interval.low;
        json["time_high"] = split.predicted_interval.high;
    }
    json["measured_seconds"] = split.execution.seconds;
    json["measured_low"] = split.execution.interval.low;
    json["measured_high"] = split.execution.interval.high;
    json["ratio"] = split.execution.ratio;
    json["ratio_low"] = split.execution.ratio_interval.low;
    json["ratio_high"] = split.execution.ratio_interval.high;
    json["distinguishable"] = split.execution.is_distinguishable();
    json["checked"] = split.execution.checked;
    json["max_relative_error"] = split.execution.max_relative_error;
    json["repetitions"] = split.execution.repetitions;
    json["binding_warning"] = split.execution.binding_warning;
    json["utilisation"] = split.execution.utilisation;
    json["predicted_joules"] = split.predicted_joules;
    json["measured_joules"] = split.execution.joules;
    json["measured_joules_error"] = split.execution.joules_error;
    return json;
}

double confidence_of(const Common &common)
{
    constexpr std::string_view key = "confidence=";
    double level = 0.95;
    for (const auto &setting : common.options)
        if (setting.starts_with(key)) level = hpart::parse_double(setting.substr(key.size())).value_or(level);
    return level;
}

bool is_of_medians(const Common &common)
{
    return std::find(common.options.begin(), common.options.end(), "statistic=median") != common.options.end();
}

// The libraries that do a kernel's work, on cores and on OpenCL devices: its times are theirs.
std::vector<const char *> libraries_of(std::string_view kernel)
{
    if (is_of_programs(kernel)) return {};
    const auto name = kernel.substr(0, kernel.find(' '));
    if (name == "fft2d" || name == "zfft" || name == "cfft") return {"fftw", "vkfft"};
    return {"openblas", "clblast"};
}

// Joules of every split beside each other: they may be below 0, within their error.
std::string energies(const std::vector<Split> &splits, const std::string &method, const std::string &source)
{
    if (std::isnan(splits.front().predicted_joules) && method.empty()) return {};
    const auto predicted = energy_heading(">predicted energy", source.substr(0, source.find(' ')));
    Table table({"method", predicted, energy_heading(">measured energy", method), ">+-"});
    for (const auto &split : splits)
        if (!split.x.empty())
            table.add({split.method, joules_text(split.predicted_joules), signed_joules_text(split.execution.joules),
                       joules_text(split.execution.joules_error)});
    return table.text() + "\n";
}

std::string for_people(const Common &common, const std::string &kernel, std::int64_t size, bool simultaneous,
                       const std::vector<std::string> &names, const std::vector<Split> &splits, const Json &libraries,
                       const std::string &energy_method, const std::string &energy_source)
{
    std::string processors;
    for (const auto &name : names) processors += (processors.empty() ? "" : " | ") + name;
    const bool any_checked =
        std::any_of(splits.begin(), splits.end(), [](const auto &split) { return split.execution.checked; });
    std::vector<std::string> titles{"method", processors, ">predicted", ">measured", ">utilisation"};
    if (any_checked) titles.emplace_back(">max relative error");
    Table table(titles);
    const auto add = [&](std::vector<std::string> row) {
        row.resize(titles.size());
        table.add(row);
    };
    std::string comparisons;
    for (const auto &split : splits) {
        if (split.x.empty()) {
            add({split.method, "not among the sizes", "-", "-", "-", "-"});
            continue;
        }
        if (&split != &splits.front()) comparisons += comparison(splits.front(), split) + "\n";
        add({split.method, distribution_text(split.x), seconds_text(split.predicted, split.predicted_interval),
             seconds_text(split.execution.seconds, split.execution.interval),
             fixed_text(100 * split.execution.utilisation, 0) + " %",
             !split.execution.checked                  ? "not checked"
             : split.execution.max_relative_error == 0 ? "0"
                                                       : scientific_text(split.execution.max_relative_error, 2)});
    }
    auto out = text(kernel, ", ", is_of_programs(kernel) ? text("size ", size) : text(size, " rows"),
                    simultaneous ? "" : ", processors one after another: sums of times", "\n\n", table.text(), "\n",
                    comparisons, is_of_medians(common) ? "(medians of each round's ratio" : "(ratios of mean times",
                    ", with intervals of ", confidence_text(confidence_of(common)), " confidence)\n\n",
                    energies(splits, energy_method, energy_source));
    if (const auto &disturbed_by = splits.front().execution.busy; !disturbed_by.empty())
        out += text("The machine was busy: ", disturbed_by,
                    is_of_medians(common) ? "" : ". Medians are less affected: --option statistic=median", ".\n");
    const auto unbound = std::find_if(splits.begin(), splits.end(),
                                      [](const Split &split) { return !split.execution.binding_warning.empty(); });
    if (unbound != splits.end())
        out += "binding not kept: " + unbound->method + ", " + unbound->execution.binding_warning + "\n";
    for (const char *name : libraries_of(kernel))
        if (libraries.contains(name)) out += text(name, " ", libraries[name].get<std::string>(), "\n");
    return out;
}

void run_run(const RunArguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size == 0) refuse("--size is 0; there is nothing to run, it must be 1 or more");
    const auto objective = parse_time_objective(arguments.objective, arguments.meter);
    const bool simultaneous = objective == HPART_OBJECTIVE_TIME;
    if (arguments.dynamic) require_queues(objective, arguments.team);
    if (arguments.interference && !simultaneous)
        refuse(
            "--interference needs processors that run at once; with --objective sum-time they run one after another");
    if (!arguments.dynamic)
        require_options_of(arguments.common, of_splits | hpart::call_compare | hpart::call_measure | hpart::call_meter);
    const auto platform = read_platform(arguments.team.file);
    auto team_arguments = arguments.team;
    team_arguments.program = arguments.team.program.within(arguments.budget, least_timeout);
    const auto team = make_team(team_arguments, platform.get());
    const auto names = processor_names(platform.get());
    const auto facts = facts_of(platform.get());
    std::vector<Split> splits;
    splits.reserve(compared_methods.size());
    for (const auto &method : compared_methods)
        splits.push_back(partition(platform.get(), objective, size, method, arguments.common, facts));
    take_chosen(platform.get(), facts, arguments, size, splits.front());
    std::vector<DynamicRow> dynamic;
    if (arguments.dynamic)
        for (const auto *method : dynamic_methods)
            dynamic.push_back(simulate_dynamic(platform.get(), size, method, arguments.common));
    if (arguments.budget) refuse_twice(arguments.common, "--budget", "max_seconds");
    const TimeBudget budget(arguments.budget ? std::optional(parse_seconds("--budget", *arguments.budget))
                                             : std::nullopt);
    const std::size_t later = dynamic.size() + (arguments.interference ? names.size() + 1 : 0);
    TeamMeter meter(arguments.meter);
    meter.attach(team.get());
    const auto kernel = arguments.team.runs_programs() ? kernel_of(team) : kernel_of(platform.get());
    std::optional<Failure> late;
    execute(team.get(), !arguments.team.runs_programs(), arguments.common, meter, simultaneous, splits, late, budget,
            later);
    const auto &measured = splits.front().execution;
    std::vector<Json> dynamic_runs(dynamic.size());
    std::vector<Slowdown> slowdowns;
    const char *measurement = "self-scheduling";
    if (!late) try {
            dynamic_runs = execute_dynamic(team.get(), platform.get(), size, !arguments.team.runs_programs(), dynamic,
                                           arguments.common,
                                           budget.share(1, std::max<std::size_t>(later, 1), most_seconds_a_split));
            measurement = "interference";
            if (arguments.interference)
                slowdowns = interference(team.get(), names, splits.front().x, arguments.common,
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
    for (const auto &split : splits) result["splits"].push_back(split_json(split));
    result["complete"] = !measured.is_cut_off;
    result["contaminated"] = measured.contaminated;
    result["busy"] = measured.busy;
    result["dims"] = dims_json(line ? line->dims : Dims());
    result["libraries"] = libraries_json();
    result["among_measured_sizes"] = facts.has_sizes_of_search;
    result["functions_measured"] = facts.measured.empty() ? Json() : Json(facts.measured);
    result["interference"] = slowdowns.empty() ? Json() : interference_json(slowdowns);
    if (arguments.dynamic) result["dynamic"] = dynamic_json(dynamic, dynamic_runs);
    meter.describe(result);
    emit(arguments.common, result, [&] {
        return for_people(arguments.common, kernel, size, simultaneous, names, splits, result["libraries"],
                          meter.method(), facts.energy_source()) +
               facts.sizes_text() + interference_text(slowdowns) + dynamic_text(names, dynamic, dynamic_runs);
    });
    if (late) throw Failure(*late);
    const bool is_option = arguments.common.has_option("max_seconds");
    const bool has_others = std::ranges::any_of(splits, [&](const Split &one) { return one.x != splits.front().x; });
    if (measured.is_cut_off && has_others)
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
        ->type_name("time|sum-time");
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
