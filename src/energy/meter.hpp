// An energy meter: windows of measured energy, base power, and what can be said of them.
#pragma once

#include "core/report.hpp"
#include "energy/base_power.hpp"
#include "energy/sensor.hpp"
#include "energy/window.hpp"

#include <memory>
#include <mutex>
#include <optional>

namespace hpart
{

// Its functions may be called from any threads.
class Meter
{
  public:
    explicit Meter(Sensor sensor, std::optional<BasePower> base = std::nullopt);

    const Traits &traits() const { return sensor_.traits; }

    // One window at a time: Status::invalid_argument when one is open.
    void start();
    // Status::invalid_argument when none is open. The window is closed also when this fails.
    Measured stop();

    // The mean power of the next `seconds`, in which the machine must be idle. It is kept.
    BasePower measure_base_power(double seconds);
    std::optional<BasePower> base_power() const;

    // Keys: hpart.h.
    Report report() const;

  private:
    mutable std::mutex mutex_;
    const Sensor sensor_;
    std::unique_ptr<Window> window_;
    std::optional<Measured> last_;
    std::optional<BasePower> base_;
};

} // namespace hpart
