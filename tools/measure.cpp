// hpart measure: the time of a program, repeated until its mean is known.
#include "arguments.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string_view>

#include <unistd.h>

namespace hpart_command
{

namespace
{

struct MeasureArguments {
    Common common;
    ProgramArguments program;
    ApplicationArguments application;
    std::optional<std::string> size, distribution, precision, budget;
    MeterArguments meter;
};

// As one text, from which the library gets these words again.
std::string quoted(const std::vector<std::string> &words)
{
    std::string command;
    for (const auto &word : words) {
        command += command.empty() ? "'" : " '";
        for (const char c : word) command += c == '\'' ? std::string("'\\''") : std::string(1, c);
        command += '\'';
    }
    return command;
}

Program program_of(const MeasureArguments &arguments, const std::vector<std::string> &words)
{
    if (words.empty()) refuse("there is no command; it stands after --, as in hpart measure -- ./app 1000");
    if (words.size() == 1 && words.front().find(' ') != std::string::npos && ::access(words.front().c_str(), F_OK) != 0)
        refuse("the command is one word, ", in_quotes(words.front()), "; its words stand behind -- without quotes");
    const bool is_function = words.size() == 1 && words.front().starts_with("lib:");
    Program program{"command", is_function ? words.front() : quoted(words)};
    const bool needs_size = takes_size(program) || arguments.program.stays_alive();
    if (needs_size && !arguments.size) refuse("the command takes a size; give --size N");
    if (!needs_size && arguments.program.time_from == "rate")
        refuse(
            "--time-from is 'rate', whose time is the size over it, but the command has no {size}; write {size} in it "
            "and give --size N");
    if (!needs_size && arguments.size)
        refuse("--size is given, but the command has no {size} that it could replace; --protocol lines would write it");
    return program;
}

// The one processor has a name that the user did not give.
void check_run(hpart_status status, std::int64_t size)
{
    if (status == HPART_SUCCESS) return;
    const auto failure = library_failure(status);
    std::string_view message = failure.what();
    const auto subject = text("processor 'command', size ", size, ": ");
    if (message.starts_with(subject)) message.remove_prefix(subject.size());
    throw Failure(failure.exit_status(), std::string(message));
}

double first_of(const Report &report, const char *key)
{
    const auto values = report_doubles(report, key);
    return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values.front();
}

constexpr std::string_view usual_budget = "10s";
constexpr double shortest_timeout = 1e-6;

struct Shares {
    double seconds;                            // of the times, and of the energies
    std::optional<double> base = std::nullopt; // of the base power
};

// The energies take as long as the times, or one window.
Shares shares_of(const MeasureArguments &arguments, const TeamMeter &meter)
{
    const double window = meter.window_seconds();
    if (arguments.budget) meter.require_budget(*arguments.budget, true);
    constexpr double usual_base = 2, share_of_base = 0.25;
    const double usual = std::max(parse_seconds("--budget", std::string(usual_budget)), 3 * window);
    const double budget = arguments.budget ? parse_seconds("--budget", *arguments.budget) : usual;
    if (!meter.works()) return {budget};
    const auto base = arguments.meter.base_power || arguments.common.has_option("base_power")
                          ? 0
                          : std::max(window, std::min(usual_base, share_of_base * budget));
    const double rest = std::max(budget - base, 0.0);
    return {std::max(std::min(rest / 2, rest - window), 0.0), base > 0 ? std::optional(base) : std::nullopt};
}

struct MeasuredRun {
    std::vector<double> seconds;
    double joules = std::numeric_limits<double>::quiet_NaN();
    Report report = {};
    hpart_status status = HPART_SUCCESS;
    bool is_interrupted = false; // after repetitions that are the result
};

// True for the time, and for the energy if it was measured.
bool is_precise(const Report &report)
{
    return report_int(report, "precision_reached") == 1 &&
           report_int(report, "energy_precision_reached").value_or(1) == 1;
}

// True if the time was up first.
bool is_cut_off(const Report &report)
{
    const bool is_by_time = report_text(report, "stop_reason") == "max_seconds" ||
                            report_text(report, "energy_stop_reason") == "max_seconds";
    return is_by_time && !is_precise(report);
}

void note_end(const MeasureArguments &arguments, const MeasuredRun &measured)
{
    const auto &report = measured.report;
    if (measured.is_interrupted)
        give_up("interrupted; the result has ",
                hpart::pluralise(report_int(report, "repetitions").value_or(0), "repetition"));
    if (!is_cut_off(report)) return;
    const auto *const argument = arguments.common.has_option("max_seconds") ? "--option max_seconds" : "--budget";
    note_short_budget(text("The ", arguments.common.has_option("max_seconds") ? "time" : "budget",
                           " ended before the precision was reached"),
                      argument);
}

// "20 of 71 repetitions were disturbed by other work. The median, 50.8 ms, is less affected." Few of them change nothing.
std::string disturbed_text(const Report &report, std::string_view median)
{
    const auto disturbed = report_int(report, "contaminated").value_or(0);
    const auto repetitions = report_int(report, "repetitions").value_or(0), repeated = disturbed + repetitions;
    const auto busy = report_text(report, "busy"); // "20 of 71 repetitions were disturbed: ..."
    if (busy.empty() && !are_many(disturbed, repeated)) return "";
    return text("\n",
                busy.empty() ? text(disturbed, " of ", repeated, " repetitions were disturbed by other work")
                             : "The machine was busy: " + busy,
                median.empty() || repetitions < 3 ? "" : text(". The median, ", median, ", is less affected"), ".\n");
}

// The note of a meter that measured is about its energy. Without a meter that works the note is on stderr already.
std::string energy_doubts_of(const Json &result, const std::string &method)
{
    if (method.empty() || std::isnan(result["joules"].get<double>()) || result["meter_note"].is_null()) return "";
    return text("\n", result["meter_note"].get<std::string>(), "\n");
}

void note_doubts_about_energy(Json &result, const MeasuredRun &measured, const std::string &method)
{
    const auto doubts = doubts_about_energy(measured.joules, method, report_text(measured.report, "energy_busy"));
    if (!doubts.empty()) result["meter_note"] = doubts;
}

std::string for_people(const Json &result, const Report &report, const std::string &method)
{
    const auto number = [&](const char *key) { return result[key].get<double>(); };
    const auto median = seconds_text(number("median"));
    Table table({"", ">value"});
    table.add({"time", seconds_text(number("seconds"), {number("low"), number("high")})});
    table.add({"median", median});
    table.add({"repetitions", std::to_string(result["repetitions"].get<std::int64_t>())});
    if (!method.empty()) table.add({energy_heading("dynamic energy", method), signed_joules_text(number("joules"))});
    if (!method.empty() && !result["size"].is_null())
        table.add({"energy a unit", signed_joules_text(number("joules") / number("size"))});
    return table.text() + disturbed_text(report, median) + energy_doubts_of(result, method) +
           (result["precision_reached"].get<bool>() ? "" : "\nprecision not reached\n");
}

MeasuredRun measure(const MeasureArguments &arguments, const Team &team, const TeamMeter &meter,
                    const std::vector<std::int64_t> &x)
{
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const auto options = make_options(arguments.common);
    if (arguments.precision) set_option(options, arguments.common, "precision", "--precision", *arguments.precision);
    if (arguments.budget) refuse_twice(arguments.common, "--budget", "max_seconds");
    if (!arguments.common.has_option("max_seconds")) {
        const auto [seconds, base] = shares_of(arguments, meter);
        check(hpart_options_set_double(options.get(), "max_seconds", seconds));
        if (base && !arguments.common.has_option("base_seconds"))
            check(hpart_options_set_double(options.get(), "base_seconds", *base));
    }
    bar.attach(options.get());
    meter.attach(team.get());
    meter.set_options(options.get());
    MeasuredRun out{std::vector<double>(x.size())};
    std::vector<double> joules(x.size(), 0); // of the node, or of each processor
    out.status = hpart_team_measure(team.get(), x.data(), options.get(), out.seconds.data(),
                                    meter.works() ? joules.data() : nullptr, Filled(out.report));
    if (meter.works()) out.joules = std::accumulate(joules.begin(), joules.end(), 0.0);
    bar.clear();
    if (out.status == HPART_ERR_CANCELLED && report_int(out.report, "repetitions").value_or(0) > 0) {
        out.is_interrupted = true;
        out.status = HPART_SUCCESS;
    }
    if (out.status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    if (out.status == HPART_SUCCESS) note_time_doubt(report_text(out.report, "time_doubt"));
    return out;
}

void run_application(const MeasureArguments &arguments, const std::vector<std::string> &words)
{
    const auto &[command, names] = arguments.application;
    if (!command || !names) refuse("--application and --processors belong together");
    if (!arguments.distribution) refuse("--application needs --distribution, one size per processor");
    if (!words.empty() || arguments.size) refuse("--application takes the place of --size and of the command after --");
    const auto x = parse_list("--distribution", *arguments.distribution);
    const auto team = make_application_team(arguments.application, *names,
                                            arguments.program.within(arguments.budget, shortest_timeout));
    if (const auto count = hpart_team_processors(team.get()); count != static_cast<std::int64_t>(x.size()))
        refuse("--distribution has ", x.size(), " sizes, but --processors has ", count, " names");
    const TeamMeter meter(arguments.meter);
    const auto measured = measure(arguments, team, meter, x);
    check(measured.status);
    const auto &report = measured.report;
    const auto low = report_doubles(report, "interval_low"), high = report_doubles(report, "interval_high");
    Json result;
    Json list = Json::array();
    for (std::string_view rest = *names; !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        list.push_back(std::string(rest.substr(0, comma)));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    result["processors"] = list;
    result["distribution"] = x;
    result["seconds"] = measured.seconds;
    result["low"] = low;
    result["high"] = high;
    result["repetitions"] = report_int(report, "repetitions").value_or(0);
    result["precision_reached"] = is_precise(report);
    result["joules"] = measured.joules;
    result["complete"] = result["precision_reached"];
    const auto contaminated = report_int(report, "contaminated");
    result["contaminated"] = contaminated ? Json(*contaminated) : Json(nullptr);
    result["application"] = *command;
    result["one_time"] = report_int(report, "one_time") == 1;
    meter.describe(result);
    note_doubts_about_energy(result, measured, meter.method());
    emit(arguments.common, result, [&] {
        Table table({"processor", ">size", ">time"});
        for (std::size_t i = 0; i < x.size(); ++i)
            table.add({list[i].get<std::string>(), text(x[i]), seconds_text(measured.seconds[i], {low[i], high[i]})});
        auto lines = table.text();
        if (result["one_time"].get<bool>()) lines += "\none time for all processors\n";
        if (!std::isnan(measured.joules))
            lines += text("\n", energy_heading("dynamic energy", meter.method()), " ",
                          signed_joules_text(measured.joules), "\n");
        return lines + disturbed_text(report, "") + energy_doubts_of(result, meter.method()) +
               (result["precision_reached"].get<bool>() ? "" : "\nprecision not reached\n");
    });
    note_end(arguments, measured);
}

void run_measure(const MeasureArguments &arguments, const std::vector<std::string> &words)
{
    const auto program = program_of(arguments, words);
    const auto size = arguments.size ? parse_positive("--size", *arguments.size) : 1;
    const auto team = make_team({program}, arguments.program.within(arguments.budget, shortest_timeout));
    const TeamMeter meter(arguments.meter);
    const auto measured = measure(arguments, team, meter, {size});
    check_run(measured.status, size);
    const auto &report = measured.report;
    const double seconds = measured.seconds.front(), joules = measured.joules;

    Json result;
    result["seconds"] = seconds;
    const auto low = first_of(report, "interval_low");
    result["low"] = low < 0 ? 0 : low; // a time is not negative
    result["high"] = first_of(report, "interval_high");
    result["median"] = first_of(report, "median");
    result["repetitions"] = report_int(report, "repetitions").value_or(0);
    result["precision_reached"] = is_precise(report);
    result["joules"] = joules;
    const auto contaminated = report_int(report, "contaminated");
    result["contaminated"] = contaminated ? Json(*contaminated) : Json(nullptr);
    result["complete"] = result["precision_reached"];
    result["command"] = words;
    result["size"] = arguments.size ? Json(size) : Json(nullptr);
    meter.describe(result);
    note_doubts_about_energy(result, measured, meter.method());
    emit(arguments.common, result, [&] { return for_people(result, report, meter.method()); });
    note_end(arguments, measured);
}

} // namespace

void add_measure(CLI::App &app, const std::vector<std::string> &command)
{
    auto arguments = std::make_shared<MeasureArguments>();
    auto *sub = app.add_subcommand("measure", "the time of a program, and with --meter its energy, until it is known");
    add_optional(*sub, "--size", arguments->size,
                 "replaces {size} in the command; with --protocol lines, is written to it")
        ->type_name("N");
    add_application_arguments(*sub, arguments->application);
    add_optional(*sub, "--distribution", arguments->distribution,
                 "with --application: sizes of its processors, in order")
        ->type_name("SIZE,SIZE...");
    add_program_arguments(*sub, arguments->program);
    add_optional(*sub, "--precision", arguments->precision,
                 "half-width of the confidence interval over the mean at which to stop (default 0.025)")
        ->type_name("RATIO");
    add_optional(*sub, "--budget", arguments->budget,
                 "end within this time with the interval reached by then; two runs at least (default 10s, or what "
                 "--meter needs)")
        ->type_name("TIME");
    add_meter_arguments(*sub, arguments->meter);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer(
        "The command stands after --. Its output is thrown away, or read for --time-from stdout. When it fails, the\n"
        "exit status is 1 and the message has the last line of its standard error.\n"
        "Examples: hpart measure --size 1000 --time-from stdout -- ./app --gpu {size}\n"
        "          hpart measure --application 'mpirun -n 2 ./app {x}' --processors CPU,GPU --distribution 200,800 "
        "--time-from stdout");
    sub->callback([arguments, &command] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        if (arguments->application.are_given() || arguments->distribution)
            run_application(*arguments, command);
        else
            run_measure(*arguments, command);
    });
}

} // namespace hpart_command
