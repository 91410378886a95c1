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

// Operands on a device to time a kernel with.

struct GemmSize {
    std::int64_t m = 0, n = 0, k = 0;
};

class GemmTrial
{
  public:
    // Room for products up to this size and for the kernel's scratch, within the device's free memory and the kernel's largest
    // side. If that is too little: with less depth, down to a quarter of the sides, and then with half of these, and so on.
    GemmTrial(DeviceSession &session, InCardGemm &kernel, GemmSize largest);

    const GemmSize &largest() const { return largest_; }
    // True if the room is as large as asked for. Measurements then hold for the device, not for this limit of its memory alone.
    bool is_whole() const { return whole_; }
    // Runs until the clocks of an idle device have risen as under work.
    void warm_up();
    // The least of the times of C += A B, within the room, after one run that is not counted: up to `most_runs` while
    // they take less than `budget_seconds`. Throws what the kernel fails with.
    double seconds(const GemmSize &size, int most_runs, double budget_seconds);
    // Time to launch a product of the kernel's smallest tile, in a row of many.
    double launch_seconds();

  private:
    void make_operands();
    // Seconds of all.
    double run(const GemmSize &size, int times);

    DeviceSession &session_;
    InCardGemm &kernel_;
    GemmSize largest_;
    bool whole_ = true;
    SessionBuffer a_, b_, c_, scratch_;
    std::unique_ptr<DeviceQueue> queue_;
};

} // namespace hpart
