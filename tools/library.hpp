// Handles of the library that destroy themselves, and its getters as values.
#pragma once

#include "hpart.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
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

} // namespace hpart_command
