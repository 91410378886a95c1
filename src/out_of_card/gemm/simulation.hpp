// A plan's time on three in-order queues.
#pragma once

#include "out_of_card/devices/registry.hpp"
#include "out_of_card/gemm/plan.hpp"

#include <functional>
#include <string>

namespace hpart
{

// Seconds until a queue sees the end of another queue's command: a thread wakes up, or a GPU reads a flag.
constexpr double queue_latency_of_threads = 3e-5, queue_latency_of_gpus = 5e-6;

struct DeviceModel {
    std::string device = "the device"; // for messages
    DeviceSpace space;
    std::int64_t row_multiple = 1, column_multiple = 1; // of tiles at the full rate
    std::int64_t compute_units = 1;
    LinkRates link;
    bool is_staged = false; // all that moves is staged, at the link's rates
    double queue_latency = queue_latency_of_threads;
    int lookahead = 2;
    // Time of one product: rows x columns of C, depth.
    std::function<double(std::int64_t, std::int64_t, std::int64_t)> kernel_seconds;
    // Bytes of the device's memory that the kernel takes for itself.
    std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)> scratch_bytes;
};

struct PredictedTime {
    double seconds = 0;
    double kernel_seconds = 0; // were nothing else to do
    double in_seconds = 0, out_seconds = 0;
    bool is_of_part = false; // of a long walk, which is taken to go on like that
};

// The part that takes longest: "kernel", "transfers in", "transfers out".
const char *longest_part(const PredictedTime &time);

// From the first command to the end of the last. Long walks are followed for a while.
PredictedTime simulate(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// A product's least time, computed at once, without a search for tiles.
double least_seconds(const GemmShape &shape, const DeviceModel &model);
// The same of its kernels.
double kernel_seconds(const GemmShape &shape, const DeviceModel &model);

} // namespace hpart
