#include "operation.hpp"

#include "core/file.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <limits>
#include <optional>

namespace hpart_command
{

namespace
{

// Repetitions beyond this many seconds in all are left out.
constexpr double enough_seconds = 20;

void stop_if_interrupted()
{
    if (interrupted_by() != 0) give_up("interrupted; nothing was written");
}

void check_run(hpart_status status)
{
    stop_if_interrupted();
    check(status);
}

// Null for a key that the report has not.
Json value_of(const Report &report, const char *key)
{
    switch (hpart_report_type(report.get(), key)) {
    case HPART_REPORT_INT: return *report_int(report, key);
    case HPART_REPORT_DOUBLE: return *report_double(report, key);
    case HPART_REPORT_DOUBLES: return report_doubles(report, key);
    case HPART_REPORT_STRING: return report_text(report, key);
    default: return nullptr;
    }
}

std::string bytes_text(const Json &bytes)
{
    if (bytes.is_null()) return "-";
    const auto value = bytes.get<double>();
    const auto scale = scale_for(std::max(value, 1.0));
    return fixed_text(value * scale.factor, 2) + " " + std::string(scale.prefix) + "B";
}

std::string rate_text(const Json &gflops)
{
    return gflops.is_null() ? "-" : fixed_text(gflops.get<double>(), 2) + " GFLOP/s";
}

std::string for_people(const std::string &title, const Json &result, const Report &report)
{
    Table table({"", ""});
    table.add({"time", seconds_text(result["seconds"].get<double>())});
    table.add({"set-up, nearly all in the first run", seconds_text(result["setup_seconds"].get<double>())});
    table.add({"rate", rate_text(result["gflops"])});
    if (!result["in_card_gflops"].is_null()) {
        const double part = result["gflops"].get<double>() / result["in_card_gflops"].get<double>();
        // The two rates are of different runs, and speeds vary.
        const auto reached = part > 1 ? std::string() : " (" + fixed_text(100 * part, 1) + " % reached)";
        table.add({"the same kernels without transfers", rate_text(result["in_card_gflops"]) + reached});
    }
    table.add({"to the device", bytes_text(result["bytes_to_device"])});
    table.add({"from the device", bytes_text(result["bytes_from_device"])});
    table.add({"no plan can move less than", bytes_text(result["lower_bound_bytes"])});
    // Without transfers, and where the driver has no times, there is none to hide.
    if (const auto overlap = report_double(report, "overlap");
        overlap && report_double(report, "transfer_seconds") > 0.0)
        table.add({"transfers behind kernels", fixed_text(100 * *overlap, 1) + " %"});
    table.add({"plan", result["plan"].get<std::string>()});
    if (const auto on_host = report_text(report, "on_host"); !on_host.empty()) table.add({"on the host", on_host});
    table.add({result["check"].get<std::string>(), scientific_text(result["max_relative_error"].get<double>(), 2)});
    return title + "\n" + table.text();
}

} // namespace

void add_operation(CLI::App &app, OperationArguments &arguments, const std::string &precisions)
{
    app.add_option("--device", arguments.device, "a device of hpart info, host, or several of them joined with commas")
        ->type_name("SPEC")
        ->capture_default_str();
    app.add_option("--precision", arguments.precision,
                   precisions.find('z') == std::string::npos ? "s float, d double"
                                                             : "s float, d double, c and z their complex types")
        ->type_name(precisions)
        ->capture_default_str();
    add_optional(app, "--memory-limit", arguments.memory_limit, "use no more of the device's memory")
        ->type_name("BYTES");
    app.add_option("--repetitions", arguments.repetitions, "timed runs after a first one; the fastest counts")
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--dry-run", arguments.dry_run, "plan and predict: no array is made, nothing is computed");
    add_result_file(app, arguments.common);
    add_common(app, arguments.common);
}

OpenDevice open_device(const OperationArguments &arguments)
{
    if (arguments.common.has_option("dry_run")) refuse("--option sets dry_run; the command has --dry-run");
    Common of_device;
    for (const auto &setting : arguments.common.options)
        if (setting.starts_with("memory_limit=")) of_device.options.push_back(setting);
    const auto options = make_options(of_device);
    if (arguments.memory_limit)
        set_option(options, of_device, "memory_limit", "--memory-limit",
                   text(parse_positive("--memory-limit", *arguments.memory_limit)));
    for (const auto device : split(arguments.device, ','))
        if (device.starts_with("cpu"))
            refuse("--device is ", in_quotes(arguments.device), "; ", in_quotes(device),
                   " is a processor of hpart profile, and the device of all cores is 'host'");
    OpenDevice device;
    if (arguments.device.find("opencl") != std::string::npos) bind_units_of_pocl();
    check_opened(hpart_device_open(arguments.device.c_str(), options.get(), Filled(device)), arguments.device);
    return device;
}

double epsilon_of(char precision)
{
    return is_double(precision) ? std::numeric_limits<double>::epsilon()
                                : double{std::numeric_limits<float>::epsilon()};
}

// The file of option trace_file has the run that is reported: each is written beside it. A device, as a terminal, gets all runs.
class TraceOfBest
{
  public:
    TraceOfBest(const Common &common, hpart_options *options)
        : options_(options), path_(common.value_of("trace_file").value_or(""))
    {
        is_kept_ = !path_.empty() && hpart::is_replaced_file(path_);
    }
    void begin_run()
    {
        if (!is_kept()) return;
        if (!folder_) folder_.emplace();
        set(beside());
    }
    void end_run(bool is_best)
    {
        if (!is_kept()) return;
        try {
            if (is_best) hpart::write_file(path_, hpart::read_file(beside()));
            std::filesystem::remove(beside());
        } catch (const std::exception &error) {
            fail(text(error.what(), "; the result is complete, only the trace is missing"));
        }
    }
    void end() const
    {
        if (!path_.empty()) set("");
    }
    // The next runs have no trace; the result is not lost.
    void fail(const std::string &reason)
    {
        failure_.emplace(exit_other, reason);
        end();
        path_.clear();
    }
    const std::optional<Failure> &failure() const { return failure_; }

  private:
    bool is_kept() const { return !path_.empty() && is_kept_; }
    std::string beside() const { return folder_->path() + "/trace.json"; }
    void set(const std::string &path) const { check(hpart_options_set_string(options_, "trace_file", path.c_str())); }
    hpart_options *options_;
    std::string path_;
    bool is_kept_ = false; // a file, which has the trace of the best run at the end
    std::optional<TemporaryFolder> folder_;
    std::optional<Failure> failure_;
};

Timing time_operation(const OperationArguments &arguments, const TimedOperation &operation)
{
    const auto repetitions = parse_positive("--repetitions", arguments.repetitions);
    ProgressBar bar;
    const auto options = make_options(arguments.common);
    bar.attach(options.get());
    watch_for_interrupts("interrupted; nothing was written",
                         1); // a transform by a library is one call, which does not look
    TraceOfBest trace(arguments.common, options.get());
    const auto run = [&](Report &report) {
        const auto status = operation.run(options.get(), Filled(report));
        if (status == HPART_ERR_IO && report) return trace.fail(last_error_text());
        check_run(status);
    };
    operation.before();
    Report first; // measures, plans, and compiles missing kernels
    run(first);
    Timing best;
    best.setup_seconds = report_double(first, "setup_seconds");
    double least = std::numeric_limits<double>::infinity(), all = 0;
    for (std::int64_t k = 0; k < repetitions && all < enough_seconds; ++k) {
        operation.before();
        trace.begin_run();
        Report report;
        const auto start = std::chrono::steady_clock::now();
        run(report);
        all += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto seconds = report_double(report, "seconds").value();
        trace.end_run(seconds < least);
        if (seconds >= least) continue;
        least = seconds;
        best.report = std::move(report);
    }
    trace.end();
    best.trace_failure = trace.failure();
    if (!operation.has_in_card_rate) return best;
    check(hpart_options_set_int(options.get(), "in_card_rate", 1));
    all = 0;
    for (std::int64_t k = 0; k < repetitions && all < enough_seconds; ++k) {
        operation.before();
        Report report;
        const auto start = std::chrono::steady_clock::now();
        check_run(operation.run(options.get(), Filled(report)));
        all += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const auto rate = report_double(report, "in_card_gflops");
        if (rate) best.in_card_gflops = std::max(*rate, best.in_card_gflops.value_or(0));
    }
    return best;
}

void emit_prediction(const OperationArguments &arguments, const std::string &title,
                     const std::function<hpart_status(const hpart_options *, hpart_report **)> &run)
{
    const auto options = make_options(arguments.common, {{"dry_run", "1"}});
    Report report;
    check(run(options.get(), Filled(report)));
    Json result;
    for (const auto *key : {"predicted_seconds", "bound_by", "plan", "tiles", "bytes_planned", "lower_bound_bytes",
                            "device_bytes", "least_memory", "advised_memory", "method", "on_host", "kernel"})
        result[key] = value_of(report, key);
    result["device"] = arguments.device;
    result["memory_limit"] =
        arguments.memory_limit ? Json(parse_positive("--memory-limit", *arguments.memory_limit)) : Json(nullptr);
    result["libraries"] = libraries_json();
    emit(arguments.common, result, [&] {
        Table table({"", ""});
        const auto add = [&](const char *words, const char *key, const auto &text_of) {
            if (!result[key].is_null() && result[key] != "" && result[key] != 0)
                table.add({words, text_of(result[key])});
        };
        const auto as_text = [](const Json &value) { return value.get<std::string>(); };
        add("predicted time", "predicted_seconds", [](const Json &value) { return seconds_text(value.get<double>()); });
        add("limited by", "bound_by", as_text);
        add("plan", "plan", as_text);
        add("tiles", "tiles", as_text);
        add("to move, both ways", "bytes_planned", bytes_text);
        add("no plan can move less than", "lower_bound_bytes", bytes_text);
        add("memory of the device", "device_bytes", bytes_text);
        add("a plan needs at least", "least_memory", bytes_text);
        add("nearly the best time from", "advised_memory", bytes_text);
        add("on the host", "on_host", as_text);
        add("kernel", "kernel", as_text);
        return title + ", not run\n" + table.text();
    });
}

void emit_operation(const OperationArguments &arguments, const std::string &title, const Timing &timing,
                    const Checked &checked)
{
    stop_if_interrupted();
    if (!std::isfinite(checked.error))
        give_up("the result on ", arguments.device, " is wrong, or above what its precision can hold: ", checked.how,
                " is ", checked.error);
    if (checked.error > checked.bound)
        give_up("the result on ", arguments.device, " is wrong: ", checked.how, " is ",
                scientific_text(checked.error, 2), "; rounding explains ", scientific_text(checked.bound, 2),
                " at most");
    // The library's keys for the same values; other keys are in "report".
    Json result;
    for (const auto *key :
         {"seconds", "gflops", "in_card_gflops", "bytes_to_device", "bytes_from_device", "lower_bound_bytes", "plan"})
        result[key] = value_of(timing.report, key);
    if (timing.in_card_gflops) result["in_card_gflops"] = *timing.in_card_gflops;
    result["max_relative_error"] = checked.error;
    result["device"] = arguments.device;
    result["memory_limit"] =
        arguments.memory_limit ? Json(parse_positive("--memory-limit", *arguments.memory_limit)) : Json(nullptr);
    result["check"] = checked.how;
    result["setup_seconds"] = timing.setup_seconds ? Json(*timing.setup_seconds) : Json(nullptr);
    Json about = Json::object();
    for (std::int64_t k = 0; k < hpart_report_count(timing.report.get()); ++k) {
        const char *key = hpart_report_key(timing.report.get(), k);
        if (!result.contains(key)) about[key] = value_of(timing.report, key);
    }
    result["report"] = about;
    result["libraries"] = libraries_json();
    emit(arguments.common, result, [&] { return for_people(title, result, timing.report); });
    if (timing.trace_failure) throw Failure(*timing.trace_failure);
}

} // namespace hpart_command
