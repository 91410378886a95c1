// Operands on a device to time a kernel with.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

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
