// Unions of intervals of time that arrive nearly in order.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <vector>

namespace hpart
{

class IntervalUnion
{
  public:
    void add(const Interval &interval);
    // Sorted and disjoint.
    const std::vector<Interval> &parts() const { return parts_; }
    double seconds() const;

  private:
    std::vector<Interval> parts_;
};

IntervalUnion united(const IntervalUnion &a, const IntervalUnion &b);
// Seconds that are in both.
double common_seconds(const IntervalUnion &a, const IntervalUnion &b);

} // namespace hpart
