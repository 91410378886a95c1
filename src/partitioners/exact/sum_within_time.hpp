// Is n a sum of one size of a time <= T of each processor? See sum_within_time.cpp.
#pragma once

#include "core/progress.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/exact/time_steps.hpp"
#include "partitioners/prepared.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

class SumWithinTime
{
  public:
    using Distribution = std::optional<std::vector<std::int64_t>>;

    // Windows of sums up to so many times the largest size are tested at once; wider ones are made narrower where that will do. Absurd
    // values serve the tests.
    static constexpr std::int64_t usual_window = 2;

    SumWithinTime(const Prepared &prepared, std::int64_t size, Control &control, Work &work,
                  std::int64_t window = usual_window)
        : prepared_(prepared), instance_(prepared.instance()), size_(size), control_(control), work_(work),
          window_(window)
    {
    }

    // A distribution of times <= level.seconds; nothing when there is none: exact. Throws Status::limit, Status::cancelled.
    Distribution test(const TimeLevel &level) const;
    // The same in some milliseconds; nothing when none was found.
    Distribution test_quickly(const TimeLevel &level) const;

    // The least time >= level.seconds at which the common divisor of the sizes in time does not forbid a distribution: no distribution is
    // faster. Nothing when it forbids all.
    std::optional<double> least_time_by_divisor(const TimeLevels &levels, const TimeLevel &level) const;

  private:
    Origin origin_of(const TimeLevel &level) const;
    std::int64_t common_divisor(const Origin &origin) const;
    double least_time_off_divisor(const Origin &origin, std::int64_t divisor) const;
    Distribution complete_by_one(const TimeLevel &level) const;
    Distribution complete_alike(const TimeLevel &level) const;
    void take_coarse_steps(TimeSteps &steps, std::int64_t window) const;
    Distribution test_in_window(const Origin &origin, std::int64_t divisor, std::int64_t window) const;
    std::int64_t window_at(const TimeLevel &level, std::int64_t divisor) const;

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    Work &work_;
    std::int64_t window_;
};

} // namespace hpart
