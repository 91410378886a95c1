// Energy from readings: differences of counters that wrap, or the trapezoidal rule on the meter's own time stamps.
//
// A counter that wraps is only known modulo its range. One wrap between two readings is detected, two are not, so readings
// must be close. Tally computes how close from the highest rate seen, and refuses a gap in which the counter may have wrapped more than
// once.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// A meter's properties and readings.

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

// Energy over the time of a window, with just enough points for a standard error.

// Energy up to a time, both from the window's beginning.
struct TracePoint {
    double seconds = 0;
    double joules = 0;
};

// Keeps the first point, the newest, and of those between as many as fit: the energy at each is exact, however many were left out
// before it.
class Trace
{
  public:
    static constexpr std::size_t most_points = 2000; // plenty for batches

    void add(TracePoint point);
    const std::vector<TracePoint> &points() const { return points_; }

  private:
    void thin();

    std::vector<TracePoint> points_;
    double spacing_ = 0; // seconds between points that are kept, at least
};

// Energy at a time, on lines between the points, of which there are two at least.
double energy_at(const std::vector<TracePoint> &trace, double seconds);

// Readings between two times.

// Power at a time between two readings of one channel, on the line between them.
Reading power_on_line(const Reading &before, const Reading &after, double seconds);

// Power over [from, to] by readings (one channel, increasing times, one at least): the first and last at the ends. Between two
// readings power is on a line; before the first and after the last it is held.
std::vector<Reading> power_between(const std::vector<Reading> &readings, double from, double to);

// The power of an idle machine with its error, and the dynamic energy above it.

struct BasePower {
    double watts = 0;
    double standard_error = 0;
    std::string busy = {}; // "while the base power was measured, other processes used ..."; "" if nothing took energy
};

// The mean power of a trace of at least `intervals` intervals of the meter, and its standard error by batch means: successive
// values of a meter are alike, so the scatter of single values says too little; means over batches long against that likeness
// are nearly independent (Law and Kelton, Simulation Modeling and Analysis). Status::numerical when the trace has no length.
BasePower mean_power(const std::vector<TracePoint> &trace, double intervals);

struct DynamicEnergy {
    double joules = 0;
    double standard_error = 0;
};

// E_D = E_T - P_S T; the error is the error of P_S, times T.
inline DynamicEnergy dynamic_energy(double joules, double seconds, const BasePower &base)
{
    constexpr double rounding = 1e-12;
    const double dynamic = joules - base.watts * seconds;
    return {std::abs(dynamic) > rounding * std::abs(joules) ? dynamic : 0, base.standard_error * seconds};
}

// The error of a counter that did not move.
class DeadError final : public Error
{
  public:
    using Error::Error;
};

class Tally
{
  public:
    explicit Tally(Traits traits) : traits_(std::move(traits)), joules_(traits_.channels.size()), gap_joules_(joules_)
    {
    }

    // The next reading, asked for at `asked` seconds of this machine's clock. Status::device when it cannot be right.
    void add(Reading reading, double asked);

    double seconds() const { return readings_ == 0 ? 0 : last_.seconds - first_seconds_; }
    double joules() const;
    const std::vector<double> &joules_of_channels() const { return joules_; }
    std::int64_t readings() const { return readings_; }
    // Values that should have come between readings, by the interval.
    std::int64_t missed() const { return missed_; }

    // Seconds until the next reading is due at the latest; infinity if there is no need.
    double poll_seconds() const;
    // True while a counter that should move has not moved.
    bool stands_still() const;
    // Seconds after which a counter that does not move is dead.
    double dead_seconds() const;
    // Fails when a counter has not moved for that long, or when the clock has not although this machine's has.
    void check_moved() const;
    // Begins to wait for a move of each counter, and is true until all have moved.
    void watch() { is_still_.assign(traits_.quantity == Quantity::joules ? joules_.size() : 0, true); }
    bool is_waiting() const;

  private:
    void check(const Reading &reading) const;
    void check_clock(const Reading &reading, double asked) const;
    // An estimate is computed: cores begin and end to work at once.
    bool may_be_wrong() const { return traits_.quantity == Quantity::joules && traits_.method != Method::estimated; }
    void check_power(const Channel &channel, double before, double after, double step, double gap) const;
    void learn_rate(double asked);
    double counted(std::size_t channel, double before, double after, double gap) const;

    Traits traits_;
    std::vector<double> joules_;
    std::int64_t readings_ = 0;
    std::int64_t missed_ = 0;
    double first_seconds_ = 0;
    Reading last_;
    std::vector<double> moved_seconds_; // when each counter was last seen to move
    std::vector<bool> is_still_;        // since watch()
    double first_asked_ = 0, last_asked_ = 0;
    double clock_moved_asked_ = 0; // when it was last seen to
    double highest_watts_ = 0;     // of any channel, over gaps long enough to tell
    double gap_asked_ = 0;         // the beginning of such a gap
    std::vector<double> gap_joules_;
};

} // namespace hpart
