// The rates of an in-card kernel by the shape of its steps: planners predict with them.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Seconds of C += A B in one launch, measured at a few depths for a few sizes of C. Between them the seconds per element of
// C are interpolated linearly, over the depth and over the square root of C's elements; outside, the nearest tile's are
// used, and beyond the deepest seconds are in proportion to the depth.
class GemmRates
{
  public:
    struct Point {
        std::int64_t depth;
        double seconds; // per element of C
    };
    struct Tile {
        double side;               // square root of C's elements
        std::vector<Point> points; // depths increase
    };
    GemmRates(double launch_seconds, std::vector<Tile> tiles);

    // Time of one launch, the start included; positive. All sizes positive.
    double seconds(std::int64_t rows, std::int64_t columns, std::int64_t depth) const;

  private:
    double launch_seconds_;
    std::vector<Tile> tiles_; // sides increase
};

// Under which name a session keeps them.
std::string name_of_gemm_rates(std::string_view kernel, Scalar type);

// Measured at the first call for this kernel on this device, in less than 0.2 s and within the device's free memory; kept with the
// device. The device's in_use is held.
std::shared_ptr<const GemmRates> measured_gemm_rates(DeviceSession &session, InCardGemm &kernel);

} // namespace hpart
