// Energy from readings: differences of counters that wrap, or the trapezoidal rule on the meter's own time stamps.
//
// A counter that wraps is only known modulo its range. One wrap between two readings is detected, two are not, so readings
// must be close. Tally computes how close from the highest rate seen, and refuses a gap in which the counter may have wrapped more than
// once.
#pragma once

#include "core/error.hpp"
#include "energy/reading.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

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
