// The two ways in which sensors give their readings. A backend is one or the other.
#pragma once

#include "core/clock.hpp"
#include "energy/reading.hpp"

#include <algorithm>
#include <functional>
#include <memory>
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

} // namespace hpart
