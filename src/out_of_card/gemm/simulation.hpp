// A plan's time on three in-order queues.
#pragma once

#include "out_of_card/gemm/rates.hpp"

namespace hpart
{

struct PredictedTime {
    double seconds = 0;
    double kernel_seconds = 0; // were nothing else to do
    double in_seconds = 0, out_seconds = 0;
};

// The part that takes longest: "kernel", "transfers in", "transfers out".
const char *longest_part(const PredictedTime &time);

// From the first command to the end of the last. Long walks are followed for a while and taken to go on like that.
PredictedTime simulate(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// Each at its full rate, all at once: no plan of this traffic is faster.
double transfer_seconds(const GemmTraffic &traffic, const LinkRates &link);

// A product's least time, computed at once, without a search for tiles.
double simulated_least_seconds(const GemmShape &shape, const DeviceModel &model);
// The same of its kernels.
double kernel_seconds(const GemmShape &shape, const DeviceModel &model);

} // namespace hpart
