// The largest sizes within a time, and the least time at which they sum to enough.
#pragma once

#include "partitioners/exact/time.hpp"
#include "partitioners/problem/prepared.hpp"

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

} // namespace hpart
