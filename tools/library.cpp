#include "library.hpp"

#include "failure.hpp"
#include "file.hpp"
#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <sched.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

// A text of the library, by a getter that returns the length first: get(buffer, capacity, needed).
template <typename Getter> std::string text_of(Getter &&get)
{
    std::int64_t needed = 0;
    check(get(nullptr, 0, &needed));
    // A text about this machine may be longer at the second call.
    constexpr std::int64_t to_spare = 256;
    std::string text(static_cast<std::size_t>(needed + to_spare), '\0');
    check(get(text.data(), needed + to_spare, &needed));
    text.resize(text.find('\0'));
    return text;
}

} // namespace

std::vector<std::string> processor_names(const hpart_platform *platform)
{
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i)
        names.push_back(text_of([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
            return hpart_platform_get_name(platform, i, buffer, capacity, needed);
        }));
    return names;
}

std::string kernel_of(const hpart_platform *platform)
{
    return text_of([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
        return hpart_platform_get_kernel(platform, buffer, capacity, needed);
    });
}

Function function_of(const hpart_platform *platform, std::int64_t processor)
{
    std::int64_t needed = 0;
    check(hpart_platform_get_function(platform, processor, nullptr, nullptr, nullptr, 0, &needed));
    const auto count = static_cast<std::size_t>(needed);
    Function function{std::vector<std::int64_t>(count), std::vector<double>(count), std::vector<double>(count), {}, {}};
    check(hpart_platform_get_function(platform, processor, function.sizes.data(), function.seconds.data(),
                                      function.joules.data(), needed, &needed));
    std::vector<double> time_low(count), time_high(count), energy_low(count), energy_high(count);
    check(hpart_platform_get_intervals(platform, processor, time_low.data(), time_high.data(), energy_low.data(),
                                       energy_high.data(), nullptr, needed, &needed));
    for (std::size_t k = 0; k < count; ++k) {
        function.time_intervals.push_back({time_low[k], time_high[k]});
        function.energy_intervals.push_back({energy_low[k], energy_high[k]});
    }
    return function;
}

bool has_energy(const hpart_platform *platform, double above)
{
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        const auto joules = function_of(platform, i).joules;
        if (std::any_of(joules.begin(), joules.end(), [&](double e) { return e > above; })) return true;
    }
    return false;
}

std::optional<std::int64_t> report_int(const Report &report, const char *key)
{
    std::int64_t value = 0;
    if (!report || hpart_report_get_int(report.get(), key, &value) != HPART_SUCCESS) return std::nullopt;
    return value;
}

std::optional<double> report_double(const Report &report, const char *key)
{
    double value = 0;
    if (!report || hpart_report_get_double(report.get(), key, &value) != HPART_SUCCESS) return std::nullopt;
    return value;
}

Interval report_interval(const Report &report, const std::string &name)
{
    return {report_double(report, (name + "_low").c_str()).value_or(Interval{}.low),
            report_double(report, (name + "_high").c_str()).value_or(Interval{}.high)};
}

std::string report_text(const Report &report, const char *key)
{
    std::int64_t needed = 0;
    if (!report || hpart_report_get_string(report.get(), key, nullptr, 0, &needed) != HPART_SUCCESS) return {};
    return text_of([&](char *buffer, std::int64_t capacity, std::int64_t *length) {
        return hpart_report_get_string(report.get(), key, buffer, capacity, length);
    });
}

std::vector<double> report_doubles(const Report &report, const char *key)
{
    std::int64_t needed = 0;
    if (!report || hpart_report_get_doubles(report.get(), key, nullptr, 0, &needed) != HPART_SUCCESS) return {};
    std::vector<double> values(static_cast<std::size_t>(needed));
    check(hpart_report_get_doubles(report.get(), key, values.data(), needed, &needed));
    return values;
}

std::vector<Report> report_rows(const Report &report, const char *key)
{
    std::int64_t count = 0;
    if (!report || hpart_report_rows(report.get(), key, &count) != HPART_SUCCESS) return {};
    std::vector<Report> rows(static_cast<std::size_t>(count));
    for (std::int64_t k = 0; k < count; ++k)
        check(hpart_report_row(report.get(), key, k, Filled(rows[static_cast<std::size_t>(k)])));
    return rows;
}

Report library_info()
{
    Report info;
    check(hpart_info(Filled(info)));
    return info;
}

std::vector<std::pair<std::string, std::string>> linked_libraries(const Report &info)
{
    constexpr std::string_view prefix = "library.";
    std::vector<std::pair<std::string, std::string>> libraries;
    for (std::int64_t k = 0; k < hpart_report_count(info.get()); ++k) {
        const std::string key = hpart_report_key(info.get(), k);
        if (key.compare(0, prefix.size(), prefix) == 0)
            libraries.emplace_back(key.substr(prefix.size()), report_text(info, key.c_str()));
    }
    return libraries;
}

void bind_units_of_pocl()
{
    constexpr const char *of_threads[] = {"POCL_AFFINITY", "POCL_MAX_PTHREAD_COUNT", "POCL_PTHREAD_MIN_THREADS",
                                          // of later versions than 3
                                          "POCL_CPU_MAX_CU_COUNT", "POCL_CPU_MIN_CU_COUNT", "POCL_MAX_COMPUTE_UNITS"};
    const bool is_user_s =
        std::ranges::any_of(of_threads, [](const char *name) { return std::getenv(name) != nullptr; });
    constexpr const char *of_topologies[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT"};
    const bool is_emulated =
        std::ranges::any_of(of_topologies, [](const char *name) { return std::getenv(name) != nullptr; });
    cpu_set_t cores;
    // PoCL ends the process if it may not bind its thread S to core S.
    const bool has_all = !is_emulated && ::sched_getaffinity(0, sizeof cores, &cores) == 0 &&
                         CPU_COUNT(&cores) == ::sysconf(_SC_NPROCESSORS_ONLN);
    if (!is_user_s && has_all) ::setenv("POCL_AFFINITY", "1", 0);
}

std::vector<Device> devices()
{
    bind_units_of_pocl();
    std::vector<Device> found;
    for (std::int64_t k = 0; k < hpart_device_count(); ++k) {
        const auto line = text_of([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
            return hpart_device_describe(k, buffer, capacity, needed);
        });
        const auto blank = line.find(' ');
        found.push_back({line.substr(0, blank), blank == std::string::npos ? "" : line.substr(blank + 1)});
    }
    return found;
}

void check_opened(hpart_status status, std::string_view spec)
{
    if (status == HPART_SUCCESS) return;
    const auto failure = library_failure(status);
    const bool is_of_devices = status == HPART_ERR_DEVICE || status == HPART_ERR_UNSUPPORTED;
    const auto here = is_of_devices && !spec.starts_with("cpu:") ? devices() : std::vector<Device>();
    for (std::size_t begin = 0; !here.empty() && begin <= spec.size();) {
        const auto one = spec.substr(begin, spec.find(',', begin) - begin);
        if (std::none_of(here.begin(), here.end(), [&](const Device &device) { return device.spec == one; }))
            refuse(failure.what());
        begin += one.size() + 1;
    }
    throw Failure(failure);
}

bool MeterKind::is_sensor() const { return name() != "command" && name() != "replay" && name() != "estimate"; }

std::vector<MeterKind> meter_kinds()
{
    std::vector<MeterKind> found;
    for (std::int64_t k = 0; k < hpart_meter_count(); ++k) {
        hpart_status works = HPART_SUCCESS;
        const auto line = text_of([&](char *buffer, std::int64_t capacity, std::int64_t *needed) {
            return hpart_meter_describe(k, buffer, capacity, needed, &works);
        });
        const auto blank = line.find(' ');
        found.push_back({line.substr(0, blank), line.substr(blank + 1), works == HPART_SUCCESS});
    }
    return found;
}

} // namespace hpart_command
