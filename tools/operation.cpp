#include "operation.hpp"

#include "failure.hpp"
#include "interrupt.hpp"
#include "library.hpp"
#include "progress_bar.hpp"
#include "table.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace hpart_command
{

namespace
{

constexpr std::size_t page_bytes = 4096;
// Repetitions beyond this many seconds in all are left out.
constexpr double enough_seconds = 20;

bool is_complex(char precision) { return precision == 'c' || precision == 'z'; }

void check_run(hpart_status status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check(status);
}

// NaN, for a key that the report has not, is null in the result.
Json number_of(const Report &report, const char *key)
{
    if (const auto whole = report_int(report, key)) return *whole;
    if (const auto real = report_double(report, key)) return *real;
    return nullptr;
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

std::string for_people(const std::string &title, const Json &result, const Report &report,
                       const std::string &error_name)
{
    Table table({"", ""});
    table.add({"time", seconds_text(result["seconds"].get<double>())});
    table.add({"rate", rate_text(result["gflops"])});
    if (!result["in_card_gflops"].is_null()) {
        const double part = result["gflops"].get<double>() / result["in_card_gflops"].get<double>();
        table.add({"the same kernels without transfers",
                   rate_text(result["in_card_gflops"]) + " (" + fixed_text(100 * part, 1) + " % reached)"});
    }
    table.add({"to the device", bytes_text(result["bytes_to_device"])});
    table.add({"from the device", bytes_text(result["bytes_from_device"])});
    table.add({"no plan can move less than", bytes_text(result["lower_bound_bytes"])});
    if (const auto overlap = report_double(report, "overlap"))
        table.add({"transfers behind kernels", fixed_text(100 * *overlap, 1) + " %"});
    table.add({"plan", result["plan"].get<std::string>()});
    table.add({error_name, scientific_text(result["max_relative_error"].get<double>(), 2)});
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
    add_result_file(app, arguments.common);
    add_common(app, arguments.common);
}

OpenDevice open_device(const OperationArguments &arguments)
{
    const auto options = make_options(arguments.common);
    if (arguments.memory_limit)
        check(hpart_options_set_int(options.get(), "memory_limit",
                                    parse_size("--memory-limit", *arguments.memory_limit)));
    OpenDevice device;
    check(hpart_device_open(arguments.device.c_str(), options.get(), Filled(device)));
    return device;
}

OpenDevice open_host()
{
    OpenDevice host;
    check(hpart_device_open("host", nullptr, Filled(host)));
    return host;
}

Numbers::Numbers(char precision, std::int64_t count)
    : count_(count), reals_(is_complex(precision) ? 2 * count : count), is_double_(precision == 'd' || precision == 'z')
{
    const auto bytes = static_cast<std::size_t>(reals_) * (is_double_ ? sizeof(double) : sizeof(float));
    const auto pages = std::max<std::size_t>((bytes + page_bytes - 1) / page_bytes, 1);
    memory_.reset(std::aligned_alloc(page_bytes, pages * page_bytes));
    if (!memory_) throw std::bad_alloc();
}

double Numbers::real(std::int64_t k) const
{
    return is_double_ ? static_cast<const double *>(memory_.get())[k]
                      : static_cast<double>(static_cast<const float *>(memory_.get())[k]);
}

void Numbers::set_real(std::int64_t k, double value)
{
    if (is_double_)
        static_cast<double *>(memory_.get())[k] = value;
    else
        static_cast<float *>(memory_.get())[k] = static_cast<float>(value);
}

void Numbers::fill(std::uint64_t stream)
{
    for (std::int64_t k = 0; k < reals_; ++k) {
        // SplitMix64 (Steele, Lea and Flood 2014), to [-1, 1).
        std::uint64_t bits = stream * 0xD1342543DE82EF95ULL + static_cast<std::uint64_t>(k) * 0x9E3779B97F4A7C15ULL;
        bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
        bits ^= bits >> 31U;
        set_real(k, static_cast<double>(bits >> 11U) * 0x1p-52 - 1);
    }
}

void Numbers::copy_from(const Numbers &other)
{
    const auto bytes = static_cast<std::size_t>(reals_) * (is_double_ ? sizeof(double) : sizeof(float));
    std::memcpy(memory_.get(), other.memory_.get(), bytes);
}

double largest_relative_error(const Numbers &a, const Numbers &b, char precision)
{
    const std::int64_t parts = is_complex(precision) ? 2 : 1;
    double difference = 0, largest = 0;
    for (std::int64_t k = 0; k < a.reals(); k += parts) {
        const double second = parts == 2 ? a.real(k + 1) - b.real(k + 1) : 0;
        const double error = std::hypot(a.real(k) - b.real(k), second);
        if (!(error <= difference)) difference = error; // NaN stays
        largest = std::max(largest, std::hypot(b.real(k), parts == 2 ? b.real(k + 1) : 0));
    }
    return difference == 0 ? 0 : difference / largest;
}

double relative_distance(const Numbers &a, const Numbers &b)
{
    double difference = 0, whole = 0;
    for (std::int64_t k = 0; k < a.reals(); ++k) {
        difference += (a.real(k) - b.real(k)) * (a.real(k) - b.real(k));
        whole += b.real(k) * b.real(k);
    }
    return difference == 0 ? 0 : std::sqrt(difference / whole);
}

Timing time_operation(const OperationArguments &arguments, const TimedOperation &operation)
{
    const auto repetitions = parse_positive("--repetitions", arguments.repetitions);
    ProgressBar bar;
    Options options;
    check(hpart_options_create(Filled(options)));
    bar.attach(options.get());
    watch_for_interrupts();
    operation.before();
    check_run(operation.run(options.get(), nullptr)); // plans, and compiles what is missing
    Timing best;
    best.seconds = std::numeric_limits<double>::infinity();
    double all = 0;
    for (std::int64_t k = 0; k < repetitions && all < enough_seconds; ++k) {
        operation.before();
        Report report;
        const auto start = std::chrono::steady_clock::now();
        check_run(operation.run(options.get(), Filled(report)));
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        all += seconds;
        if (seconds >= best.seconds) continue;
        best.seconds = seconds;
        best.report = std::move(report);
    }
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

void emit_operation(const OperationArguments &arguments, const std::string &title, const Timing &timing,
                    double operations, double error, const std::string &error_name)
{
    Json result;
    result["seconds"] = timing.seconds;
    result["gflops"] = operations / timing.seconds / 1e9;
    result["in_card_gflops"] = timing.in_card_gflops ? Json(*timing.in_card_gflops) : Json(nullptr);
    result["bytes_to_device"] = number_of(timing.report, "bytes_to_device");
    result["bytes_from_device"] = number_of(timing.report, "bytes_from_device");
    result["lower_bound_bytes"] = number_of(timing.report, "lower_bound_bytes");
    result["plan"] = report_text(timing.report, "plan");
    result["max_relative_error"] = error;
    result["device"] = arguments.device;
    result["memory_limit"] =
        arguments.memory_limit ? Json(parse_size("--memory-limit", *arguments.memory_limit)) : Json(nullptr);
    Json about = Json::object();
    for (std::int64_t k = 0; k < hpart_report_count(timing.report.get()); ++k) {
        const char *key = hpart_report_key(timing.report.get(), k);
        const auto number = number_of(timing.report, key);
        about[key] = number.is_null() ? Json(report_text(timing.report, key)) : number;
    }
    result["report"] = about;
    result["libraries"] = libraries_json();
    emit(arguments.common, result, [&] { return for_people(title, result, timing.report, error_name); });
}

std::int64_t parse_positive(std::string_view argument, std::string_view text)
{
    const auto value = parse_size(argument, text);
    if (value == 0) refuse(argument, " is 0; it must be 1 or more");
    return value;
}

std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes)
{
    constexpr std::int64_t most = std::int64_t{1} << 48; // 16 bytes each is beyond any machine's memory
    std::int64_t count = 1;
    for (const auto size : sizes) {
        if (size > most / count) refuse(what, " has more elements than any machine has memory for");
        count *= size;
    }
    return count;
}

} // namespace hpart_command
