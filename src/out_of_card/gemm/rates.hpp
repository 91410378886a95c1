// The rates from which a plan's time is predicted.
#pragma once

#include "out_of_card/devices/link_rates.hpp"
#include "out_of_card/gemm/plan.hpp"

#include <functional>
#include <string>

namespace hpart
{

// Until a queue sees what it waited for in another one: a thread wakes up, or a GPU reads a flag.
constexpr double queue_latency_of_threads = 3e-5, queue_latency_of_gpus = 5e-6;

struct DeviceModel {
    std::string device = "the device"; // for messages
    DeviceSpace space;
    std::int64_t row_multiple = 1, column_multiple = 1; // of tiles at the full rate
    std::int64_t compute_units = 1;
    bool copies_take_units = false; // kernels and copies share the compute units
    LinkRates link;
    bool is_packed = false; // all that moves is packed on the host, at the link's rates
    double queue_latency = queue_latency_of_threads;
    int lookahead = 2;
    // Time of one product: rows x columns of C, depth.
    std::function<double(std::int64_t, std::int64_t, std::int64_t)> kernel_seconds;
    // Bytes of the device's memory that the kernel takes for itself.
    std::function<std::int64_t(std::int64_t, std::int64_t, std::int64_t)> hidden_bytes;
};

} // namespace hpart
