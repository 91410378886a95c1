// Insides of single backends, for tests and for other backends.
#pragma once

#include "energy/sensor.hpp"
#include "energy/tally.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Counters that show the energy of another one again (rapl.cpp).

// For each of `count` counters: the earlier counter that it mirrors, or its own index. read: all counters, in order.
// are_alike(k, j): j may mirror k. Watches them for 40 ms if some are alike.
std::vector<std::size_t> mirrored_counters(std::size_t count, const std::function<std::vector<double>()> &read,
                                           const std::function<bool(std::size_t, std::size_t)> &are_alike);

// The kernel's energy counters through perf_event (perf.cpp).

// The system's calls, so that tests can play the kernel.
class PerfCalls
{
  public:
    PerfCalls() = default;
    PerfCalls(const PerfCalls &) = delete;
    PerfCalls &operator=(const PerfCalls &) = delete;
    virtual ~PerfCalls() = default;
    // A descriptor, or -1 with errno.
    virtual int open_event(std::uint32_t type, std::uint64_t config, int processor) = 0;
    // False with errno when it cannot be read.
    virtual bool read_count(int descriptor, std::uint64_t &count) = 0;
    virtual void close_event(int descriptor) noexcept = 0;
};

Sensor open_perf_by(std::shared_ptr<PerfCalls> calls, const MeterSettings &settings);

// NVIDIA's management library, found when the program runs (nvml.cpp).

struct NvmlLibraries {
    std::vector<std::string> nvml, cuda; // of each, the first that loads
};

// `argument`: "N", a device in the order of the management library (by bus), or "cuda:N", in CUDA's order.
Sensor open_nvml_of(const NvmlLibraries &libraries, const std::string &argument, const MeterSettings &settings);

// The rows of the Watts up? PRO, a meter between a machine and the wall (wattsup.cpp).
// "#d,-,18,1234,1203,...;" is 123.4 W. Nothing for other, cut or garbled rows.
std::optional<double> wattsup_watts(std::string_view row);

// The lines of programs that print watts (command.cpp).
// The watts in a line. Status::device, with the meter's name, if there are none.
double command_watts(const std::string &name, std::string_view line);

// Recordings of a meter (replay.cpp): the format is in docs/background/energy.md.

struct Recording {
    Quantity quantity = Quantity::watts;
    double interval = 0;
    double wrap = never_wraps;
    bool real_time = true;
    std::vector<Reading> readings; // two at least, in increasing time
};

// Status::format with `path`, line and column.
Recording parse_recording(std::string_view content, const std::string &path);
// Reads back as the same recording.
std::string format_recording(const Recording &recording);

} // namespace hpart
