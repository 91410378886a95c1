// A meter's properties and readings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

enum class Quantity : std::int32_t { joules = 0, watts = 1 }; // HPART_JOULES, HPART_WATTS

// The source of joules: differences of a counter, an integral of power samples, a model, or a recording.
enum class Method : std::uint8_t { counter, integrated, estimated, replayed };
std::string_view method_name(Method method);

constexpr double never_wraps = 0;

// One of the counters or power sensors that are summed.
struct Channel {
    std::string name;
    double wrap = never_wraps; // joules at which a counter begins again; NaN: it does so, nobody knows where
};

struct Traits {
    std::string name; // for messages: "rapl", "nvml:0"
    Quantity quantity = Quantity::joules;
    Method method = Method::counter;
    double interval = 0; // seconds between new values
    std::vector<Channel> channels;
    bool may_stand_still = false; // a counter that does not move is no failure
    bool never_rests = false;     // a counter of a device that always takes power
    bool real_time = true;        // false: a window's time passes in the recording, not here
    std::string origin{};         // the sensor, the same under each of its names; empty: it has one name
};

// Values of all channels at one time of the meter's own clock.
struct Reading {
    double seconds = 0;
    std::vector<double> values;
};

// A window shorter than this many intervals says more about the interval than about the energy.
constexpr double least_intervals = 20;
inline double minimum_window(const Traits &traits) { return least_intervals * traits.interval; }

// A number for messages: three significant digits.
std::string rounded_text(double value);

// Nothing for this many intervals, and for at least that long, is no missed value but a meter that is gone.
constexpr double silent_intervals = 5;
constexpr double shortest_silence_seconds = 0.25;
inline double longest_silence(double interval)
{
    return std::max(silent_intervals * interval, shortest_silence_seconds);
}

} // namespace hpart
