// A time function that never falls, between a few points: the prediction of a partial function for all sizes.
#pragma once

#include <cstdint>
#include <vector>

namespace hpart
{

struct Knot {
    std::int64_t size;
    double seconds;
};

// Linear between the knots, of constant speed above the last, as in Clarke, Lastovetsky, Rychkov 2011. Below the first the time falls
// linearly to the fixed cost, or to 0 where no cost is known.
class MonotoneCurve
{
  public:
    // Knots by increasing size >= 1, their seconds positive and never falling; one at least.
    explicit MonotoneCurve(std::vector<Knot> knots);
    static MonotoneCurve of_speed(double sizes_per_second);

    double seconds(std::int64_t size) const;
    // The largest size <= most that takes no longer; 0 when there is none.
    std::int64_t largest_within(double seconds, std::int64_t most) const;
    // At its last knot.
    double speed() const { return static_cast<double>(knots_.back().size) / knots_.back().seconds; }

  private:
    std::vector<Knot> knots_;
    double fixed_ = 0; // seconds of any size above 0
};

} // namespace hpart
