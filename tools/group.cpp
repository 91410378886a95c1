// hpart group: which grouping of this machine's cores into abstract processors is best for a kernel, in time and in energy.

#include "arguments.hpp"
#include "core/numbers.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace hpart_command
{

using hpart::unknown;

namespace
{

struct GroupArguments {
    Common common;
    std::string kernel, dims, size, points = "8", objective = "time";
    std::vector<std::string> groupings;
    std::optional<std::string> budget;
    MeterArguments meter;
};

// As the library numbers them, by the command's names.
std::int32_t objective_of(const std::string &name)
{
    return static_cast<std::int32_t>(parse_choice("--objective", name, {"time", "energy", "total-energy"}));
}

// Dynamic and total energy of a repetition; NaN without a meter.
struct Energy {
    double predicted = unknown, measured = unknown, error = unknown, total = unknown;
};

// The result of a grouping with its optimal distribution.
struct Outcome {
    Grouping grouping;
    std::vector<std::int64_t> x;
    double predicted = unknown, measured = unknown; // seconds
    Energy energy;
    bool is_complete = true; // false: the budget left sizes out

    // The value that the objective minimises.
    double value(std::int32_t objective) const
    {
        if (objective == HPART_OBJECTIVE_TIME) return measured;
        return objective == HPART_OBJECTIVE_ENERGY ? energy.measured : energy.total;
    }
};

const Outcome &best_by(std::int32_t objective, const std::vector<Outcome> &outcomes)
{
    return *std::min_element(outcomes.begin(), outcomes.end(), [objective](const auto &a, const auto &b) {
        return a.value(objective) < b.value(objective);
    });
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

double base_power(const hpart_platform *platform)
{
    double watts = 0;
    check(hpart_platform_get_base_power(platform, &watts));
    return watts;
}

// Measures the distribution; with a meter its energy too.
void measure_distribution(hpart_team *team, const hpart_options *options, bool with_energy, Outcome &outcome)
{
    std::vector<double> seconds(outcome.x.size());
    double joules = unknown;
    Report report;
    check_measured(hpart_team_measure(team, outcome.x.data(), options, seconds.data(), with_energy ? &joules : nullptr,
                                      Filled(report)));
    outcome.measured = *std::max_element(seconds.begin(), seconds.end());
    if (!with_energy) return;
    outcome.energy.measured = joules;
    outcome.energy.error = report_double(report, "energy_error").value_or(unknown);
    outcome.energy.total = report_double(report, "energy_total").value_or(unknown);
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
std::optional<Outcome> measure(const GroupArguments &arguments, const KernelLine &line, const TeamMeter &meter,
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
    Options between;
    check(hpart_options_create(Filled(between)));
    check(hpart_options_set_string(between.get(), "interpolate", "linear"));
    Outcome outcome;
    outcome.grouping = grouping;
    outcome.is_complete = !is_cut_off;
    outcome.x.resize(grouping.cores.size());
    double joules = unknown;
    const auto found = hpart_partition(platform.get(), objective, size, between.get(), outcome.x.data(),
                                       &outcome.predicted, &joules, nullptr);
    if (is_cut_off && found == HPART_ERR_INFEASIBLE) return std::nullopt;
    check(found);
    if (objective == HPART_OBJECTIVE_ENERGY) outcome.energy.predicted = joules;
    if (objective == HPART_OBJECTIVE_TOTAL_ENERGY)
        outcome.energy.predicted = joules - base_power(platform.get()) * outcome.predicted;
    meter.attach(team.get());
    measure_distribution(team.get(), of_measurement.get(), meter.works(), outcome);
    bar.clear();
    return outcome;
}

Json json_of(const Outcome &outcome)
{
    Json alternative;
    alternative["grouping"] = outcome.grouping.name;
    alternative["processors"] = processors_of(outcome.grouping);
    alternative["x"] = outcome.x;
    alternative["predicted_seconds"] = outcome.predicted;
    alternative["seconds"] = outcome.measured;
    alternative["predicted_joules"] = outcome.energy.predicted;
    alternative["joules"] = outcome.energy.measured;
    alternative["joules_error"] = outcome.energy.error;
    alternative["total_joules"] = outcome.energy.total;
    return alternative;
}

std::string times_for_people(const std::vector<Outcome> &outcomes, const KernelLine &line, std::int64_t size)
{
    const auto flops = operations(line, size);
    const auto least = best_by(HPART_OBJECTIVE_TIME, outcomes).measured;
    Table table(
        {"grouping", ">processors", ">predicted", ">measured", flops ? ">GFLOP/s" : ">units/s", ">of the best"});
    for (const auto &outcome : outcomes)
        table.add(
            {outcome.grouping.name, std::to_string(outcome.x.size()), seconds_text(outcome.predicted),
             seconds_text(outcome.measured),
             fixed_text(flops ? *flops / outcome.measured / 1e9 : static_cast<double>(size) / outcome.measured, 2),
             fixed_text(100 * least / outcome.measured, 1) + " %"});
    return table.text();
}

std::string energies_for_people(const std::vector<Outcome> &outcomes, const TeamMeter &meter)
{
    Table table({"grouping", ">predicted", ">measured", ">+-", ">measured in all"});
    for (const auto &outcome : outcomes)
        table.add({outcome.grouping.name, joules_text(outcome.energy.predicted),
                   signed_joules_text(outcome.energy.measured), joules_text(outcome.energy.error),
                   joules_text(outcome.energy.total)});
    return "\n" + energy_heading("dynamic energy", meter.method()) + " by " + meter.name() + "\n" + table.text();
}

// Groupings whose difference is within the errors count as equally good.
std::string best_by_energy_for_people(const std::vector<Outcome> &outcomes)
{
    const auto &best = best_by(HPART_OBJECTIVE_ENERGY, outcomes);
    std::string alike;
    for (const auto &outcome : outcomes) {
        if (&outcome == &best) continue;
        constexpr double deviations = 2;
        const double error = std::hypot(outcome.energy.error, best.energy.error);
        if (!(outcome.energy.measured - best.energy.measured > deviations * error))
            alike += (alike.empty() ? "" : ", ") + outcome.grouping.name;
    }
    return text("best by dynamic energy: ", best.grouping.name, ", ", distribution_text(best.x),
                alike.empty() ? "" : "; within the errors as good: " + alike, "\n");
}

std::string for_people(const std::vector<Outcome> &outcomes, std::int32_t objective, const TeamMeter &meter,
                       const KernelLine &line, std::int64_t size)
{
    const auto &best = best_by(objective, outcomes);
    auto out = times_for_people(outcomes, line, size);
    if (meter.works()) {
        const auto &fastest = best_by(HPART_OBJECTIVE_TIME, outcomes);
        out += energies_for_people(outcomes, meter) +
               text("\nbest by time: ", fastest.grouping.name, ", ", distribution_text(fastest.x), "\n") +
               best_by_energy_for_people(outcomes);
    } else
        out += "\n";
    std::string processors;
    for (const auto &processor : processors_of(best.grouping)) processors += " --processor " + processor;
    return out + text("best: ", best.grouping.name, ", ", distribution_text(best.x), "; as in hpart profile",
                      processors, "\n");
}

void run_group(const GroupArguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size < 1) refuse("--size is ", arguments.size, "; it must be at least 1");
    const auto points = parse_positive("--points", arguments.points);
    if (points > most_sizes) refuse("--points is ", points, "; it must be at most ", most_sizes);
    auto objective = objective_of(arguments.objective);
    if (objective != HPART_OBJECTIVE_TIME && !arguments.meter.spec)
        refuse("--objective is ", arguments.objective, ", for which --meter must say what measures energy");
    const KernelLine line{arguments.kernel, parse_dims("--dims", arguments.dims, arguments.kernel)};
    const auto groupings = chosen(arguments.groupings);
    for (const auto *key : {"checkpoint_file", "samples_file"})
        if (groupings.size() > 1 && arguments.common.has_option(key))
            refuse("--option ", key, " is for one grouping, but ", groupings.size(),
                   " would be measured; name one with --grouping");
    make_team(line, processors_of(groupings.front()), std::nullopt); // wrong dims are wrong with any meter
    const TeamMeter meter(arguments.meter);
    if (!meter.works()) objective = HPART_OBJECTIVE_TIME; // as it has said
    watch_for_interrupts();
    std::vector<Outcome> outcomes;
    outcomes.reserve(groupings.size());
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> budget(parse_seconds("--budget", arguments.budget.value_or("5m")));
    const auto begin = Clock::now();
    std::string limit;
    for (std::size_t k = 0; k < groupings.size(); ++k) {
        const double left = std::chrono::duration<double>(budget - (Clock::now() - begin)).count();
        const double share = std::max(left, 0.0) / static_cast<double>(groupings.size() - k);
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
    result["objective"] = objective == HPART_OBJECTIVE_TIME ? "time" : arguments.objective;
    result["alternatives"] = Json::array();
    for (const auto &outcome : outcomes) result["alternatives"].push_back(json_of(outcome));
    result["best"] = best_by(objective, outcomes).grouping.name;
    result["best_by_time"] = best_by(HPART_OBJECTIVE_TIME, outcomes).grouping.name;
    result["best_by_energy"] = nullptr;
    if (meter.works()) result["best_by_energy"] = best_by(HPART_OBJECTIVE_ENERGY, outcomes).grouping.name;
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
        ->type_name("time|energy|total-energy");
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
