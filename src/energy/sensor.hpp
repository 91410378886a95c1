// The two ways in which sensors give their readings. A backend is one or the other.
#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/options.hpp"
#include "energy/tally.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// The time of a reading that was requested at `before` and arrived at `after`.
inline double middle_seconds(Clock::time_point before, Clock::time_point after)
{
    return std::chrono::duration<double>(before.time_since_epoch() + (after - before) / 2).count();
}

inline double now_seconds()
{
    const auto now = Clock::now();
    return middle_seconds(now, now);
}

// A wait for ever: the clock counts nanoseconds in 64 bits, 292 years.
constexpr double longest_wait_seconds = 1e9;
inline Clock::duration clock_duration(double seconds)
{
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(seconds, longest_wait_seconds)));
}

// While something is waited for, what may end the wait is looked at this often.
constexpr auto look_every = std::chrono::milliseconds(50);
inline void no_look() {}

// Answers when it is asked. Never asked by two threads at once.
class Source
{
  public:
    Source() = default;
    Source(const Source &) = delete;
    Source &operator=(const Source &) = delete;
    virtual ~Source() = default;

    // Throws Error when it cannot be read any more.
    virtual Reading read() = 0;
};

// Takes the readings of a window one after another, in order of time.
using ReadingSink = std::function<void(Reading)>;

// Sends power, or a recording, by itself.
class Stream
{
  public:
    Stream() = default;
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    virtual ~Stream() = default;

    // A window begins. Until end() has returned its readings go to `sink`, from the caller's thread or one of the stream's: the
    // first is at the window's beginning, the last at its end. Throws Error, and there is no window, when nothing comes any more.
    virtual void begin(ReadingSink sink) = 0;
    // The window ends, also when this throws: what the sink threw, or an Error when the stream broke meanwhile.
    virtual void end() = 0;
    // Throws what end() would because the stream is broken; a window stays open.
    virtual void check() const {}
};

// One of the three is there.
struct Sensor {
    Traits traits;
    std::unique_ptr<Source> source;
    std::unique_ptr<Stream> stream;
    std::vector<Sensor> parts; // their sum
};

// The kinds of meters: one line each. hpart_meter_open, hpart_meter_describe and the messages are made from it.

// Settings of a meter besides its kind.
struct MeterSettings {
    std::optional<double> interval = std::nullopt; // seconds
    std::function<void()> look = no_look;          // called while a meter is waited for; may throw
    std::int64_t lines = 1;                        // that a program prints at a time
};

// The status of a kind on this machine, and the remedy if it does not work.
struct MeterAvailability {
    Status status = Status::success;
    std::string text;
    bool is_dead = false; // a counter that did not move
};

struct MeterKind {
    std::string_view name;
    std::string_view form; // "nvml:N": as the user writes it
    Sensor (*open)(const std::string &argument, const MeterSettings &settings);
    MeterAvailability (*look)();
};

const std::vector<MeterKind> &meter_kinds();

// Opens "rapl", "nvml:0", ... Status::invalid_argument, with all forms, for other specs.
Sensor open_sensor(std::string_view spec, const MeterSettings &settings);

// The backends of the registry, each in a file of its own name. open_... takes the spec's argument; Status::unsupported if the machine
// has no such meter, Status::permission with the remedy if the system refuses. look_for_...: the line of `hpart info`.

Sensor open_rapl(const std::string &argument, const MeterSettings &settings);
Sensor open_perf(const std::string &argument, const MeterSettings &settings);
Sensor open_nvml(const std::string &argument, const MeterSettings &settings);
Sensor open_hwmon(const std::string &argument, const MeterSettings &settings);
Sensor open_wattsup(const std::string &argument, const MeterSettings &settings);
Sensor open_command(const std::string &argument, const MeterSettings &settings);
Sensor open_replay(const std::string &argument, const MeterSettings &settings);
Sensor open_estimate(const std::string &argument, const MeterSettings &settings);

MeterAvailability look_for_rapl();
MeterAvailability look_for_perf();
MeterAvailability look_for_nvml();
MeterAvailability look_for_hwmon();
MeterAvailability look_for_wattsup();
MeterAvailability look_for_command();
MeterAvailability look_for_replay();
MeterAvailability look_for_estimate();

// Availability of a backend with each argument: opens, reads and closes it. All are watched at once, for at most 20 intervals: by
// then a counter that stands still is known.
std::vector<MeterAvailability> try_to_open_all(Sensor (*open)(const std::string &, const MeterSettings &),
                                               const std::vector<std::string> &arguments);
MeterAvailability try_to_open(Sensor (*open)(const std::string &, const MeterSettings &), const std::string &argument);

} // namespace hpart
