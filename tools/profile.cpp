// hpart profile: measures the functions of this machine's abstract processors.
#include "arguments.hpp"
#include "core/option_keys.hpp"
#include "core/pluralise.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "interrupt.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "quiet.hpp"
#include "table.hpp"
#include "team_arguments.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>

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

Options options_of(const ProfileArguments &arguments)
{
    auto options = make_options(arguments.common);
    set_budget(options, arguments.common, arguments.budget);
    if (arguments.output.empty()) refuse("-o is ''; it must be the name of the platform file to write");
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

// The library's comments about points: the key in the result, and the beginning of the comment.
struct Notes {
    const char *key, *comment;
};
constexpr Notes failed = {"failed", "failed"};
constexpr Notes unfinished = {"unfinished", "unfinished"};
constexpr Notes imprecise = {"imprecise", "precision not reached"};
constexpr Notes busy = {"busy", "busy"};
constexpr Notes energy_busy = {"energy_busy", "energy busy"};
constexpr Notes unbound_notes = {"binding_not_kept", "binding not kept"};
// These kernels have no threads but those of OpenCL that could leave their cores.
constexpr const char *binding_remedy = "set POCL_AFFINITY=1, see docs/background/cores.md\n";
constexpr std::array<Notes, 3> doubts = {
    {{"outliers", "outliers"}, {"drift", "drift"}, {"serial_correlation", "serial correlation"}}};

std::vector<std::string> notes_of(const std::string &file_content, const Notes &notes)
{
    const auto begin = text("# ", notes.comment, ": ");
    std::vector<std::string> points;
    std::istringstream lines(file_content);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(begin)) points.push_back(in_typed_words(line.substr(begin.size())));
    return points;
}

// "outliers at 3 of 24 points, drift at 1: p.csv names them"; nothing where there are none.
std::string doubts_for_people(const Json &result, std::size_t points)
{
    std::string out;
    for (const auto &[key, comment] : doubts) {
        const auto count = result[key].size();
        if (count > 0)
            out += text(out.empty() ? "" : ", ", comment, " at ", count,
                        out.empty() ? text(" of ", hpart::pluralise(points, "point")) : "");
    }
    return out.empty() ? out : out + ": " + result["file"].get<std::string>() + " names them\n";
}

// A line "A size 64 is known to 10.6 % after 5 repetitions (max_total_seconds)", or "A size 64 takes 0.21 +- 0.06 J after 2 windows of the
// meter".
struct ImprecisePoint {
    explicit ImprecisePoint(const std::string &line);

    std::string subject, value;                             // "'A', size 64", "known to 11 %"
    double ratio = std::numeric_limits<double>::infinity(); // of the half-width; infinite without a number
    std::int64_t repetitions = 0;
    bool is_energy = false, is_by_budget = false;
};

ImprecisePoint::ImprecisePoint(const std::string &line)
{
    static const std::regex form("(.*) size ([0-9]+) (is known to|is|has|takes) (.*?),? after ([0-9]+) "
                                 "(repetitions|windows?)(.*)");
    static const std::regex energy("([^ ]+) \\+- ([^ ]+) J");
    std::smatch parts, numbers;
    if (!std::regex_match(line, parts, form)) {
        subject = line;
        return;
    }
    const auto known = parts.str(4);
    subject = text(in_quotes(parts.str(1)), ", size ", parts.str(2));
    is_energy = parts.str(6).starts_with("window");
    is_by_budget = parts.str(7).ends_with("(max_total_seconds)");
    repetitions = hpart::parse_int(parts.str(5)).value_or(0);
    value = parts.str(3) == "is" ? known : text(parts.str(3), " ", known);
    if (parts.str(3) == "is known to") {
        ratio = hpart::parse_double(known.substr(0, known.find(' '))).value_or(ratio * 100) / 100;
        value = ratio > 1 ? std::string(more_than_itself) : text("known to ", percent_text(ratio));
    } else if (is_energy && std::regex_match(known, numbers, energy)) {
        const double joules = hpart::parse_double(numbers.str(1)).value_or(0);
        ratio = hpart::parse_double(numbers.str(2)).value_or(0) / joules;
        if (!(ratio > 0)) ratio = std::numeric_limits<double>::infinity(); // less than nothing
        value = ratio > 1 ? text(numbers.str(1), " J ", more_than_itself) : known;
    }
}

double precision_of(const Common &common)
{
    constexpr std::string_view key = "precision=";
    std::string_view value = hpart::find_option_key("precision")->default_text;
    for (const auto &setting : common.options)
        if (setting.starts_with(key)) value = std::string_view(setting).substr(key.size());
    return hpart::parse_double(value).value_or(1);
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
double points_to_pay(std::int64_t missing, const Json &imprecise_points, double precision)
{
    if (missing > 0) return static_cast<double>(missing);
    constexpr std::int64_t least_repetitions = 5;
    double points = 0;
    for (const auto &one : imprecise_points) {
        const ImprecisePoint point(one.get<std::string>());
        const double ratio = point.ratio / precision;
        if (!point.is_by_budget || !std::isfinite(ratio)) continue;
        if (point.repetitions < least_repetitions) return 0;
        points += std::max(1.0, ratio * ratio);
    }
    return points;
}

// "'A', size 64, 0.21 +- 0.06 J (2 windows)"; a point without a number is the worst.
std::string worst_of(const Json &points)
{
    std::optional<ImprecisePoint> worst;
    for (const auto &one : points) {
        ImprecisePoint point(one.get<std::string>());
        if (!worst || point.ratio > worst->ratio) worst = std::move(point);
    }
    if (worst->value.empty()) return worst->subject;
    return text(worst->subject, ", ", worst->value, " (",
                hpart::pluralise(worst->repetitions, worst->is_energy ? "window" : "repetition"),
                worst->is_by_budget ? " within the budget)" : ")");
}

std::string advice_on_precision(const Json &result)
{
    if (!result["complete"].get<bool>()) return "";
    const auto &needed = result["budget_needed"];
    return text(" The same call with --option remeasure=imprecise",
                needed.is_null() ? std::string() : " --budget " + budget_text(needed.get<double>()),
                " measures them again.");
}

std::string for_people(const Json &result, const hpart_platform *platform, const KernelLine &line)
{
    const auto names = processor_names(platform);
    const bool flops = operations(line, 1).has_value();
    Table table({"processor", ">points", ">sizes", flops ? ">best GFLOP/s" : ">best units/s", ">at size"});
    std::size_t points = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto function = function_of(platform, static_cast<std::int64_t>(i));
        points += function.sizes.size();
        double best = 0;
        std::int64_t best_size = 0;
        for (std::size_t k = 0; k < function.sizes.size(); ++k) {
            const double work = operations(line, function.sizes[k]).value_or(static_cast<double>(function.sizes[k]));
            if (!(work / function.seconds[k] > best)) continue;
            best = work / function.seconds[k];
            best_size = function.sizes[k];
        }
        const auto range =
            function.sizes.empty() ? std::string("-") : text(function.sizes.front(), "..", function.sizes.back());
        const bool is_known = std::isfinite(best) && best > 0;
        table.add({names[i], std::to_string(function.sizes.size()), range,
                   is_known ? fixed_text(flops ? best / 1e9 : best, 2) : "-",
                   is_known ? std::to_string(best_size) : "-"});
    }
    std::string energy;
    if (!result["energy_method"].is_null())
        energy = text("\n", energy_heading("dynamic energy", result["energy_method"].get<std::string>()), " by ",
                      result["meter"].get<std::string>(), ", base power ",
                      fixed_text(result["base_power"].get<double>(), 2), " W");
    auto out = table.text() + energy + "\nmeasured in " + seconds_text(result["seconds"].get<double>()) +
               " and written to " + result["file"].get<std::string>() + "\n";
    out += doubts_for_people(result, points);
    if (const auto count = result[unbound_notes.key].size(); count > 0)
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
                    " reached the precision. Worst: ", worst_of(result[imprecise.key]), ". ",
                    result["file"].get<std::string>(), " names all.", advice_on_precision(result), "\n");
    for (const auto &point : result[failed.key]) out += "failed: " + point.get<std::string>() + "\n";
    return out;
}

std::string text_without_time(const std::vector<std::string> &points)
{
    std::string out;
    for (const auto &point : points)
        out += text(out.empty() ? "Without a time at the end of the budget: " : "; ", point);
    return out.empty() ? out : out + "; --timeout leaves out what never ends.\n";
}

// A processor without any successful size makes the file useless.
void require_points_of_all(const hpart_platform *platform, const Json &failures)
{
    const auto names = processor_names(platform);
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!function_of(platform, static_cast<std::int64_t>(i)).sizes.empty()) continue;
        for (const auto &failure : failures)
            if (const auto reason = failure.get<std::string>(); reason.starts_with(names[i] + " size "))
                give_up("processor ", in_quotes(names[i]), " failed at every size tried: ", reason);
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
    const auto options = options_of(arguments);
    const auto team = arguments.team.make();
    const bool is_new = ::access(arguments.output.c_str(), F_OK) != 0;
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
    const auto content = read_file(arguments.output);
    result["complete"] = !measured.limit.has_value();
    result[failed.key] = notes_of(content, failed);
    result[imprecise.key] = notes_of(content, imprecise);
    result[unbound_notes.key] = notes_of(content, unbound_notes);
    result[busy.key] = notes_of(content, busy);
    result[energy_busy.key] = notes_of(content, energy_busy);
    for (const auto &notes : doubts) result[notes.key] = notes_of(content, notes);
    const auto measured_now = points_in(platform) - known;
    const auto missing = measured.limit ? missing_points(platform, sizes, result[failed.key].size(), meter.works()) : 0;
    const auto without_time = measured.limit ? notes_of(content, unfinished) : std::vector<std::string>();
    // A point with samples is measured once.
    const bool is_final = missing == 0 && arguments.common.has_option("samples_file");
    const double points = is_final ? 0 : points_to_pay(missing, result[imprecise.key], precision_of(arguments.common));
    result["budget_needed"] = budget_needed(result["seconds"].get<double>(), measured_now, points);
    result["libraries"] = libraries_json();
    meter.describe(result);
    double watts = std::numeric_limits<double>::quiet_NaN();
    if (meter.works()) check(hpart_platform_get_base_power(platform, &watts));
    result["base_power"] = watts;
    emit(arguments.common, result, [&] {
        return for_people(result, platform, line) + text_without_time(without_time) +
               (arguments.links ? "links measured between all processors\n" : "");
    });
    if (measured.limit)
        note_end_of_budget(text("The budget ended with ", missing, " of ",
                                hpart::pluralise(sizes.size() * result["processors"].size(), "point"), " missing"),
                           result["budget_needed"]);
    require_points_of_all(platform, result[failed.key]);
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

} // namespace hpart_command
