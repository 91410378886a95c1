// Is n a sum of one size of a time <= T of each processor?
#pragma once

#include "core/progress.hpp"
#include "partitioners/exact/time.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/least_sum.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

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
