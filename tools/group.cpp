// hpart group: which grouping of this machine's cores into abstract processors is best for a kernel, in time and in energy.

#include "comparison.hpp"
#include "core/numbers.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "execution.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct GroupArguments {
    Common common;
    std::string kernel, dims, size, points = "8", objective = "time";
    std::vector<std::string> groupings;
    std::optional<std::string> budget;
    MeterArguments meter;
};

constexpr bool runs_at_once(const hpart::ObjectiveKind &kind) { return !kind.adds_times; }

// A grouping as a row: its optimal distribution, predicted and measured.
struct Outcome {
    Row row;
    std::vector<std::string> processors;
    bool is_complete = true; // false: the budget left sizes out

    // The value that the objective minimises.
    double value(std::int32_t objective) const
    {
        const auto &ran = *row.execution;
        const auto &kind = hpart::objective_kind(objective);
        if (!kind.needs_energies) return ran.time.value;
        return kind.needs_base_power ? ran.total_joules : ran.joules;
    }
};

const Outcome &best_by(std::int32_t objective, const std::vector<Outcome> &outcomes)
{
    return *std::ranges::min_element(outcomes, {}, [&](const auto &outcome) { return outcome.value(objective); });
}

std::vector<std::string> processors_of(const Grouping &grouping)
{
    std::vector<std::string> processors;
    for (const auto &cores : grouping.cores) processors.push_back("cpu:" + cores);
    return processors;
}

std::vector<Grouping> chosen(const std::vector<std::string> &names)
{
    const auto distinct = groupings_here();
    if (names.empty()) return distinct;
    const auto all = groupings_here(true);
    std::vector<Grouping> found;
    for (const auto &name : names) {
        const auto known = std::find_if(all.begin(), all.end(), [&](const auto &other) { return other.name == name; });
        if (known == all.end()) {
            std::string valid;
            for (const auto &other : all) valid += (valid.empty() ? "" : ", ") + other.name;
            refuse("--grouping is ", in_quotes(name), "; this machine has ", valid);
        }
        found.push_back(*known);
    }
    return found;
}

// Equal steps up to the size, which is the last.
std::vector<std::int64_t> sizes_up_to(std::int64_t size, std::int64_t points)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t k = 1; k <= points; ++k) {
        const auto each = size / points * k + size % points * k / points;
        if (each > 0 && (sizes.empty() || each > sizes.back())) sizes.push_back(each);
    }
    return sizes;
}

void check_measured(std::int32_t status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was compared");
    check(status);
}

// Measures the distribution; with a meter its energy too.
Execution measured(hpart_team *team, const hpart_options *options, bool with_energy, const std::vector<std::int64_t> &x)
{
    std::vector<double> seconds(x.size());
    Execution ran;
    Report report;
    check_measured(hpart_team_measure(team, x.data(), options, seconds.data(), with_energy ? &ran.joules : nullptr,
                                      Filled(report)));
    ran.time.value = *std::ranges::max_element(seconds);
    ran.joules_error = report_double(report, "energy_error").value_or(unknown);
    ran.total_joules = report_double(report, "energy_total").value_or(unknown);
    return ran;
}

// The share of a grouping's time; the rest is for its distribution.
constexpr double share_of_functions = 0.8;

// Unless --option sets it.
void set_seconds(const Options &options, const Common &common, const char *key, double seconds)
{
    if (!common.has_option(key)) check(hpart_options_set_double(options.get(), key, seconds));
}

// Energy functions cost a run of each processor alone at each point: they are measured where the distribution is of least energy.
// Nothing where the budget ended before there were sizes for a distribution; `limit` is then the reason.
std::optional<Outcome> measure(const GroupArguments &arguments, const KernelLine &line, TeamMeter &meter,
                               std::int32_t objective, const Grouping &grouping, std::int64_t size, double seconds,
                               std::string &limit)
{
    ProgressBar bar;
    const auto options = make_options(options_of(arguments.common, hpart::call_profile));
    const auto of_measurement = make_options(options_of(arguments.common, hpart::call_measure));
    set_budget(options, arguments.common, arguments.budget);
    set_seconds(options, arguments.common, "max_total_seconds", share_of_functions * seconds);
    set_seconds(of_measurement, arguments.common, "max_seconds", (1 - share_of_functions) * seconds);
    for (const auto *each : {&options, &of_measurement}) {
        meter.set_options(each->get());
        bar.attach(each->get());
    }
    const auto team = make_team(line, processors_of(grouping), std::nullopt);
    const auto sizes = sizes_up_to(size, parse_size("--points", arguments.points));
    if (objective != HPART_OBJECTIVE_TIME) meter.attach(team.get());
    Platform platform;
    const auto status = hpart_team_profile(team.get(), static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                           options.get(), Filled(platform));
    const bool is_cut_off = status == HPART_ERR_LIMIT && platform;
    if (is_cut_off)
        limit = last_error_text();
    else
        check_measured(status);
    Common between;
    between.options = {"interpolate=linear"};
    double watts = 0;
    check(hpart_platform_get_base_power(platform.get(), &watts));
    Outcome outcome{
        predict({platform.get(), size, between, hpart::call_partition, objective != HPART_OBJECTIVE_TIME, watts},
                {grouping.name, "exact"}, objective),
        processors_of(grouping), !is_cut_off};
    auto &row = outcome.row;
    if (row.failure && is_cut_off && row.failure->exit_status() == exit_infeasible) return std::nullopt;
    if (row.failure) throw Failure(*row.failure);
    meter.attach(team.get());
    row.execution = measured(team.get(), of_measurement.get(), meter.works(), row.x);
    meter.doubt(row.execution->joules);
    bar.clear();
    return outcome;
}

Json json_of(const Outcome &outcome)
{
    const auto &row = outcome.row;
    Json alternative;
    alternative["grouping"] = row.method;
    alternative["processors"] = outcome.processors;
    alternative["x"] = row.x;
    alternative["predicted_seconds"] = row.costs[goal_time].value;
    alternative["seconds"] = row.execution->time.value;
    alternative["predicted_joules"] = row.costs[goal_energy].value;
    alternative["joules"] = row.execution->joules;
    alternative["joules_error"] = row.execution->joules_error;
    alternative["total_joules"] = row.execution->total_joules;
    return alternative;
}

std::string times_for_people(const std::vector<Outcome> &outcomes, const KernelLine &line, std::int64_t size)
{
    const auto flops = operations(line, size);
    const auto least = best_by(HPART_OBJECTIVE_TIME, outcomes).value(HPART_OBJECTIVE_TIME);
    Table table(
        {"grouping", ">processors", ">predicted", ">measured", flops ? ">GFLOP/s" : ">units/s", ">of the best"});
    for (const auto &[row, processors, is_complete] : outcomes) {
        const double seconds = row.execution->time.value;
        table.add({row.method, std::to_string(row.x.size()), seconds_text(row.costs[goal_time].value),
                   seconds_text(seconds),
                   fixed_text(flops ? *flops / seconds / 1e9 : static_cast<double>(size) / seconds, 2),
                   fixed_text(100 * least / seconds, 1) + " %"});
    }
    return table.text();
}

std::string energies_for_people(const std::vector<Outcome> &outcomes, const TeamMeter &meter)
{
    Table table({"grouping", ">predicted", ">measured", ">+-", ">measured in all"});
    for (const auto &[row, processors, is_complete] : outcomes)
        table.add({row.method, joules_text(row.costs[goal_energy].value), signed_joules_text(row.execution->joules),
                   joules_text(row.execution->joules_error), joules_text(row.execution->total_joules)});
    return "\n" + energy_heading("dynamic energy", meter.method()) + " by " + meter.name() + "\n" + table.text();
}

// "numa, 512 | 512"
std::string split_text(const Row &row) { return row.method + ", " + distribution_text(row.x); }

// Groupings whose difference is within the errors count as equally good.
std::string best_by_energy_for_people(const std::vector<Outcome> &outcomes)
{
    const auto &best = best_by(HPART_OBJECTIVE_ENERGY, outcomes).row;
    std::string alike;
    for (const auto &outcome : outcomes) {
        if (&outcome.row == &best) continue;
        constexpr double deviations = 2;
        const auto &ran = *outcome.row.execution;
        const double error = std::hypot(ran.joules_error, best.execution->joules_error);
        if (!(ran.joules - best.execution->joules > deviations * error))
            alike += (alike.empty() ? "" : ", ") + outcome.row.method;
    }
    return text("best by dynamic energy: ", split_text(best),
                alike.empty() ? "" : "; within the errors as good: " + alike, "\n");
}

std::string for_people(const std::vector<Outcome> &outcomes, std::int32_t objective, const TeamMeter &meter,
                       const KernelLine &line, std::int64_t size)
{
    const auto &best = best_by(objective, outcomes);
    auto out = times_for_people(outcomes, line, size) + (meter.works() ? "" : "\n");
    if (meter.works())
        out += energies_for_people(outcomes, meter) +
               text("\nbest by time: ", split_text(best_by(HPART_OBJECTIVE_TIME, outcomes).row), "\n") +
               best_by_energy_for_people(outcomes);
    std::string processors;
    for (const auto &processor : best.processors) processors += " --processor " + processor;
    return out + text("best: ", split_text(best.row), "; as in hpart profile", processors, "\n");
}

void run_group(const GroupArguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size < 1) refuse("--size is ", arguments.size, "; it must be at least 1");
    const auto points = parse_positive("--points", arguments.points);
    if (points > most_sizes) refuse("--points is ", points, "; it must be at most ", most_sizes);
    auto objective = parse_objective(arguments.objective, runs_at_once);
    if (objective != HPART_OBJECTIVE_TIME && !arguments.meter.spec)
        refuse("--objective is ", arguments.objective, ", for which --meter must say what measures energy");
    const KernelLine line{arguments.kernel, parse_dims("--dims", arguments.dims, arguments.kernel)};
    const auto groupings = chosen(arguments.groupings);
    for (const auto *key : {"checkpoint_file", "samples_file"})
        if (groupings.size() > 1 && arguments.common.has_option(key))
            refuse("--option ", key, " is for one grouping, but ", groupings.size(),
                   " would be measured; name one with --grouping");
    make_team(line, processors_of(groupings.front()), std::nullopt); // wrong dims are wrong with any meter
    TeamMeter meter(arguments.meter);
    if (!meter.works()) objective = HPART_OBJECTIVE_TIME; // as it has said
    watch_for_interrupts();
    std::vector<Outcome> outcomes;
    outcomes.reserve(groupings.size());
    const TimeBudget budget(parse_seconds("--budget", arguments.budget.value_or("5m")));
    std::string limit;
    for (std::size_t k = 0; k < groupings.size(); ++k) {
        const double share = budget.share(1, groupings.size() - k);
        if (auto outcome = measure(arguments, line, meter, objective, groupings[k], size, share, limit))
            outcomes.push_back(std::move(*outcome));
    }
    if (outcomes.empty()) give_up(limit);
    const auto complete =
        std::count_if(outcomes.begin(), outcomes.end(), [](const auto &of) { return of.is_complete; });
    const auto incomplete = groupings.size() - static_cast<std::size_t>(complete);
    Json result;
    result["kernel"] = arguments.kernel;
    result["dims"] = dims_json(line.dims);
    result["size"] = size;
    result["objective"] = hpart::objective_kind(objective).name;
    result["alternatives"] = Json::array();
    for (const auto &outcome : outcomes) result["alternatives"].push_back(json_of(outcome));
    result["best"] = best_by(objective, outcomes).row.method;
    result["best_by_time"] = best_by(HPART_OBJECTIVE_TIME, outcomes).row.method;
    result["best_by_energy"] = nullptr;
    if (meter.works()) result["best_by_energy"] = best_by(HPART_OBJECTIVE_ENERGY, outcomes).row.method;
    result["complete"] = incomplete == 0;
    meter.describe(result);
    result["libraries"] = libraries_json();
    emit(arguments.common, result, [&] { return for_people(outcomes, objective, meter, line, size); });
    if (incomplete > 0)
        note_short_budget(text("The budget ended with sizes missing in ", incomplete, " of ",
                               hpart::pluralise(groupings.size(), "grouping")));
}

} // namespace

void add_group(CLI::App &app)
{
    auto arguments = std::make_shared<GroupArguments>();
    auto *sub = app.add_subcommand("group", "finds the best grouping of the cores into processors for a kernel");
    sub->add_option("--kernel", arguments->kernel, "the kernel, as for hpart profile")->required()->type_name("NAME");
    sub->add_option("--dims", arguments->dims, "the kernel's fixed dimensions, as in hpart profile")
        ->type_name("n=512,k=512|512x512");
    sub->add_option("--size", arguments->size, "number of rows of the whole problem")->required()->type_name("N");
    sub->add_option("--points", arguments->points, "sizes measured of each function, in equal steps up to --size")
        ->type_name("K")
        ->capture_default_str();
    sub->add_option("--grouping", arguments->groupings,
                    "only this grouping: node, socket, numa, kind, l3, l2, core or thread; may be "
                    "repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    sub->add_option("--objective", arguments->objective,
                    "the value that distributions and the best grouping minimise (default time); energies need --meter")
        ->type_name(choices_text(objective_names(runs_at_once)));
    add_optional(*sub, "--budget", arguments->budget,
                 "measure all groupings within this time, with fewer repetitions (default 5m)")
        ->type_name("TIME");
    add_meter_arguments(*sub, arguments->meter);
    add_common(*sub, arguments->common);
    add_result_file(*sub, arguments->common);
    sub->footer("For each grouping hpart measures all functions at once, finds the optimal distribution with linear\n"
                "interpolation, and measures it. The best grouping has the least time, or the least --objective. With\n"
                "--meter hpart also measures the energy of that distribution.\n"
                "Example: hpart group --kernel dgemm --dims n=512,k=512 --size 1024");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run_group(*arguments);
    });
}

} // namespace hpart_command
