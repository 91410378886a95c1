// hpart energy: the joules, seconds and watts of a command.
#include "arguments.hpp"
#include "core/machine.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

namespace hpart_command
{

namespace
{

constexpr double usual_base_seconds = 2;
constexpr int exit_meter_failed = 125; // out of the way of the command's own

struct EnergyArguments {
    Common common;
    std::string meter;
    std::optional<std::string> base_power, base_seconds;
};

// Maps a meter's status to an exit status. A wrong spec or recording is a wrong call; errors of other files and pipes are the system's.
void check_meter(hpart_status status, const std::string &spec)
{
    if (status == HPART_SUCCESS) return;
    if (status == HPART_ERR_CANCELLED) give_up("interrupted before the command was run");
    const bool is_wrong_call = status == HPART_ERR_INVALID_ARGUMENT || status == HPART_ERR_FORMAT ||
                               (status == HPART_ERR_IO && spec.starts_with("replay:"));
    throw Failure(is_wrong_call ? exit_wrong_call : exit_meter_failed, last_error_text());
}

void check_window(hpart_status status)
{
    if (status != HPART_SUCCESS) throw Failure(exit_meter_failed, last_error_text());
}

Report report_of(const Meter &meter)
{
    Report report;
    check(hpart_meter_report(meter.get(), Filled(report)));
    return report;
}

bool wants_measured_base(const EnergyArguments &arguments) { return arguments.base_power == "measure"; }

// Told while the meter is waited for or the base power measured: Ctrl-C ends that.
int stop_when_interrupted(double /*fraction*/, const char * /*what*/, void * /*user*/) { return interrupted_by(); }

Options meter_options(const EnergyArguments &arguments)
{
    auto options = make_options(arguments.common);
    check(hpart_options_set_progress(options.get(), stop_when_interrupted, nullptr, nullptr));
    if (arguments.base_power) refuse_twice(arguments.common, "--base-power", "base_power");
    if (arguments.base_power && !wants_measured_base(arguments))
        check(hpart_options_set_double(options.get(), "base_power",
                                       parse_watts("--base-power", *arguments.base_power, ", or measure")));
    return options;
}

Meter open_meter(const std::string &spec, const Options &options)
{
    Meter meter;
    name_argument("spec", "--meter");
    claim_recording(spec);
    hpart::machine_root(); // a wrong folder is a wrong call, no failure of the meter
    check_meter(hpart_meter_open(spec.c_str(), options.get(), Filled(meter)), spec);
    return meter;
}

void measure_base_power(const EnergyArguments &arguments, const Meter &meter)
{
    const double least = report_double(report_of(meter), "minimum_window").value();
    const double seconds = arguments.base_seconds ? parse_seconds("--base-seconds", *arguments.base_seconds)
                                                  : std::max(least, usual_base_seconds);
    name_argument("seconds", "--base-seconds");
    check_meter(hpart_meter_base_power(meter.get(), seconds, nullptr, nullptr), arguments.meter);
}

// Reports a failed meter at once on stderr; the command, which may take hours, continues.
class Watch
{
  public:
    explicit Watch(const Meter &meter) : thread_([this, &meter] { run(meter); }) {}
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;
    ~Watch()
    {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

  private:
    void run(const Meter &meter) noexcept
    {
        constexpr auto interval = std::chrono::milliseconds(500);
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, interval, [this] { return stopping_; })) {
            Report report;
            if (hpart_meter_report(meter.get(), Filled(report)) != HPART_SUCCESS) return;
            const auto why = report_text(report, "failure");
            if (why.empty()) continue;
            std::cerr << "hpart: the energy is lost, while the command goes on: " << one_line(why) << "\n";
            return;
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_; // begins when the others are there
};

int run_watched(const std::vector<std::string> &command, bool output_to_stderr, const Meter &meter)
{
    const Watch watch(meter);
    return run_child(command, output_to_stderr);
}

Json number_or_null(const Report &report, const char *key)
{
    const auto value = report_double(report, key);
    return value ? Json(*value) : Json(nullptr);
}

Json result_of(const Report &report, int exit_status)
{
    Json result;
    for (const auto *key : {"joules", "seconds", "watts", "base_power"}) result[key] = number_or_null(report, key);
    result["dynamic_joules"] = number_or_null(report, "dynamic_joules");
    result["meter"] = report_text(report, "meter");
    result["method"] = report_text(report, "method");
    result["exit_status"] = exit_status;
    for (const auto *key : {"base_power_error", "dynamic_joules_error", "interval", "minimum_window"})
        result[key] = number_or_null(report, key);
    result["short_window"] = report_int(report, "short_window") == 1;
    result["busy"] = report_text(report, "busy");
    result["missed"] = report_int(report, "missed").value_or(0);
    Json channels = Json::object();
    const auto names = report_rows(report, "channels");
    const auto joules = report_doubles(report, "channel_joules");
    for (std::size_t k = 0; k < joules.size(); ++k) channels[report_text(names.at(k), "name")] = joules[k];
    result["channels"] = channels;
    return result;
}

// An energy below nothing needs a word: the idle machine would have taken more.
std::string note_on_dynamic_energy(const Json &result)
{
    const double dynamic = result["dynamic_joules"].get<double>(), seconds = result["seconds"].get<double>();
    if (!(dynamic < 0)) return {};
    constexpr double errors = 2; // 95 %
    if (-dynamic <= errors * result["dynamic_joules_error"].get<double>())
        return "The dynamic energy is 0 within its error.\n";
    const auto method = result["method"].get<std::string>();
    return text("The dynamic energy is negative: ", result["base_power"].get<double>(), " W of base power for ",
                seconds_text(seconds), " are more than the ", method == "estimated" ? "estimate" : "measured energy",
                ". ", cause_of_negative_energy(method), "\n");
}

std::string window_text(const Json &result)
{
    const auto number = [&](const char *key) { return result[key].get<double>(); };
    const auto method = result["method"].get<std::string>();
    const std::string label = method == "estimated" ? " (estimated)" : method == "replayed" ? " (replayed)" : "";
    Table table({"", ">value"});
    table.add({"energy" + label, joules_text(number("joules"))});
    table.add({"time", seconds_text(number("seconds"))});
    if (!result["watts"].is_null()) table.add({"power" + label, with_error(number("watts"), 0, "W")});
    if (!result["base_power"].is_null()) {
        const double error = number("base_power_error");
        table.add({"base power" + label, with_error(number("base_power"), error, "W")});
        table.add(
            {"dynamic energy" + label, with_error(number("dynamic_joules"), number("dynamic_joules_error"), "J")});
    }
    std::string out = table.text() + "\nmeter " + result["meter"].get<std::string>() + ", " + method + "\n";
    if (result["short_window"].get<bool>())
        out += text("The command was shorter than ", number("minimum_window"),
                    " s, 20 intervals of the meter: its energy is known roughly only.\n");
    if (const auto busy = result["busy"].get<std::string>(); !busy.empty())
        out += text("Other parts of the machine took energy: ", busy, ".\n");
    if (!result["dynamic_joules"].is_null()) out += note_on_dynamic_energy(result);
    if (const auto missed = result["missed"].get<std::int64_t>(); missed > 0)
        out += text("The meter missed ", missed, " of its values.\n");
    return out;
}

void run_energy(const EnergyArguments &arguments, const std::vector<std::string> &command, int &exit_status)
{
    if (command.empty()) refuse("there is no command; it stands after --, as in hpart energy --meter rapl -- sleep 1");
    if (arguments.base_seconds && !wants_measured_base(arguments))
        refuse("--base-seconds is given, but --base-power is not 'measure'");
    watch_for_interrupts();
    const auto options = meter_options(arguments);
    const auto meter = open_meter(arguments.meter, options);
    if (wants_measured_base(arguments)) measure_base_power(arguments, meter);
    if (interrupted_by() != 0) give_up("interrupted before the command was run");
    check_window(hpart_meter_start(meter.get()));
    const int status = run_watched(command, arguments.common.json || arguments.common.csv, meter);
    check_window(hpart_meter_stop(meter.get(), nullptr, nullptr));
    const auto result = result_of(report_of(meter), status);
    emit(arguments.common, result, [&] { return window_text(result); });
    // The text has it.
    if (arguments.common.json && !result["dynamic_joules"].is_null())
        if (const auto note = note_on_dynamic_energy(result); !note.empty()) std::cerr << "hpart: " << note;
    exit_status = status;
}

} // namespace

void add_energy(CLI::App &app, const std::vector<std::string> &command, int &exit_status)
{
    auto arguments = std::make_shared<EnergyArguments>();
    auto *sub = app.add_subcommand("energy", "joules, seconds and watts of a command");
    sub->add_option("--meter", arguments->meter,
                    "the meter, as hpart info lists it: rapl, nvml:0, wattsup:/dev/ttyUSB0, ...")
        ->required()
        ->type_name("SPEC");
    add_optional(*sub, "--base-power", arguments->base_power,
                 "power of the idle machine in watts, or measure; the dynamic energy excludes it")
        ->type_name("W|measure");
    add_optional(*sub, "--base-seconds", arguments->base_seconds,
                 "seconds for measuring the idle machine (default 2 s or 20 intervals of the meter)")
        ->type_name("S");
    add_common(*sub, arguments->common);
    add_result_file(*sub, arguments->common);
    sub->footer("The command stands after --. The exit status is the command's, 128 + the signal that ended it, 127 or "
                "126 if it cannot be run,\n"
                "125 if the meter fails, 2 if the call is wrong. With --format json the command's standard output\n"
                "goes to standard error.\n\n"
                "Example: hpart energy --meter rapl --base-power measure -- ./simulation input.dat");
    sub->callback([arguments, &command, &exit_status] {
        arguments->common.settle();
        run_energy(*arguments, command, exit_status);
    });
}

} // namespace hpart_command
