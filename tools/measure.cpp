// hpart measure: the time of a program, repeated until its mean is known.
#include "arguments.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "programs.hpp"
#include "progress_bar.hpp"
#include "table.hpp"

#include <limits>
#include <memory>

namespace hpart_command
{

namespace
{

struct MeasureArguments {
    Common common;
    ProgramArguments program;
    std::optional<std::string> size, precision;
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
    const bool is_function = words.size() == 1 && words.front().starts_with("lib:");
    Program program{"command", is_function ? words.front() : quoted(words)};
    const bool needs_size = takes_size(program) || arguments.program.stays_alive();
    if (needs_size && !arguments.size) refuse("the command takes a size; give --size N");
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

std::string for_people(const Json &result, const std::string &method)
{
    const auto seconds = [&](const char *key) { return seconds_text(result[key].get<double>()); };
    Table table({"", ">value"});
    table.add({"time", seconds("seconds")});
    table.add({"from", seconds("low")});
    table.add({"to", seconds("high")});
    table.add({"median", seconds("median")});
    table.add({"repetitions", std::to_string(result["repetitions"].get<std::int64_t>())});
    if (!method.empty())
        table.add({energy_heading("dynamic energy", method), signed_joules_text(result["joules"].get<double>())});
    return table.text() + (result["precision_reached"].get<bool>() ? "" : "\nprecision not reached\n");
}

void run_measure(const MeasureArguments &arguments, const std::vector<std::string> &words)
{
    const auto program = program_of(arguments, words);
    const auto size = arguments.size ? parse_positive("--size", *arguments.size) : 1;
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const auto options = make_options(arguments.common);
    if (arguments.precision) check(hpart_options_set_string(options.get(), "precision", arguments.precision->c_str()));
    bar.attach(options.get());
    const auto team = make_team({program}, arguments.program);
    const TeamMeter meter(arguments.meter);
    meter.attach(team.get());
    meter.set_options(options.get());
    double seconds = 0, joules = std::numeric_limits<double>::quiet_NaN();
    Report report;
    const auto status = hpart_team_measure(team.get(), &size, options.get(), &seconds,
                                           meter.works() ? &joules : nullptr, Filled(report));
    bar.clear();
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check_run(status, size);

    Json result;
    result["seconds"] = seconds;
    result["low"] = first_of(report, "interval_low");
    result["high"] = first_of(report, "interval_high");
    result["median"] = first_of(report, "median");
    result["repetitions"] = report_int(report, "repetitions").value_or(0);
    result["precision_reached"] = report_int(report, "precision_reached") == 1;
    result["joules"] = joules;
    const auto contaminated = report_int(report, "contaminated");
    result["contaminated"] = contaminated ? Json(*contaminated) : Json(nullptr);
    result["command"] = words;
    result["size"] = arguments.size ? Json(size) : Json(nullptr);
    meter.describe(result);
    emit(arguments.common, result, [&] { return for_people(result, meter.method()); });
}

} // namespace

void add_measure(CLI::App &app, const std::vector<std::string> &command)
{
    auto arguments = std::make_shared<MeasureArguments>();
    auto *sub = app.add_subcommand("measure", "the time of a program, and with --meter its energy, until it is known");
    add_optional(*sub, "--size", arguments->size,
                 "replaces {size} in the command; with --protocol lines, is written to it")
        ->type_name("N");
    add_program_arguments(*sub, arguments->program);
    add_optional(*sub, "--precision", arguments->precision,
                 "half-width of the confidence interval over the mean at which to stop (default 0.025)")
        ->type_name("RATIO");
    add_meter_arguments(*sub, arguments->meter);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer(
        "The command stands after --. Its output is thrown away, or read for --time-from stdout. When it fails, the\n"
        "exit status is 1 and the message has the last line of its standard error.\n"
        "Example: hpart measure --size 1000 --time-from stdout -- ./app --gpu {size}");
    sub->callback([arguments, &command] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run_measure(*arguments, command);
    });
}

} // namespace hpart_command
