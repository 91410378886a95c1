// The kernel's energy counters through perf_event.
#pragma once

#include "energy/sensor.hpp"

#include <cstdint>
#include <memory>

namespace hpart
{

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

} // namespace hpart
