// hpart profile: measures the functions of this machine's abstract processors.

#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"
#include "team_arguments.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <unistd.h>

namespace hpart_command
{

namespace
{

struct ProfileArguments {
    Common common;
    TeamArguments team;
    std::string sizes, output;
    std::optional<std::string> budget, links;
    MeterArguments meter;
    QuietArguments quiet;
};

struct Measured {
    Platform platform;
    std::optional<Failure> limit; // the budget ended first
};

Options profile_options(const ProfileArguments &arguments)
{
    auto options = make_options(arguments.common);
    set_budget(options, arguments.common, arguments.budget);
    if (arguments.output.empty()) refuse("-o is ''; it must be the name of the platform file to write");
    claim_output("-o", arguments.output, true);
    set_option(options, arguments.common, "checkpoint_file", "-o", arguments.output);
    return options;
}

void measure_links(const ProfileArguments &arguments, const Team &team, const Platform &platform)
{
    ProgressBar bar;
    const auto options = make_options({}, {{"bandwidth", arguments.links->c_str()}});
    bar.attach(options.get());
    const auto status = hpart_team_measure_links(team.get(), options.get(), platform.get());
    if (status == HPART_ERR_CANCELLED)
        give_up("interrupted; the functions are in ", in_quotes(arguments.output), ", the links are not");
    check(status);
    check(hpart_platform_write(platform.get(), arguments.output.c_str()), Files::written);
}

Measured measure(const ProfileArguments &arguments, const std::vector<std::int64_t> &sizes, const Options &options,
                 const Team &team, const TeamMeter &meter)
{
    ProgressBar bar;
    watch_for_interrupts(text("interrupted in the midst of a repetition; points measured before, if any, are in ",
                              in_quotes(arguments.output), " and the same call goes on from there"));
    bar.attach(options.get());
    meter.attach(team.get());
    meter.set_options(options.get());
    bar.warn_when_begun(disturbances_now(arguments.quiet) + arguments.team.warning());
    Measured measured;
    const auto status = hpart_team_profile(team.get(), static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                           options.get(), Filled(measured.platform));
    if (status == HPART_ERR_LIMIT && measured.platform) {
        measured.limit = library_failure(status);
        return measured;
    }
    bar.clear();
    if (status == HPART_ERR_CANCELLED && ::access(arguments.output.c_str(), F_OK) == 0)
        give_up("interrupted; what was measured is in ", in_quotes(arguments.output),
                " and the same call goes on from there");
    if (status == HPART_ERR_CANCELLED) give_up("interrupted before the first size was measured");
    check(status, Files::written);
    if (arguments.links) measure_links(arguments, team, measured.platform);
    return measured;
}

// Kinds of the library's notes about points: the key in the result, and the kind.
struct ListedKind {
    const char *key, *name;
};
constexpr ListedKind failed = {"failed", "failed"};
constexpr ListedKind imprecise = {"imprecise", "precision not reached"};
constexpr ListedKind busy = {"busy", "busy"};
constexpr ListedKind energy_busy = {"energy_busy", "energy busy"};
constexpr ListedKind unbound_points = {"binding_not_kept", "binding not kept"};
// No threads of these kernels could leave their cores, except OpenCL's.
constexpr const char *binding_remedy = "set POCL_AFFINITY=1, see docs/background/cores.md\n";
constexpr std::array<ListedKind, 3> doubts = {
    {{"outliers", "outliers"}, {"drift", "drift"}, {"serial_correlation", "serial correlation"}}};

std::vector<std::string> lines_of(const std::vector<PointNote> &notes)
{
    std::vector<std::string> lines;
    for (const auto &note : notes) lines.push_back(note.line());
    return lines;
}

// "outliers at 3 of 24 points, drift at 1: p.csv names them"; nothing where there are none.
std::string doubts_for_people(const Json &result, std::size_t points)
{
    std::string out;
    for (const auto &[key, name] : doubts) {
        const auto count = result[key].size();
        if (count > 0)
            out += text(out.empty() ? "" : ", ", name, " at ", count,
                        out.empty() ? text(" of ", hpart::pluralise(points, "point")) : "");
    }
    return out.empty() ? out : out + ": " + result["file"].get<std::string>() + " names them\n";
}

// "known to 11 %", "its time +- more than itself", "0.21 J (0.15 to 0.27)", "0, less than its clock shows".
std::string value_of(const PointNote &note, const hpart_platform *platform)
{
    const auto names = processor_names(platform);
    const auto function = function_of(platform, std::ranges::find(names, note.processor) - names.begin());
    const auto at = static_cast<std::size_t>(std::ranges::find(function.sizes, note.size) - function.sizes.begin());
    if (note.is_energy) return joules_text(function.joules.at(at), function.energy_intervals.at(at));
    if (!std::isfinite(note.half_width))
        return function.seconds.at(at) == 0 ? "0, less than its clock shows" : "without an interval";
    return note.half_width > 1 ? text("its time ", more_than_itself) : text("known to ", percent_text(note.half_width));
}

double precision_of(const Common &common)
{
    const std::string usual(hpart::find_option_key("precision")->default_text);
    return hpart::parse_double(common.value_of("precision").value_or(usual)).value_or(1);
}

std::int64_t points_in(const hpart_platform *platform)
{
    std::int64_t points = 0;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i)
        points += static_cast<std::int64_t>(function_of(platform, i).sizes.size());
    return points;
}

// Points of these sizes that have neither a failure nor a time, with_energy: or energy.
std::int64_t missing_points(const hpart_platform *platform, const std::vector<std::int64_t> &sizes,
                            std::size_t failures, bool with_energy)
{
    auto missing = -static_cast<std::int64_t>(failures);
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        const auto function = function_of(platform, i);
        std::vector<std::int64_t> measured;
        for (std::size_t k = 0; k < function.sizes.size(); ++k)
            if (!std::isnan(function.seconds[k]) && !(with_energy && std::isnan(function.joules[k])))
                measured.push_back(function.sizes[k]);
        missing += std::count_if(sizes.begin(), sizes.end(), [&](auto size) {
            return !std::binary_search(measured.begin(), measured.end(), size);
        });
    }
    return std::max<std::int64_t>(missing, 0);
}

// The missing points. Without any, the imprecise points that the budget cut off count: a width
// that is w times too large needs w^2 times the repetitions. 0 if nothing is missing, or if too few repetitions tell of a width.
double points_to_pay(std::int64_t missing, const std::vector<PointNote> &imprecise_points, double precision)
{
    if (missing > 0) return static_cast<double>(missing);
    constexpr std::int64_t least_repetitions = 5;
    double points = 0;
    for (const auto &point : imprecise_points) {
        const double ratio = point.half_width / precision;
        if (!point.is_by_budget || !std::isfinite(ratio)) continue;
        if (point.samples < least_repetitions) return 0;
        points += std::max(1.0, ratio * ratio);
    }
    return points;
}

// "'A', size 64, 0.21 J (0.15 to 0.27) (2 windows)"; a point without a number is the worst.
std::string worst_of(const std::vector<PointNote> &points, const hpart_platform *platform)
{
    const auto &worst = *std::ranges::max_element(points, {}, &PointNote::half_width);
    return text(in_quotes(worst.processor), ", size ", worst.size, ", ", value_of(worst, platform), " (",
                hpart::pluralise(worst.samples, worst.is_energy ? "window" : "repetition"),
                worst.is_by_budget ? " within the budget)" : ")");
}

std::string advice_on_precision(const Json &result)
{
    if (!result["complete"].get<bool>()) return "";
    const auto &needed = result["budget_needed"];
    return text(" The same call with --option remeasure=imprecise",
                is_worth_a_budget(needed) ? " --budget " + budget_text(needed.get<double>()) : std::string(),
                " measures them again.");
}

std::string for_people(const Json &result, const Facts &facts, const hpart_platform *platform, const KernelLine &line)
{
    const auto names = processor_names(platform);
    const bool flops = operations(line, 1).has_value();
    const bool has_energy = !result["energy_method"].is_null();
    std::vector<std::string> headings = {"processor", ">points", ">sizes", flops ? ">best GFLOP/s" : ">best units/s",
                                         ">at size"};
    if (has_energy) headings.push_back(">energy a unit");
    Table table(headings);
    std::size_t points = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto function = function_of(platform, static_cast<std::int64_t>(i));
        points += function.sizes.size();
        double best = 0, joules = 0;
        std::int64_t best_size = 0;
        for (std::size_t k = 0; k < function.sizes.size(); ++k) {
            const double work = operations(line, function.sizes[k]).value_or(static_cast<double>(function.sizes[k]));
            if (!(work / function.seconds[k] > best)) continue;
            best = work / function.seconds[k];
            best_size = function.sizes[k];
            joules = function.joules[k] / static_cast<double>(best_size);
        }
        const auto range =
            function.sizes.empty() ? std::string("-") : text(function.sizes.front(), "..", function.sizes.back());
        const bool is_known = std::isfinite(best) && best > 0;
        std::vector<std::string> cells = {names[i], std::to_string(function.sizes.size()), range,
                                          is_known ? fixed_text(flops ? best / 1e9 : best, 2) : "-",
                                          is_known ? std::to_string(best_size) : "-"};
        if (has_energy) cells.push_back(is_known && !std::isnan(joules) ? signed_joules_text(joules) : "-");
        table.add(cells);
    }
    std::string energy;
    if (has_energy)
        energy = text("\n", energy_heading("dynamic energy", result["energy_method"].get<std::string>()), " by ",
                      result["meter"].get<std::string>(), ", base power ",
                      fixed_text(result["base_power"].get<double>(), 2), " W");
    auto out = table.text() + energy + "\nmeasured in " + seconds_text(result["seconds"].get<double>()) +
               " and written to " + result["file"].get<std::string>() + "\n";
    out += doubts_for_people(result, points);
    if (const auto count = result[unbound_points.key].size(); count > 0)
        out += text("binding not kept at ", count, " of ", hpart::pluralise(points, "point"), ": ",
                    result["file"].get<std::string>(), " names them; ", binding_remedy);
    if (const auto count = result[busy.key].size(); count > 0)
        out += text("the machine was busy at ", count, " of ", hpart::pluralise(points, "point"),
                    "; the last: ", result[busy.key].back().get<std::string>(), "\n");
    if (const auto count = result[energy_busy.key].size(); count > 0)
        out += text("other parts of the machine took energy at ", count, " of ", hpart::pluralise(points, "point"),
                    "; the last: ", result[energy_busy.key].back().get<std::string>(), "\n");
    const auto imprecise_points = result[imprecise.key].size();
    if (imprecise_points > 0)
        out += text(points - std::min(points, imprecise_points), " of ", hpart::pluralise(points, "point"),
                    " reached the precision. Worst: ", worst_of(facts.notes_of(imprecise.name), platform), ". ",
                    result["file"].get<std::string>(), " names all.", advice_on_precision(result), "\n");
    for (const auto &point : result[failed.key]) out += "failed: " + point.get<std::string>() + "\n";
    return out;
}

std::string text_without_time(const std::vector<PointNote> &points)
{
    std::string out;
    for (const auto &point : points)
        out += text(out.empty() ? "Not finished at the end of the budget: " : "; ", point.line());
    return out.empty() ? out : out + "; --timeout leaves out what never ends.\n";
}

// A processor that has none of the call's sizes makes the call useless; the file may have others.
void require_points_of_all(const hpart_platform *platform, const std::vector<std::int64_t> &sizes,
                           const std::vector<PointNote> &failures)
{
    const auto names = processor_names(platform);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto known = function_of(platform, static_cast<std::int64_t>(i)).sizes;
        if (std::ranges::any_of(sizes, [&](auto size) { return std::ranges::binary_search(known, size); })) continue;
        for (const auto &failure : failures)
            if (failure.processor == names[i] && std::ranges::find(sizes, failure.size) != sizes.end())
                give_up("processor ", in_quotes(names[i]),
                        " failed at every size that this call tried: ", failure.line());
    }
}

// 0 of a file that cannot be continued, which the measurement refuses.
std::int64_t points_of_file(const std::string &path)
{
    Platform platform;
    const auto status = hpart_platform_read(path.c_str(), Filled(platform));
    return status == HPART_SUCCESS ? points_in(platform.get()) : 0;
}

void run_profile(const ProfileArguments &arguments)
{
    const auto sizes = parse_sizes("--sizes", arguments.sizes);
    if (arguments.links) parse_choice("--links", *arguments.links, {"ping-pong", "ring"});
    if (arguments.links && arguments.team.application.are_given())
        refuse("--links measures the links between processors of this command; an application's are its own");
    const auto line = arguments.team.line();
    const auto options = profile_options(arguments);
    const auto team = arguments.team.make();
    std::error_code ignored;
    const bool is_new = !std::filesystem::exists(arguments.output, ignored);
    if (!is_new && !std::filesystem::is_regular_file(arguments.output, ignored))
        refuse("--output ", in_quotes(arguments.output), " is no regular file, which a profile reads again");
    const auto known = is_new ? 0 : points_of_file(arguments.output);
    const auto start = std::chrono::steady_clock::now();
    const TeamMeter meter(arguments.meter);
    if (arguments.budget) {
        const bool is_each = !arguments.common.has_option("energy"); // alone
        meter.require_budget(*arguments.budget, is_new, is_each ? hpart_team_processors(team.get()) : 1);
    }
    const auto measured = measure(arguments, sizes, options, team, meter);
    if (measured.limit && ::access(arguments.output.c_str(), F_OK) != 0)
        throw Failure(*measured.limit);                   // not one point
    const auto written = read_platform(arguments.output); // without points whose energy was not measured any more
    const auto *platform = written.get();

    Json result;
    result["kernel"] = arguments.team.kernel.empty() ? kernel_of(platform) : arguments.team.kernel;
    result["dims"] = dims_json(line.dims);
    result["file"] = arguments.output;
    result["processors"] = processor_names(platform);
    result["sizes"] = sizes.size();
    result["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto facts = facts_of(platform);
    result["complete"] = !measured.limit.has_value();
    for (const auto &kind : {failed, imprecise, unbound_points, busy, energy_busy, doubts[0], doubts[1], doubts[2]})
        result[kind.key] = lines_of(facts.notes_of(kind.name));
    const auto measured_now = points_in(platform) - known;
    const auto missing = measured.limit ? missing_points(platform, sizes, result[failed.key].size(), meter.works()) : 0;
    const auto without_time = measured.limit ? facts.notes_of("unfinished") : std::vector<PointNote>();
    // A point with samples is measured once.
    const bool is_final = missing == 0 && arguments.common.has_option("samples_file");
    const double points =
        is_final ? 0 : points_to_pay(missing, facts.notes_of(imprecise.name), precision_of(arguments.common));
    result["budget_needed"] = budget_needed(result["seconds"].get<double>(), measured_now, points);
    result["libraries"] = libraries_json();
    meter.describe(result);
    double watts = std::numeric_limits<double>::quiet_NaN();
    if (meter.works()) check(hpart_platform_get_base_power(platform, &watts));
    result["base_power"] = watts;
    emit(arguments.common, result, [&] {
        return for_people(result, facts, platform, line) + text_without_time(without_time) +
               (arguments.links ? "links measured between all processors\n" : "");
    });
    if (measured.limit)
        note_end_of_budget(text("The budget ended with ", missing, " of ",
                                hpart::pluralise(sizes.size() * result["processors"].size(), "point"), " missing"),
                           result["budget_needed"]);
    require_points_of_all(platform, sizes, facts.notes_of(failed.name));
}

} // namespace

void add_profile(CLI::App &app)
{
    auto arguments = std::make_shared<ProfileArguments>();
    auto *sub = app.add_subcommand(
        "profile", "measures the functions of this machine's processors: time, and with --meter energy");
    add_team_arguments(*sub, arguments->team);
    sub->add_option("--sizes", arguments->sizes, "numbers of rows, or sizes: a range, a list, or ranges in a list")
        ->required()
        ->type_name("A:B:STEP|A,B,C");
    add_optional(*sub, "--budget", arguments->budget,
                 "end within this time: each size gets a share and fewer repetitions (default 5m)")
        ->type_name("TIME");
    add_optional(*sub, "--links", arguments->links, "measure the links between processors too, in pairs or all at once")
        ->type_name("ping-pong|ring");
    add_meter_arguments(*sub, arguments->meter);
    add_quiet_arguments(*sub, arguments->quiet);
    add_platform_output(*sub, arguments->output, "the platform file; a later run continues it");
    add_common(*sub, arguments->common);
    sub->footer(
        "Default processors, as hpart info proposes: each GPU with cores for its transfers (half of all, at most 8 a\n"
        "GPU), and the other cores; without a GPU core 0 and an OpenCL device of core 1; without OpenCL each core.\n"
        "Programs are started without a shell; quotes group words, and {size} is replaced. A size that fails is left\n"
        "out, and the file has the reason.\n"
        "Example: hpart profile --kernel dgemm --dims n=512,k=512 --sizes 64:2048:64 -o dgemm.csv\n"
        "Example: hpart profile --processor 'CPU=./app {size}' --processor 'GPU=./app --gpu {size}' --sizes 1k:64k:1k "
        "-o app.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run_profile(*arguments);
    });
}

// hpart additivity: tests if the energies of processors that run alone add up to the energy of all together.

namespace
{

struct AdditivityArguments {
    Common common;
    TeamArguments team;
    std::string sizes;
    MeterArguments meter;
    QuietArguments quiet;
};

std::string for_people(const Json &result, const std::vector<std::int64_t> &sizes, const std::string &method)
{
    const auto value = [&](const char *key, std::size_t k) { return result[key][k].get<double>(); };
    const auto percent = [](double number) { return fixed_text(number, 1) + " %"; };
    Table table({">size", ">" + energy_heading("together", method), ">sum of each alone", ">difference"});
    for (std::size_t k = 0; k < sizes.size(); ++k)
        table.add({text(sizes[k]), with_error(value("parallel", k), value("parallel_error", k), "J"),
                   with_error(value("combined", k), value("combined_error", k), "J"),
                   text(percent(value("differences", k)), " +- ", percent(value("difference_errors", k)))});
    auto out = table.text();
    out += text("\ndifferences: least ", percent(result["least_difference"].get<double>()), ", mean ",
                percent(result["mean_difference"].get<double>()), ", largest ",
                percent(result["largest_difference"].get<double>()), "\n");
    const auto warning = result["warning"].get<std::string>();
    return out +
           (warning.empty()
                ? text("the energies add up: the mean is at most ", percent(result["additivity_bound"].get<double>()))
                : warning) +
           "\n";
}

void run(const AdditivityArguments &arguments)
{
    if (!arguments.meter.spec) refuse("--meter is missing: additivity compares energies");
    const auto sizes = parse_sizes("--sizes", arguments.sizes);
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const auto options = make_options(arguments.common);
    bar.attach(options.get());
    const auto team = arguments.team.make();
    const TeamMeter meter(arguments.meter, "hpart additivity");
    meter.attach(team.get());
    meter.set_options(options.get());
    bar.warn_when_begun(disturbances_now(arguments.quiet));
    const auto processors = static_cast<std::size_t>(hpart_team_processors(team.get()));
    std::vector<std::int64_t> x;
    for (const auto size : sizes) x.insert(x.end(), processors, size);
    Report report;
    const auto status = hpart_energy_additivity(team.get(), nullptr, static_cast<std::int64_t>(sizes.size()), x.data(),
                                                options.get(), nullptr, nullptr, nullptr, Filled(report));
    bar.clear();
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check(status);
    Json result;
    result["processors"] = processors;
    result["sizes"] = sizes;
    for (const auto *key :
         {"parallel", "parallel_error", "combined", "combined_error", "differences", "difference_errors"})
        result[key] = report_doubles(report, key);
    for (const auto *key : {"least_difference", "mean_difference", "largest_difference", "additivity_bound"})
        result[key] = report_double(report, key).value_or(NAN);
    result["additive"] = report_int(report, "additive") == 1;
    result["warning"] = report_text(report, "warning");
    meter.describe(result);
    emit(arguments.common, result, [&] { return for_people(result, sizes, meter.method()); });
}

} // namespace

void add_additivity(CLI::App &app)
{
    auto arguments = std::make_shared<AdditivityArguments>();
    auto *sub = app.add_subcommand(
        "additivity", "tests if the energies of processors that run alone add up to the energy of all together");
    add_team_arguments(*sub, arguments->team);
    sub->add_option("--sizes", arguments->sizes, "all processors run each of these sizes: a range, a list, or both")
        ->required()
        ->type_name("A:B:STEP|A,B,C");
    add_meter_arguments(*sub, arguments->meter);
    add_quiet_arguments(*sub, arguments->quiet);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart additivity --kernel dgemm --dims n=512,k=512 --sizes 256:2048:256 --meter rapl");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run(*arguments);
    });
}

} // namespace hpart_command
