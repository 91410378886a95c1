// hpart partition: one best distribution of a workload.

#include "arguments.hpp"
#include "comparison.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct PartitionArguments {
    Common common;
    std::string file, objective = "time";
    std::vector<std::string> sizes;
    std::optional<std::string> method; // nothing: the library's default, or what --option says
    std::optional<std::string> base_power, copies;
    LimitArguments limits;
};

struct Solution {
    std::vector<std::int64_t> x;
    double seconds = 0, joules = 0;
    Report report;
};

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

bool is_interpolated(const PartitionArguments &arguments)
{
    return arguments.common.value_of("interpolate").value_or("none") != "none";
}

const hpart::ObjectiveKind &kind_of(const PartitionArguments &arguments)
{
    return hpart::objective_named(arguments.objective);
}

// The time that a distribution has beside any energy.
std::string_view time_of(const hpart::ObjectiveKind &kind)
{
    return kind.needs_energies ? hpart::objective_kind(hpart::Objective::time).quantity : kind.quantity;
}

std::string_view energy_of(const hpart::ObjectiveKind &kind)
{
    return kind.needs_energies ? kind.quantity : hpart::objective_kind(hpart::Objective::energy).quantity;
}

// The active processors in the order of their chain, with communication=chain-any; else nothing.
std::vector<std::int64_t> chain_of(const Report &report)
{
    const auto order = report_doubles(report, "order");
    return {order.begin(), order.end()};
}

Json to_json(const PartitionArguments &arguments, const Facts &facts, std::int64_t size,
             const std::vector<std::string> &names, const Solution &solution)
{
    Json json;
    json["objective"] = arguments.objective;
    json["method"] = report_text(solution.report, "method");
    json["size"] = size;
    json["time"] = solution.seconds;
    json["energy"] = solution.joules; // NaN is written as null
    for (const auto *key : {"time_low", "time_high", "energy_low", "energy_high"})
        if (const auto value = report_double(solution.report, key)) json[key] = *value;
    json["distribution"] = solution.x;
    json["processors"] = names;
    json["optimal"] = report_int(solution.report, "optimal").value_or(0) == 1;
    json["lower_bound"] = report_double(solution.report, "lower_bound").value_or(not_known);
    for (const auto *key :
         {"deadline", "exact_value", "excess", "compute_seconds", "communication_seconds", "communication_joules"})
        if (const auto value = report_double(solution.report, key)) json[key] = *value;
    if (const auto shares = report_doubles(solution.report, "utilisation"); !shares.empty())
        json["utilisation"] = shares;
    if (const auto moved = report_int(solution.report, "moved")) json["moved"] = *moved;
    if (const auto order = chain_of(solution.report); !order.empty()) json["order"] = order;
    json["solve_seconds"] = report_double(solution.report, "solve_seconds").value_or(not_known);
    json["among_measured_sizes"] = facts.has_sizes_of_search && !is_interpolated(arguments);
    json["chosen"] = nullptr; // by hpart tune
    if (const auto chosen = facts.chosen_split(arguments.objective, size))
        json["chosen"] = {{"distribution", chosen->x},
                          {kind_of(arguments).needs_energies ? "energy" : "time", chosen->value},
                          {"measured", chosen->has_run},
                          {"certified", chosen->certified.has_value()}};
    return json;
}

// A processor's function by itself, with its intervals.
Platform alone(const hpart_platform *platform, std::int64_t processor)
{
    Platform one;
    check(hpart_platform_create(1, Filled(one)));
    const auto function = function_of(platform, processor);
    const auto set = [&](const auto &setter, const auto &interval_setter, const std::vector<double> &values,
                         const std::vector<Interval> &intervals) {
        std::vector<std::int64_t> sizes, with_interval;
        std::vector<double> known, low, high;
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (std::isnan(values[k])) continue;
            sizes.push_back(function.sizes[k]);
            known.push_back(values[k]);
            if (!intervals[k].is_known()) continue;
            with_interval.push_back(function.sizes[k]);
            low.push_back(intervals[k].low);
            high.push_back(intervals[k].high);
        }
        const auto count = [](const auto &list) { return static_cast<std::int64_t>(list.size()); };
        if (!known.empty()) check(setter(one.get(), 0, count(sizes), sizes.data(), known.data()));
        if (!low.empty())
            check(interval_setter(one.get(), 0, count(low), with_interval.data(), low.data(), high.data(), nullptr));
    };
    set(hpart_platform_set_time_function, hpart_platform_set_time_interval, function.seconds, function.time_intervals);
    set(hpart_platform_set_energy_function, hpart_platform_set_energy_interval, function.joules,
        function.energy_intervals);
    return one;
}

// One processor's part, with its time and energy, measured or interpolated as in the whole.
Solution solution_of_part(const PartitionArguments &arguments, const hpart_platform *platform, std::int64_t processor,
                          std::int64_t size)
{
    Common values;
    for (const auto &setting : arguments.common.options)
        if (setting.starts_with("interpolate=") || setting.starts_with("objective_bound="))
            values.options.push_back(setting);
    const auto options = make_options(values);
    Solution part;
    part.x = {0};
    check(hpart_partition(alone(platform, processor).get(), HPART_OBJECTIVE_TIME, size, options.get(), part.x.data(),
                          &part.seconds, &part.joules, Filled(part.report)));
    return part;
}

std::string time_text(const Solution &solution)
{
    return seconds_text(solution.seconds, report_interval(solution.report, "time"));
}

std::string energy_text(const Solution &solution)
{
    return joules_text(solution.joules, report_interval(solution.report, "energy"));
}

std::string for_people(const PartitionArguments &arguments, const Facts &facts, std::int64_t size,
                       const hpart_platform *platform, const std::vector<std::string> &names, const Solution &solution)
{
    std::vector<std::string> headings{"processor", ">size", ">share", ">time"};
    const bool has_joules = has_energy(platform);
    if (has_joules) headings.emplace_back(">energy");
    Table table(headings);
    const auto add = [&](std::vector<std::string> row, const std::string &energy) {
        if (has_joules) row.push_back(energy);
        table.add(std::move(row));
    };
    for (std::size_t i = 0; i < names.size(); ++i) {
        const double share = size == 0 ? 0 : 100 * static_cast<double>(solution.x[i]) / static_cast<double>(size);
        if (solution.x[i] == 0) {
            add({names[i], "0", fixed_text(share, 1) + " %", "idle"}, "-");
            continue;
        }
        const auto part = solution_of_part(arguments, platform, static_cast<std::int64_t>(i), solution.x[i]);
        add({names[i], std::to_string(solution.x[i]), fixed_text(share, 1) + " %", time_text(part)}, energy_text(part));
    }
    const bool optimal = report_int(solution.report, "optimal").value_or(0) == 1;
    const bool has_few_sizes = facts.has_sizes_of_search && !is_interpolated(arguments);
    const auto &kind = kind_of(arguments);
    auto out = table.text();
    const auto method = report_text(solution.report, "method");
    out += text("\nsize ", size, optimal ? ", least " : ", ", kind.quantity, " by method ", method,
                has_few_sizes ? ", among the sizes that hpart tune measured" : "",
                is_interpolated(arguments) && optimal ? " (proved optimal for the interpolated functions)"
                : optimal                             ? " (proved optimal for the file's sizes)"
                : has_few_sizes                       ? ""
                                                      : " (not proved optimal)",
                "\n");
    out += text(time_of(kind), " ", time_text(solution));
    if (has_joules) out += text(", ", energy_of(kind), " ", energy_text(solution));
    out +=
        text(", solved in ", seconds_text(report_double(solution.report, "solve_seconds").value_or(not_known)), "\n");
    if (const auto communication = report_double(solution.report, "communication_seconds"))
        out += text("of the time, communication adds ", seconds_text(*communication), "\n");
    if (const auto links = report_double(solution.report, "communication_joules"); links && *links > 0)
        out += text("of the energy, links take ", joules_text(*links), "\n");
    if (const auto chain = chain_of(solution.report); !chain.empty()) {
        out += "chain:";
        for (const auto i : chain) out += text(" ", names[static_cast<std::size_t>(i)]);
        out += "\n";
    }
    if (const auto excess = report_double(solution.report, "excess"))
        out += text(fixed_text(100 * *excess, 1), " % above the optimum\n");
    if (const auto chosen = facts.chosen_split(arguments.objective, size)) out += chosen_text(*chosen, solution.x);
    return out;
}

// The row of one size among several. has_few_sizes: the file has only a search's sizes.
std::vector<std::string> row_of(std::int64_t size, const Solution &solution, bool has_joules, bool has_few_sizes)
{
    std::vector<std::string> row{std::to_string(size), distribution_text(solution.x), time_text(solution)};
    if (has_joules) row.push_back(energy_text(solution));
    row.emplace_back(report_int(solution.report, "optimal").value_or(0) == 1 ? "proved"
                     : has_few_sizes                                         ? "of measured sizes"
                                                                             : "not proved");
    return row;
}

std::vector<std::string> headings_of(const PartitionArguments &arguments, const std::vector<std::string> &names,
                                     bool has_joules)
{
    const auto &kind = kind_of(arguments);
    std::vector<std::string> headings{">size", names_text(names), text(">", time_of(kind))};
    if (has_joules) headings.push_back(text(">", energy_of(kind)));
    headings.emplace_back("optimal");
    return headings;
}

Options partition_options(const PartitionArguments &arguments)
{
    auto options = make_options(arguments.common);
    set_option(options, arguments.common, "method", "--method", arguments.method);
    arguments.limits.set(options, arguments.common);
    return options;
}

void run(PartitionArguments arguments)
{
    std::replace(arguments.objective.begin(), arguments.objective.end(), '_', '-');
    const auto sizes = parse_workloads(arguments.sizes);
    const auto objective = parse_objective(arguments.objective, hpart::is_any_objective);
    const auto options = partition_options(arguments);
    const auto platform = read_platform(arguments.file, arguments.copies);
    if (arguments.base_power)
        check(hpart_platform_set_base_power(platform.get(), parse_watts("--base-power", *arguments.base_power)));
    auto facts = facts_of(platform.get());
    // The search knew no bounds.
    if (arguments.limits.are_given() || !arguments.common.options.empty()) facts.chosen.clear();
    const auto source = facts.energy_source();
    const auto names = processor_names(platform.get());
    const auto left_out = kind_of(arguments).needs_energies ? left_out_text(platform.get()) : std::string();
    const Json empty{{"objective", arguments.objective}, {"size", 0}, {"distribution", nullptr}, {"processors", names}};
    // The table solves each processor's part again.
    const bool is_for_people = !arguments.common.json && !arguments.common.csv;
    std::string notes;
    if (arguments.objective == "time" && facts.measured == "one after another")
        notes = "these times were measured one after another; processors that run at once may take longer\n";
    notes += left_out + energy_warning(source);
    const bool has_joules = has_energy(platform.get()),
               has_few_sizes = facts.has_sizes_of_search && !is_interpolated(arguments);
    const auto solve = [&](std::int64_t size) -> Result {
        Solution solution;
        solution.x.resize(names.size());
        const auto status = hpart_partition(platform.get(), objective, size, options.get(), solution.x.data(),
                                            &solution.seconds, &solution.joules, Filled(solution.report));
        // At a limit a distribution may be known: prints it, with a note that it may not be the best.
        const bool stopped_early =
            status == HPART_ERR_LIMIT && report_int(solution.report, "feasible").value_or(0) == 1;
        if (status != HPART_SUCCESS && !stopped_early) throw library_failure(status);
        std::optional<Failure> limit; // read before another call of the library fails
        if (stopped_early) limit = library_failure(status);
        // Nobody's energy is 0 joules, but where nothing was measured it is not known.
        if (size == 0 && !has_joules) solution.joules = not_known;
        auto json = to_json(arguments, facts, size, names, solution);
        if (!source.empty()) json["energy_source"] = source;
        if (!is_for_people) return {json, "", limit};
        if (sizes.size() == 1)
            return {json, for_people(arguments, facts, size, platform.get(), names, solution) + notes, limit};
        return {json, size == sizes.front() ? notes : "", limit, row_of(size, solution, has_joules, has_few_sizes)};
    };
    emit_each(arguments.common, sizes, empty, solve, headings_of(arguments, names, has_joules));
}

} // namespace

void add_partition(CLI::App &app)
{
    auto arguments = std::make_shared<PartitionArguments>();
    auto *sub = app.add_subcommand("partition", "the distribution of a workload that takes least time or energy");
    sub->add_option("FILE", arguments->file, "platform file: functions of time and energy (CSV)")->required();
    add_workloads(*sub, arguments->sizes);
    sub->add_option("--objective", arguments->objective, "the value to minimise (default time)")
        ->type_name(choices_text(objective_names(hpart::is_any_objective)));
    sub->add_option("--method", arguments->method,
                    "exact (the default), a baseline (equal, cpm, fpm, smooth-fpm, balanced) or a paper's method "
                    "(docs/reference/methods.md)")
        ->type_name("METHOD");
    add_copies(*sub, arguments->copies);
    add_optional(*sub, "--base-power", arguments->base_power, "static power of the node, instead of the file's")
        ->type_name("WATTS");
    add_limits(*sub, arguments->limits);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart partition --objective energy --size 4096 platform.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run(*arguments);
    });
}

// hpart pareto: every trade-off between time and energy.

namespace
{

struct ParetoArguments {
    Common common;
    LimitArguments limits;
    std::vector<std::string> sizes;
    std::string file, energy = "dynamic";
    std::optional<std::string> method; // nothing: the library's default, or what --option says
    std::optional<std::string> base_power, copies;
};

double solve_seconds(const Front &front)
{
    Report report;
    check(hpart_front_report(front.get(), Filled(report)));
    return report_double(report, "solve_seconds").value_or(std::numeric_limits<double>::quiet_NaN());
}

void run_pareto(const ParetoArguments &arguments)
{
    const auto sizes = parse_workloads(arguments.sizes);
    const auto energy = static_cast<std::int32_t>(parse_choice("--energy", arguments.energy, {"dynamic", "total"}));
    const auto options = make_options(arguments.common);
    set_option(options, arguments.common, "method", "--method", arguments.method);
    arguments.limits.set(options, arguments.common);
    const auto platform = read_platform(arguments.file, arguments.copies);
    if (arguments.base_power)
        check(hpart_platform_set_base_power(platform.get(), parse_watts("--base-power", *arguments.base_power)));

    const auto names = processor_names(platform.get());
    const auto source = facts_of(platform.get()).energy_source();
    const auto notes = left_out_text(platform.get()) + energy_warning(source);
    const Json empty{{"size", 0}, {"energy", arguments.energy}, {"processors", names}, {"points", Json::array()}};
    emit_each(arguments.common, sizes, empty, [&](std::int64_t size) -> Result {
        Front front;
        check(hpart_front_compute(platform.get(), size, energy, options.get(), Filled(front)));
        const auto points = front_rows(front.get(), names.size());
        const double seconds = solve_seconds(front);
        Json json;
        json["size"] = size;
        json["energy"] = arguments.energy;
        json["processors"] = names;
        json["points"] = Json::array();
        for (const auto &point : points) {
            const auto &[time, joules, total] = point.costs;
            Json entry{{"time", time.value}, {"energy", joules.value}, {"distribution", point.x}};
            if (time.interval.is_known()) set_interval(entry, "time", time.interval);
            if (joules.interval.is_known()) set_interval(entry, "energy", joules.interval);
            json["points"].push_back(std::move(entry));
        }
        json["solve_seconds"] = seconds;
        if (!source.empty()) json["energy_source"] = source;
        return {json, text(front_table(points, names, arguments.energy + " energy"), "\nsize ", size, ": ",
                           hpart::pluralise(points.size(), "point"), " on the front, solved in ", seconds_text(seconds),
                           "\n", notes)};
    });
}

} // namespace

void add_pareto(CLI::App &app)
{
    auto arguments = std::make_shared<ParetoArguments>();
    auto *sub = app.add_subcommand("pareto", "every trade-off between time and energy: the Pareto front");
    sub->add_option("FILE", arguments->file, "platform file with times and energies (CSV)")->required();
    add_workloads(*sub, arguments->sizes);
    sub->add_option("--energy", arguments->energy,
                    "dynamic energy (the default) or total energy, which adds base power x time")
        ->type_name("dynamic|total");
    sub->add_option("--method", arguments->method, "the algorithm (default exact)")->type_name("METHOD");
    add_copies(*sub, arguments->copies);
    add_limits(*sub, arguments->limits);
    add_optional(*sub, "--base-power", arguments->base_power, "static power of the node, instead of the file's")
        ->type_name("WATTS");
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart pareto --size 4096 -o front.json platform.csv && hpart plot front.json -o front.svg");
    sub->callback([arguments] {
        arguments->common.settle();
        run_pareto(*arguments);
    });
}

} // namespace hpart_command
