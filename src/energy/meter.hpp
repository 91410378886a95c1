// An energy meter: windows of measured energy, base power, and what can be said of them.
#pragma once

#include "core/clock.hpp"
#include "core/options.hpp"
#include "energy/activity.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace hpart
{

// A window: the time from the start of a meter to its stop, its reader and its result.

struct Measured {
    double joules = 0;
    double seconds = 0;
    std::vector<double> joules_of_channels;
    std::int64_t readings = 0;
    std::int64_t missed = 0;
    Trace trace;                                     // when it was asked for
    std::optional<Activity> activity = std::nullopt; // of a meter that watches the machine
};

class Window
{
  public:
    Window() = default;
    Window(const Window &) = delete;
    Window &operator=(const Window &) = delete;
    virtual ~Window() = default;

    // Waits until then, or throws as soon as the meter has failed. Meanwhile it calls `look` again and again, which may throw to
    // end the wait.
    virtual void wait_until(Clock::time_point end, const std::function<void()> &look) = 0;
    // Throws what finish() would because the meter has failed; the window stays open.
    virtual void check() = 0;
    // Throws Error when the meter has failed since the window was opened.
    virtual Measured finish() = 0;
};

// Opens a window now. With a spacing its trace is kept: a reading every so many seconds, at least.
std::unique_ptr<Window> open_window(const Sensor &sensor, double trace_spacing = 0);

// A sensor's correction: watts = scale x the sensor's + offset.
struct Calibration {
    double scale = 1, offset = 0;
};

// Its functions may be called from any threads.
class Meter
{
  public:
    // look: called while its base power is measured; may throw to end that. base: in calibrated watts.
    // proc_root: watches the activity of the machine in each window; none: does not.
    explicit Meter(Sensor sensor, std::optional<BasePower> base = std::nullopt, std::function<void()> look = no_look,
                   Calibration calibration = {}, std::optional<std::string> proc_root = std::nullopt);

    const Traits &traits() const { return sensor_.traits; }

    // One window at a time: Status::invalid_argument when one is open.
    void start();
    // Throws what stop() would because the meter has failed, as soon as it is known; a window stays open.
    void check();
    // Status::invalid_argument when none is open. The window is closed also when this fails.
    Measured stop();

    // Measures the mean power of the next `seconds`, in which the machine must be idle, and keeps it. Meanwhile calls `look` and the
    // sensor's own callback, which may throw.
    BasePower measure_base_power(double seconds, const std::function<void()> &look = no_look);
    std::optional<BasePower> base_power() const;

    // Keys: hpart.h.
    Report report() const;

  private:
    void require_no_base_power() const;
    bool watches() const
    {
        return proc_root_ && (traits().method == Method::counter || traits().method == Method::integrated);
    }
    void calibrate(Measured &measured) const;
    std::string failure() const;

    mutable std::mutex mutex_;
    const Sensor sensor_;
    const std::function<void()> look_;
    const Calibration calibration_;
    const std::optional<std::string> proc_root_;
    std::optional<ActivityWatch> activity_; // of the open window
    std::unique_ptr<Window> window_;
    bool measures_base_ = false;
    std::optional<Measured> last_;
    std::optional<BasePower> base_;
};

} // namespace hpart
