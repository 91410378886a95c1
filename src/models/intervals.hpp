// Confidence intervals of the points of a function, and the numbers of repetitions behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hpart
{

enum class FunctionKind : std::uint8_t { time, energy };
enum class Bound : std::uint8_t { estimate, low, high };

// A measured value; NaN ends and 0 repetitions: unknown.
struct MeasuredPoint {
    double value = 0;
    double low = std::numeric_limits<double>::quiet_NaN();
    double high = std::numeric_limits<double>::quiet_NaN();
    std::int64_t repetitions = 0;
};

// One entry per point in each array; NaN, and 0 repetitions, where unknown. A file may give one end of an interval alone.
struct Intervals {
    Intervals() = default;
    explicit Intervals(std::size_t points)
        : time_low(points, std::numeric_limits<double>::quiet_NaN()), time_high(time_low), energy_low(time_low),
          energy_high(time_low), repetitions(points, 0)
    {
    }

    std::vector<double> &low(FunctionKind kind) { return kind == FunctionKind::time ? time_low : energy_low; }
    std::vector<double> &high(FunctionKind kind) { return kind == FunctionKind::time ? time_high : energy_high; }
    const std::vector<double> &low(FunctionKind kind) const
    {
        return kind == FunctionKind::time ? time_low : energy_low;
    }
    const std::vector<double> &high(FunctionKind kind) const
    {
        return kind == FunctionKind::time ? time_high : energy_high;
    }

    std::vector<double> time_low, time_high, energy_low, energy_high;
    std::vector<std::int64_t> repetitions;
};

} // namespace hpart
