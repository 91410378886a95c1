// Which blocks are on the device when: the list of transfers that a list of steps needs, made before anything runs, so that the
// counted transfers are the transfers made.
//
// Source: the buffer given up is the buffer of the block whose next use is farthest (L. A. Belady, "A study of replacement
// algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966: least loads for blocks of one size). The result is as
// if the steps ran one after another on the host's memory: a block that overlaps one being written gives its buffer up, after it
// was brought back where it was written itself.
#pragma once

#include "out_of_card/pipeline/flow.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// One block into its buffer before a step's kernel.
struct Load {
    std::int32_t block;
    std::int32_t slot;
    bool transfer; // false: the kernel writes all of it
};

// One block back to the host after a step's kernel.
struct ReadOut {
    std::int32_t block;
    std::int32_t slot;
};

struct PlannedStep {
    std::vector<std::int32_t> slots; // of the step's uses
    std::vector<Load> loads;
    std::vector<ReadOut> outs;
};

struct ResidencyPlan {
    std::vector<PlannedStep> steps;
    std::vector<std::int64_t> slot_bytes; // every buffer on the device
    std::int64_t bytes_to_device = 0;
    std::int64_t bytes_from_device = 0;
    std::int64_t least_bytes = 0; // each block that must come once, each written one back once
};

// slots: buffers of each array. Fails where a step uses more blocks of an array than it has.
ResidencyPlan plan_residency(const StepList &list, const std::vector<std::int64_t> &slots);

// The most blocks of each array that a step uses.
std::vector<std::int64_t> most_used_at_once(const StepList &list);

} // namespace hpart
