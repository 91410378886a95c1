// Memory of OpenCL devices.
#pragma once

#include "out_of_card/devices/opencl_state.hpp"

#include <memory>

namespace hpart
{

// The driver's own memory, or on a device that runs on the host's cores pages of ours: some drivers (PoCL) end the process
// when they have no more.
std::unique_ptr<DeviceBuffer> allocate_opencl_buffer(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes);
// Kernels work on the caller's memory, which is up to date when the buffer is destroyed.
std::unique_ptr<DeviceBuffer> wrap_for_opencl(const OpenClStatePtr &state, void *memory, std::int64_t bytes);
std::unique_ptr<PinnedMemory> allocate_opencl_pinned(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes);

} // namespace hpart
