// The largest sizes within a time, and the least time at which they sum to enough.
#pragma once

#include "core/progress.hpp"
#include "partitioners/exact/time.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/least_sum.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

struct TimeLevel {
    double seconds;
    std::vector<std::int64_t> largest; // of each function, among its sizes of time <= seconds
    std::int64_t sum;                  // of them over all processors, no more than fits
};

// Between two times, in [low, high), by their representations, which are in the order of the values.
inline double halfway(double low, double high)
{
    const auto bits = std::bit_cast<std::uint64_t>(low);
    return std::bit_cast<double>(bits + (std::bit_cast<std::uint64_t>(high) - bits) / 2);
}

// Over the sizes <= size.
class TimeLevels
{
  public:
    TimeLevels(const Prepared &prepared, std::int64_t size);

    // The level of least time whose sum is at least the size; nothing where there is none. See time_levels.cpp.
    std::optional<TimeLevel> least() const;
    // The level at a time that is not below the time of least().
    TimeLevel at(double seconds) const;

  private:
    struct Bracket;
    class Narrowing;

    const Groups &groups_;
    std::int64_t size_;
    Records own_; // where some sizes are larger than the size
    const Records &records_;
};

// Is n a sum of one size of a time <= T of each processor? See time_levels.cpp.

// Decides about the work, never about the answer; absurd values serve the tests.
struct SumTuning {
    std::int64_t narrow_goal = 1 << 12; // in steps: up to here bit sets at once
    std::int64_t window = 2;            // in largest sizes: a wider goal is first brought down to that
};

class SumWithinTime
{
  public:
    using Distribution = std::optional<std::vector<std::int64_t>>;

    SumWithinTime(const Prepared &prepared, std::int64_t size, Control &control, SumTuning tuning = {})
        : prepared_(prepared), instance_(prepared.instance()), size_(size), control_(control), tuning_(tuning)
    {
    }

    // A distribution of times <= level.seconds; nothing when there is none: exact. Throws Status::limit, Status::cancelled.
    Distribution test(const TimeLevel &level) const;
    // The same as test in some milliseconds; nothing when none was found.
    Distribution test_quickly(const TimeLevel &level) const;
    // The same where one processor takes less than its largest size, all others that.
    Distribution repair_by_one(const TimeLevel &level) const;

    // The least time >= level.seconds at which the common divisor of the sizes in time does not forbid a distribution: no distribution is
    // faster. Nothing when it forbids all.
    std::optional<double> least_time_by_divisor(const TimeLevels &levels, const TimeLevel &level) const;

  private:
    Origin origin_of(const TimeLevel &level) const;
    std::int64_t common_divisor(const Origin &origin) const;
    double least_time_off_divisor(const Origin &origin, std::int64_t divisor) const;
    bool is_off_units() const;
    Distribution test_alike(const TimeLevel &level) const;
    std::optional<LeastSum> search_alike(double seconds) const;
    void take_coarse_steps(TimeSteps &steps, std::int64_t window) const;
    Distribution test_in_window(const Origin &origin, std::int64_t divisor, std::int64_t window) const;
    std::int64_t window_at(const TimeLevel &level, std::int64_t divisor) const;

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    SumTuning tuning_;
};

// A distribution of times <= level.seconds with the fewest active processors; one exists. Throws Status::limit, Status::cancelled.
std::vector<std::int64_t> fewest_within_time(const Prepared &prepared, std::int64_t size, const TimeLevel &level,
                                             Control &control);

} // namespace hpart
