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

// A curve through measured points (sizes increasing, at least one): the value of every size from the first to the last, never negative,
// and exactly the measured value of a measured size. Sizes are subtracted as integers: from 2^53 on their doubles may be equal.
class Curve
{
  public:
    Curve(std::vector<std::int64_t> sizes, std::vector<double> values, Interpolation kind);

    bool covers(std::int64_t size) const { return sizes_.front() <= size && size <= sizes_.back(); }
    double at(std::int64_t size) const;

  private:
    double width(std::size_t i) const { return static_cast<double>(sizes_[i + 1] - sizes_[i]); }
    std::vector<double> extended_chords() const;
    std::vector<double> akima_slopes() const;

    std::vector<std::int64_t> sizes_;
    std::vector<double> values_;
    std::vector<double> slopes_; // akima: at each size
};

// The curve of the values that are there (not NaN); nothing measured: no curve.
std::optional<Curve> curve_of(const Points &points, std::span<const double> values, Interpolation kind);

// The processor's energy of a size, on its curve if any; NaN where there is none.
double joules_at(const Points &points, std::int64_t size, Interpolation kind);

} // namespace hpart
