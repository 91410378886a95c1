#include "library.hpp"

#include "core/machine.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "output.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <string>
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

namespace
{

// The arguments of the call, by the library's names of what they set.
std::map<std::string, std::string, std::less<>> &typed_names()
{
    static std::map<std::string, std::string, std::less<>> typed;
    return typed;
}

} // namespace

int exit_status_of(hpart_status status, Files files)
{
    switch (status) {
    case HPART_ERR_INVALID_ARGUMENT:
    case HPART_ERR_FORMAT: return exit_wrong_call;
    case HPART_ERR_IO: return files == Files::read ? exit_wrong_call : exit_other;
    case HPART_ERR_INFEASIBLE: return exit_infeasible;
    default: return exit_other;
    }
}

void name_argument(std::string_view option, std::string_view argument)
{
    typed_names()[std::string(option)] = argument;
}

std::string last_error_text()
{
    const std::string_view message = hpart_last_error(), option = hpart_last_error_option();
    const auto typed = typed_names().find(option);
    if (typed == typed_names().end()) return std::string(message);
    const auto words = message.starts_with(option) ? std::string(option) : text("option '", option, "'");
    return typed->second + std::string(message.substr(words.size()));
}

std::string one_line(std::string_view text) { return hpart::printable(text, ' '); }

Failure library_failure(hpart_status status, Files files)
{
    std::string message = last_error_text();
    if (message.empty()) message = hpart_strerror(status);
    return {exit_status_of(status, files), std::move(message)};
}

namespace
{

constexpr std::int64_t page_bytes = 4096, pages_worth_a_thread = 256;

std::int64_t bytes_of(char precision, std::int64_t count)
{
    return count * (is_complex(precision) ? 2 : 1) * (is_double(precision) ? 8 : 4);
}

// Available memory where the system reports it (Linux), else all memory; within the limits of control groups.
std::int64_t memory_left()
{
    const auto of_groups = hpart::group_memory_left();
    if (const auto kilobytes = hpart::sum_in_file(hpart::proc_root() + "/meminfo", {"MemAvailable:"}))
        return std::min(1024 * *kilobytes, of_groups);
    const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? std::min<std::int64_t>(pages * page, of_groups) : of_groups;
}

} // namespace

Numbers::Numbers(char precision, std::int64_t count)
    : precision_(precision), count_(count), reals_(is_complex(precision) ? 2 * count : count)
{
    const auto bytes = bytes_of(precision, count);
    const auto pages = std::max<std::int64_t>((bytes + page_bytes - 1) / page_bytes, 1);
    memory_.reset(
        std::aligned_alloc(static_cast<std::size_t>(page_bytes), static_cast<std::size_t>(pages * page_bytes)));
    if (!memory_) give_up("out of memory: cannot allocate ", bytes, " bytes");
    // Control groups count a page from its first write on: unwritten arrays would seem to leave room for others.
    in_parallel(pages, pages_worth_a_thread, [&](std::int64_t first, std::int64_t end) {
        auto *const begin = static_cast<volatile std::byte *>(memory_.get());
        for (auto page = first; page < end; ++page) begin[page * page_bytes] = std::byte{};
    });
}

void Numbers::set_real(std::int64_t k, double value)
{
    if (is_double(precision_))
        static_cast<double *>(memory_.get())[k] = value;
    else
        static_cast<float *>(memory_.get())[k] = static_cast<float>(value);
}

void Numbers::fill(std::uint64_t stream)
{
    constexpr std::int64_t fewest = 1 << 16; // worth a thread
    in_parallel(reals_, fewest, [&](std::int64_t first, std::int64_t end) {
        for (auto k = first; k < end; ++k)
            set_real(k, static_cast<double>(random_bits(stream, static_cast<std::uint64_t>(k)) >> 11U) * 0x1p-52 - 1);
    });
}

void Numbers::copy_from(const Numbers &other)
{
    std::memcpy(memory_.get(), other.memory_.get(), static_cast<std::size_t>(bytes_of(precision_, count_)));
}

std::uint64_t random_bits(std::uint64_t stream, std::uint64_t k)
{
    std::uint64_t bits = stream * 0xD1342543DE82EF95ULL + k * 0x9E3779B97F4A7C15ULL;
    bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBULL;
    return bits ^ (bits >> 31U);
}

std::int64_t elements_of(std::string_view what, std::initializer_list<std::int64_t> sizes)
{
    constexpr std::int64_t most = std::int64_t{1} << 48; // 16 bytes each is beyond any machine's memory
    std::int64_t count = 1;
    for (const auto size : sizes) {
        if (size > most / count) {
            std::string all;
            for (const auto one : sizes) all += text(all.empty() ? "" : " x ", one);
            refuse(what, " has ", all, " elements, more than any machine has memory for");
        }
        count *= size;
    }
    return count;
}

void require_memory(std::initializer_list<Wanted> arrays)
{
    std::int64_t sum = 0;
    std::string each;
    for (const auto &array : arrays) {
        const auto bytes = bytes_of(array.precision, array.count);
        sum += bytes;
        each += text(each.empty() ? "" : ", ", array.name, " ", bytes);
    }
    // Linux overcommits and kills later: check first.
    if (const auto left = memory_left(); sum > left)
        give_up("out of memory: ", sum, " bytes are wanted (", each, "), and this machine has ", left, " left");
}

} // namespace hpart_command
