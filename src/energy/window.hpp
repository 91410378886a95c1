// A window: the time from the start of a meter to its stop, its reader and its result.
#pragma once

#include "core/clock.hpp"
#include "energy/activity.hpp"
#include "energy/sensor.hpp"
#include "energy/tally.hpp"
#include "energy/trace.hpp"

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace hpart
{

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

} // namespace hpart
