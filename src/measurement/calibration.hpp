// The correction of a meter by a reference meter.
#pragma once

#include <cstdint>
#include <span>

namespace hpart
{

// reference = scale x watts + offset; ends of 95 % confidence intervals.
struct CalibrationFit {
    double scale, scale_low, scale_high;
    double offset, offset_low, offset_high;
    double residual; // standard deviation of the reference's watts about the line
    std::int64_t windows;
};

// The mean powers of the same windows by both meters.
CalibrationFit calibrate(std::span<const double> watts, std::span<const double> reference_watts);

} // namespace hpart
