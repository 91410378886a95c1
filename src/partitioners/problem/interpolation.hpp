// Values of a discrete function between its measured points.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

enum class Interpolation : std::uint8_t { none, linear, akima };

// A curve through measured points (x increasing, at least one): y at every x from the first to the last, never negative, and exactly
// the measured y at a measured x.
class Curve
{
  public:
    Curve(std::vector<double> x, std::vector<double> y, Interpolation kind);

    double first() const { return x_.front(); }
    double last() const { return x_.back(); }
    double at(double x) const;

  private:
    std::vector<double> x_;
    std::vector<double> y_;
    std::vector<double> slopes_; // akima: at each x
};

// The curve of the values that are there (not NaN); nothing measured: no curve.
std::optional<Curve> curve_of(const Points &points, const std::vector<double> &values, Interpolation kind);

// Energy of x on the curves; NaN where a size used is outside of its processor's.
double interpolated_joules(const Platform &platform, std::span<const std::int64_t> x, Interpolation kind);

} // namespace hpart
