// The drop-in BLAS: functions of the BLAS and LAPACK under their own names. Large calls run on hpart's devices. All other calls, and calls
// that hpart refuses, go to the next library in the loader's order, arguments as they came: errors are that library's own.
//
// One call at a time has the devices. Another call meanwhile goes to the next library: a thread never waits for one of another thread, and
// a call that comes out of hpart's own libraries (OpenBLAS's geqrf calls gemm by its name) never waits for its own caller.
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/options.hpp"
#include "drop_in/arguments.hpp"
#include "drop_in/next_library.hpp"
#include "drop_in/saved_outputs.hpp"
#include "hpart.h"
#include "out_of_card/devices/registry.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#define HPART_EXPORTED __attribute__((visibility("default")))

using namespace hpart::drop_in;

namespace
{

// Sizes of a call; 1 where it has none.
struct Sizes {
    std::int64_t m = 1, n = 1, k = 1, nrhs = 1;
    bool left = true; // side

    auto key() const { return std::tuple(m, n, k, nrhs, left); }
    std::int64_t order() const { return left ? m : n; }
    std::int64_t least() const { return std::min(m, n); }
    std::int64_t most() const { return std::max(m, n); }
};

// In a number that does not overflow.
double times(std::int64_t a, std::int64_t b, std::int64_t c = 1)
{
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
}

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t usual_least = 1024;

// Calls whose largest side is below go on at once. `never` where there are no devices.
std::atomic<std::int64_t> least_side{never};
std::atomic<bool> reports{false};

[[noreturn]] void end_without(const char *function)
{
    // As the loader ends a program that lacks a function.
    std::fprintf(stderr, "libhpart_blas: no library of this program has %s\n", function);
    _exit(127);
}

template <std::size_t> constexpr std::size_t one = 1;

// A function, and the counts of its calls.
class Function
{
  public:
    constexpr Function(const char *name, char type, const Family &family) : name_(name), type_(type), family_(&family)
    {
    }

    // True for a call that goes on at once. Without elements the BLAS returns at once, where hpart may scale a result.
    bool stays(const Sizes &sizes)
    {
        const auto smallest = std::min({sizes.m, sizes.n, sizes.k, sizes.nrhs});
        const auto largest = std::max({sizes.m, sizes.n, sizes.k, sizes.nrhs});
        const auto least = least_side.load(std::memory_order_relaxed);
        if (smallest > 0 && largest >= least) return false;
        count(least == never ? off : small);
        return true;
    }

    // Calls the function of the next library. gfortran adds the length of each character argument.
    template <typename... Arguments> void next(Arguments... arguments)
    {
        auto *found = next_.load(std::memory_order_relaxed);
        if (found == nullptr) {
            found = find_next(name_);
            if (found == nullptr) end_without(name_);
            next_.store(found, std::memory_order_relaxed);
        }
        constexpr auto characters = (std::size_t{std::is_same_v<Arguments, const char *>} + ... + 0);
        [&]<std::size_t... k>(std::index_sequence<k...>)
        {
            reinterpret_cast<void (*)(Arguments..., decltype(k)...)>(found)(arguments..., one<k>...);
        }
        (std::make_index_sequence<characters>());
    }

    static void count(std::atomic<std::int64_t> &calls)
    {
        if (reports.load(std::memory_order_relaxed)) calls.fetch_add(1, std::memory_order_relaxed);
    }

    const char *name() const { return name_; }
    const Family &family() const { return *family_; }
    bool is_complex() const { return type_ == 'c' || type_ == 'z'; }
    bool is_double() const { return type_ == 'd' || type_ == 'z'; }
    std::int64_t element_bytes() const { return std::int64_t{is_complex() ? 2 : 1} * (is_double() ? 8 : 4); }

    std::atomic<std::int64_t> small{0}, busy{0}, off{0};
    // The owner of the devices changes these.
    std::atomic<std::int64_t> on_devices{0}, slower{0}, refused{0}, failed{0};
    double to_device = 0, from_device = 0, seconds = 0, estimated_seconds = 0;

  private:
    const char *name_;
    char type_;
    const Family *family_;
    std::atomic<void *> next_{nullptr};
};

Output matrix(const Function &function, bool row_major, void *data, std::int64_t rows, std::int64_t columns,
              std::int64_t ld)
{
    if (row_major) std::swap(rows, columns);
    const auto element = function.element_bytes();
    return {static_cast<char *>(data), columns, rows * element, ld * element};
}

// The other triangle may be another thread's.
Output triangle(const Function &function, Output output, bool row_major, std::int32_t uplo)
{
    output.element = function.element_bytes();
    output.is_first = (uplo == HPART_UPPER) != row_major;
    return output;
}

// y of gemv. Its length is unknown for other values of trans, which hpart refuses.
Output vector(const Function &function, std::int32_t trans, const Sizes &sizes, void *data, std::int64_t increment)
{
    const auto element = function.element_bytes();
    std::int64_t length = 0;
    if (trans == HPART_NO_TRANSPOSE) length = sizes.m;
    if (trans == HPART_TRANSPOSE || trans == HPART_CONJUGATE_TRANSPOSE) length = sizes.n;
    return {static_cast<char *>(data), length, element, std::abs(increment) * element};
}

// Pointers of the C interface with their destructors.
struct ReportDestroyer {
    void operator()(hpart_report *report) const { HPART(hpart_report_destroy)(report); }
};
struct OptionsDestroyer {
    void operator()(hpart_options *options) const { HPART(hpart_options_destroy)(options); }
};
using ReportHandle = std::unique_ptr<hpart_report, ReportDestroyer>;
using OptionsHandle = std::unique_ptr<hpart_options, OptionsDestroyer>;

double number_of(const ReportHandle &report, const char *key)
{
    double value = 0;
    return HPART(hpart_report_get_double)(report.get(), key, &value) == HPART_SUCCESS ? value : 0;
}

// The devices and all that the environment sets. It is never destroyed: other threads may call until the process ends.
struct Engine {
    std::string folder;                           // of this library
    std::string devices, options, report, reason; // why calls do not run on the devices
    std::int64_t least = usual_least;
    bool compares = true; // without HPART_BLAS_LEAST: the predicted time with the next library's
    bool was_opened = false;
    std::atomic_flag in_use{};
    hpart_device *device = nullptr;
    OptionsHandle dry;
    double host_rate = 0;                    // operations a second of the next library's product
    std::map<const Family *, bool> families; // those with the next library's integers
    std::map<std::pair<const Function *, decltype(Sizes().key())>, bool> decisions;

    void turn_off(std::string why)
    {
        least_side = never;
        reason = std::move(why);
    }
};
Engine &engine()
{
    static Engine &only = *new Engine;
    return only;
}

hpart_device *device() { return engine().device; }

hpart_status make_options(OptionsHandle &options)
{
    hpart_options *made = nullptr;
    const auto status = HPART(hpart_options_create)(&made);
    options.reset(made);
    return status;
}

// False with a reason: there are none, or the settings are wrong. The caller has the devices.
bool open_devices(const Family &family)
{
    auto &all = engine();
    const auto [checked, is_new] = all.families.try_emplace(&family, false);
    if (is_new) checked->second = has_integers_of(family);
    if (!checked->second) {
        all.turn_off(std::string("the program's BLAS has ") + (family.bits == 64 ? "32" : "64") + "-bit integers in " +
                     family.product);
        return false;
    }
    if (std::exchange(all.was_opened, true)) return all.device != nullptr;
    try {
        load_hpart(all.folder);
    } catch (const hpart::Error &error) {
        all.turn_off(error.what());
        return false;
    }
    OptionsHandle options;
    auto status = make_options(options);
    for (std::size_t begin = 0; status == HPART_SUCCESS && begin < all.options.size();) {
        const auto end = std::min(all.options.find(',', begin), all.options.size());
        const auto option = all.options.substr(begin, end - begin);
        const auto equals = std::min(option.find('='), option.size());
        const auto value = equals < option.size() ? option.substr(equals + 1) : "";
        status = HPART(hpart_options_set_string)(options.get(), option.substr(0, equals).c_str(), value.c_str());
        begin = end + 1;
    }
    if (status == HPART_SUCCESS && all.devices.empty()) {
        reinterpret_cast<decltype(&hpart::each_accelerator)>(hpart_symbol(each_accelerator_symbol))(
            [](void *list, const char *spec) {
                auto &devices = *static_cast<std::string *>(list);
                devices += (devices.empty() ? "" : ",") + std::string(spec);
            },
            &all.devices);
        if (all.devices.empty()) {
            all.turn_off("there is no accelerator; HPART_BLAS_DEVICES can name other devices");
            return false;
        }
    }
    if (status == HPART_SUCCESS && (all.compares || reports)) all.host_rate = measured_host_rate(family);
    if (status == HPART_SUCCESS) status = HPART(hpart_device_open)(all.devices.c_str(), options.get(), &all.device);
    if (status == HPART_SUCCESS) status = make_options(all.dry);
    if (status == HPART_SUCCESS) status = HPART(hpart_options_set_int)(all.dry.get(), "dry_run", 1);
    if (status != HPART_SUCCESS) all.turn_off(HPART(hpart_last_error)());
    // Before the end of libhpart's own variables: functions that a program calls at its end may multiply.
    std::atexit([] { least_side = never; });
    return status == HPART_SUCCESS;
}

double estimated_seconds(const Function &function, double operations)
{
    return operations * (function.is_complex() ? 4 : 1) / (engine().host_rate * (function.is_double() ? 1 : 2));
}

using Operation = std::function<hpart_status(const hpart_options *, hpart_report **)>;

hpart_status reported(const Operation &operation, const hpart_options *options, ReportHandle &report)
{
    hpart_report *made = nullptr;
    const auto status = operation(options, &made);
    report.reset(made);
    return status;
}

// True if the devices are predicted to be faster than the next library. Equal calls are asked once.
bool is_faster(const Function &function, const Sizes &sizes, double operations, const Operation &operation)
{
    auto &all = engine();
    constexpr std::size_t most_decisions = 65536;
    if (all.decisions.size() >= most_decisions) all.decisions.clear();
    const auto [decision, is_new] = all.decisions.try_emplace({&function, sizes.key()}, false);
    if (is_new) {
        ReportHandle report;
        const auto status = reported(operation, all.dry.get(), report);
        if (status == HPART_SUCCESS) {
            const auto predicted = number_of(report, "predicted_seconds");
            decision->second =
                predicted > 0 && all.host_rate > 0 && predicted < estimated_seconds(function, operations);
        }
    }
    return decision->second;
}

// A thread that is cancelled in a driver would leave its locks behind.
class NotCancelled
{
  public:
    NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    NotCancelled(const NotCancelled &) = delete;
    NotCancelled &operator=(const NotCancelled &) = delete;
    ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }

  private:
    int before_ = 0;
};

class Possession
{
  public:
    Possession() : has_(!engine().in_use.test_and_set(std::memory_order_acquire)) {}
    Possession(const Possession &) = delete;
    Possession &operator=(const Possession &) = delete;
    ~Possession()
    {
        if (has_) engine().in_use.clear(std::memory_order_release);
    }
    explicit operator bool() const { return has_; }

  private:
    bool has_;
};

// False: the next library has to compute, and the outputs are as they were. So it does for a singular matrix: LAPACK's results are its own.
bool run_operation(Function &function, const Sizes &sizes, double operations, std::initializer_list<Output> outputs,
                   const Operation &operation) noexcept
{
    const Possession possession;
    if (!possession) {
        Function::count(function.busy);
        return false;
    }
    const NotCancelled not_cancelled;
    try {
        auto &all = engine();
        if (!open_devices(function.family())) {
            Function::count(function.off);
            return false;
        }
        // A wrong argument: the copies below would read past the array.
        for (const auto &output : outputs)
            if (output.lines > 0 && (output.data == nullptr || output.distance < output.bytes)) {
                ++function.refused;
                return false;
            }
        if (all.compares && !is_faster(function, sizes, operations, operation)) {
            ++function.slower;
            return false;
        }
        const auto begin = std::chrono::steady_clock::now();
        const SavedOutputs saved(outputs);
        ReportHandle report;
        const auto status = reported(operation, nullptr, report);
        const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - begin;
        if (status == HPART_SUCCESS) {
            ++function.on_devices;
            function.seconds += duration.count();
            function.to_device += number_of(report, "bytes_to_device");
            function.from_device += number_of(report, "bytes_from_device");
            if (all.host_rate > 0) function.estimated_seconds += estimated_seconds(function, operations);
            return true;
        }
        saved.restore();
        const bool is_usable = status == HPART_ERR_INVALID_ARGUMENT || status == HPART_ERR_OUT_OF_MEMORY ||
                               status == HPART_ERR_UNSUPPORTED || status == HPART_ERR_NUMERICAL;
        ++(is_usable ? function.refused : function.failed);
        if (status == HPART_ERR_OUT_OF_MEMORY) all.reason = HPART(hpart_last_error)();
        if (!is_usable) all.turn_off(HPART(hpart_last_error)());
    } catch (...) { // no memory for the copies
        ++function.refused;
    }
    return false;
}

// std::function keeps the reference: it takes no memory.
template <typename Called>
bool run(Function &function, const Sizes &sizes, double operations, std::initializer_list<Output> outputs,
         const Called &operation) noexcept
{
    return run_operation(function, sizes, operations, outputs, std::cref(operation));
}

// LAPACK's length of the workspace, in its first element.
void set_length(const Function &function, void *work, std::int64_t length)
{
    if (function.is_double())
        *static_cast<double *>(work) = static_cast<double>(length);
    else
        *static_cast<float *>(work) = static_cast<float>(length);
}

} // namespace

// Written by CMakeLists.txt beside this file.
#include "drop_in_functions.inc"

namespace
{

__attribute__((constructor)) void read_environment()
{
    const auto variable = [](const char *name) {
        const char *const value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    auto &all = engine();
    all.folder = own_folder();
    all.devices = variable("HPART_BLAS_DEVICES");
    all.options = variable("HPART_BLAS_OPTIONS");
    all.report = variable("HPART_BLAS_REPORT");
    // The program may go to another folder.
    if (!all.report.empty() && all.report.front() != '/')
        if (char *const folder = getcwd(nullptr, 0); folder != nullptr) {
            all.report = std::string(folder) + "/" + all.report;
            std::free(folder);
        }
    reports = !all.report.empty();
    const auto least = variable("HPART_BLAS_LEAST");
    all.compares = least.empty();
    if (!all.compares) {
        std::int64_t given = 0;
        const auto [end, error] = std::from_chars(least.data(), least.data() + least.size(), given);
        if (error != std::errc() || end != least.data() + least.size() || given < 1)
            return all.turn_off("HPART_BLAS_LEAST is '" + least + "'; it must be an integer of at least 1");
        all.least = given;
    }
    least_side = all.least;
    // Drivers do not work in a fork, and the report is the parent's.
    pthread_atfork(nullptr, nullptr, [] {
        least_side = never;
        reports = false;
    });
}

// At exit. A process without calls, as a shell that starts the program, writes none.
__attribute__((destructor)) void write_report()
{
    if (!reports.exchange(false)) return;
    auto &all = engine();
    hpart::Report::Rows rows;
    for (const auto *one : functions) {
        const std::int64_t calls =
            one->small + one->off + one->busy + one->on_devices + one->slower + one->refused + one->failed;
        if (calls == 0) continue;
        auto &row = rows.emplace_back();
        row.set("function", std::string(one->name()));
        row.set("calls", calls);
        row.set("on_devices", one->on_devices.load());
        row.set("below_least", one->small.load());
        row.set("devices_off", one->off.load());
        row.set("predicted_slower", one->slower.load());
        row.set("busy", one->busy.load());
        row.set("refused", one->refused.load());
        row.set("failed", one->failed.load());
        row.set("bytes_to_device", one->to_device);
        row.set("bytes_from_device", one->from_device);
        row.set("seconds", one->seconds);
        row.set("estimated_seconds", one->estimated_seconds);
        row.set("estimated_gain", one->estimated_seconds - one->seconds);
    }
    if (rows.empty()) return;
    hpart::Report report;
    report.set("devices", all.devices);
    report.set("reason", all.reason);
    report.set("least", all.least);
    report.set("host_gflops", all.host_rate / 1e9);
    report.set("functions", std::move(rows));
    const auto whole = report.json() + "\n";
    auto path = all.report;
    if (const auto at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(getpid()));
    try { // processes that end together may have one report: the file is one of theirs, whole
        hpart::write_file(path, whole);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "libhpart_blas: HPART_BLAS_REPORT: %s\n", error.what());
    }
}

} // namespace
