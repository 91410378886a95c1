// The report of an operation on a device. All operations use the same words: this is the one place
// that writes the keys that they share.
#pragma once

#include "core/options.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// Predictions for an operation, made before it began.
struct Expectation {
    std::int64_t bytes = 0;             // both ways
    std::int64_t lower_bound_bytes = 0; // that no plan in this memory can go below
    double seconds = 0;
};

// A device's part, where several share an operation.
struct DevicePart {
    std::string device; // and its work: "opencl:0:0 120 rows"
    double share = 0;   // of the whole
    double seconds = 0;
};

struct Account {
    std::string method = "host"; // where: host, zero-copy, out-of-card, devices, pipeline
    std::string plan = "host";   // how: the name of a plan
    std::string tiles{};         // in what pieces; empty where it was not cut
    std::optional<std::string> kernel{};
    FlowRecord moved{};       // of all devices together
    double seconds = 0;       // of the operation
    double setup_seconds = 0; // of the call besides: measuring, compiling, planning
    std::optional<double> flops{};
    std::optional<Expectation> expected{};
    std::int64_t retries = 0;
    std::vector<DevicePart> parts{};
    std::string bound_by{};          // products that were planned: the longest of what was expected
    std::int64_t device_bytes = 0;   // of a device's memory; 0: not counted apart
    std::int64_t least_memory = 0;   // of the device, for any plan; 0: not asked for
    std::int64_t advised_memory = 0; // of the device, for nearly the best time; 0: not asked for, or not known
    double in_card_seconds = 0;      // of the same kernels without transfers; 0: not asked for

    void report(Report &report) const;
};

} // namespace hpart
