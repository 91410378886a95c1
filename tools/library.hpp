// Handles of the library that destroy themselves, and its getters as values.
#pragma once

#include "core/text.hpp"
#include "hpart.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace hpart_command
{

template <auto destroy> struct Destroyer {
    template <typename Handle> void operator()(Handle *handle) const noexcept { destroy(handle); }
};

using Platform = std::unique_ptr<hpart_platform, Destroyer<hpart_platform_destroy>>;
using Options = std::unique_ptr<hpart_options, Destroyer<hpart_options_destroy>>;
using Report = std::unique_ptr<hpart_report, Destroyer<hpart_report_destroy>>;
using Front = std::unique_ptr<hpart_front, Destroyer<hpart_front_destroy>>;
using Schedule = std::unique_ptr<hpart_schedule, Destroyer<hpart_schedule_destroy>>;
using Team = std::unique_ptr<hpart_team, Destroyer<hpart_team_destroy>>;
using Meter = std::unique_ptr<hpart_meter, Destroyer<hpart_meter_close>>;
using OpenDevice = std::unique_ptr<hpart_device, Destroyer<hpart_device_close>>;

// Gives a function of the C interface the address of a handle to fill, also when it then fails.
template <typename Owner> class Filled
{
  public:
    explicit Filled(Owner &owner) : owner_(owner) {}
    Filled(const Filled &) = delete;
    Filled &operator=(const Filled &) = delete;
    ~Filled() { owner_.reset(handle_); }
    operator typename Owner::pointer *() { return &handle_; }

  private:
    Owner &owner_;
    typename Owner::pointer handle_ = nullptr;
};

std::vector<std::string> processor_names(const hpart_platform *platform);
// "dgemm n=512 k=512", or "".
std::string kernel_of(const hpart_platform *platform);

// The ends of a confidence interval; NaN: not known.
struct Interval {
    double low = std::numeric_limits<double>::quiet_NaN(), high = low;
    bool is_known() const { return low <= high; }
};

// A processor's points in increasing size; NaN where there is no value.
struct Function {
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds, joules;
    std::vector<Interval> time_intervals, energy_intervals;
};
Function function_of(const hpart_platform *platform, std::int64_t processor);
// True if any processor has an energy at any size.
// Above so many joules.
bool has_energy(const hpart_platform *platform, double above = -1);

// Values of a report; nothing when it has no such key (or there is no report).
std::optional<std::int64_t> report_int(const Report &report, const char *key);
std::optional<double> report_double(const Report &report, const char *key);
// The interval of the keys NAME_low and NAME_high.
Interval report_interval(const Report &report, const std::string &name);
std::string report_text(const Report &report, const char *key);
std::vector<double> report_doubles(const Report &report, const char *key);
std::vector<Report> report_rows(const Report &report, const char *key);

// Linked libraries: name ("openblas") and description.
std::vector<std::pair<std::string, std::string>> linked_libraries(const Report &info);
Report library_info();

// "opencl:0:0" and the rest of its description.
struct Device {
    std::string spec, description;
};
std::vector<Device> devices();
// Called before OpenCL is opened. Two units of PoCL, an OpenCL implementation for cores, may share a core unless POCL_AFFINITY=1 binds
// them; not set if the user has set it, or a number of PoCL's threads.
void bind_units_of_pocl();
// A device, or one of several joined with commas, that is not among them is an unknown name: a wrong call.
void check_opened(hpart_status status, std::string_view spec);

// A kind of meter, "nvml:N", and what there is of it here, or why it does not work.
struct MeterKind {
    std::string form, reason;
    bool works = false;

    // "nvml"
    std::string name() const { return form.substr(0, form.find(':')); }
    // True if it measures this machine. Other meters measure elsewhere, or estimate.
    bool is_sensor() const;
};
std::vector<MeterKind> meter_kinds();

// Failures that end the command early: an exit status and one line for stderr.

constexpr int exit_other = 1;
constexpr int exit_wrong_call = 2; // the call or its input is wrong
constexpr int exit_infeasible = 3;
constexpr int exit_signal_base = 128; // the shell's convention: 128 + signal

class Failure : public std::exception
{
  public:
    Failure(int exit_status, std::string message) : exit_status_(exit_status), message_(std::move(message)) {}
    int exit_status() const noexcept { return exit_status_; }
    const char *what() const noexcept override { return message_.c_str(); }

  private:
    int exit_status_;
    std::string message_;
};

using hpart::in_quotes;
using hpart::text;

// The call or its input is wrong.
template <typename... Parts> [[noreturn]] void refuse(const Parts &...parts)
{
    throw Failure(exit_wrong_call, text(parts...));
}

template <typename... Parts> [[noreturn]] void give_up(const Parts &...parts)
{
    throw Failure(exit_other, text(parts...));
}

// The argument of the call that sets this option, or parameter, of the library: from now on messages name it instead.
void name_argument(std::string_view option, std::string_view argument);
// The library's last error. An option or parameter at its beginning has the name of its argument.
std::string last_error_text();

// Text on one line: control characters become blanks.
std::string one_line(std::string_view text);

// The role of a call's files. An input that cannot be read is a wrong call; an output that cannot be written is not.
enum class Files { read, written };

// The exit status that a status of the library means.
int exit_status_of(hpart_status status, Files files = Files::read);
// The failure that a status of the library means, with its last error as the line.
Failure library_failure(hpart_status status, Files files = Files::read);
inline void check(hpart_status status, Files files = Files::read)
{
    if (status != HPART_SUCCESS) throw library_failure(status, files);
}

// Arrays of the four types as the command has them: float or double, or pairs of them.

inline bool is_complex(char precision) { return precision == 'c' || precision == 'z'; }
inline bool is_double(char precision) { return precision == 'd' || precision == 'z'; }

// Calls job(first, end) for parts of [0, count) of at least `fewest`, a thread each as far as the system gives them.
template <typename Job> void in_parallel(std::int64_t count, std::int64_t fewest, const Job &job)
{
    const auto parts = std::clamp<std::int64_t>(count / fewest, 1, std::max(std::thread::hardware_concurrency(), 1U));
    std::vector<std::jthread> others;
    for (std::int64_t part = 0; part < parts; ++part) {
        const auto first = count * part / parts, end = count * (part + 1) / parts;
        try {
            if (part + 1 < parts) {
                others.emplace_back([&job, first, end] { job(first, end); });
                continue;
            }
        } catch (const std::system_error &) { // no more threads
        }
        job(first, end);
    }
}

// The larger one; NaN where either is.
template <typename Value> Value larger(Value a, Value b) { return std::isnan(a) || a >= b ? a : b; }

// At an address that devices like.
class Numbers
{
  public:
    Numbers(char precision, std::int64_t count);
    char precision() const { return precision_; }
    void *data() const { return memory_.get(); }
    std::int64_t count() const { return count_; }
    // The same on every machine, in [-1, 1); streams differ.
    void fill(std::uint64_t stream);
    void copy_from(const Numbers &other);
    // The number of reals: two per complex number.
    std::int64_t reals() const { return reals_; }
    double real(std::int64_t k) const
    {
        return is_double(precision_) ? static_cast<const double *>(memory_.get())[k]
                                     : static_cast<double>(static_cast<const float *>(memory_.get())[k]);
    }
    void set_real(std::int64_t k, double value);

  private:
    struct Free {
        void operator()(void *memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> memory_;
    char precision_;
    std::int64_t count_, reals_;
};

// Bits without a pattern, the same for the same words: SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t random_bits(std::uint64_t stream, std::uint64_t k);

// a * b * c elements, refused where no machine has them.
std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes);

// Arrays that a call needs in memory at once. Ends the command, naming the sizes, if this machine has less memory left.
struct Wanted {
    std::string_view name;
    char precision;
    std::int64_t count;
};
void require_memory(std::initializer_list<Wanted> arrays);

} // namespace hpart_command
