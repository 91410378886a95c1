// Runs a user's list of steps on a device.
#pragma once

#include "core/options.hpp"
#include "out_of_card/pipeline/flow.hpp"
#include "out_of_card/pipeline/step_list.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace hpart
{

// A step as a user's kernel sees it.
struct StepView {
    std::int64_t index = 0;
    void *queue = nullptr;      // cl_command_queue, CUstream; null on the host
    std::vector<void *> memory; // of each use: cl_mem, CUdeviceptr; on the host an address. Rows without gaps
};

// Adds its commands to the queue, or on the host does the work. Non-zero: stop.
using StepKernel = std::function<int(const StepView &step)>;

// As if the steps ran one after another on the host's memory. Status::callback when the kernel returns non-zero.
void run_steps(DeviceSession &session, const StepList &list, const StepKernel &kernel, const FlowOptions &flow_options,
               Control &control, Report &report);

} // namespace hpart
