// What kernels need of a device of backend `opencl` to build programs and to launch them. Through what wraps it, too.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

namespace hpart
{

struct OpenClNative {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
};

// The handles belong to the device, the buffer.
OpenClNative opencl_native(Device &device);
inline cl_mem opencl_native(const DeviceBuffer &buffer) { return static_cast<cl_mem>(buffer.native()); }

// The queue of a launch.
inline cl_command_queue opencl_queue(const LaunchContext &context)
{
    return static_cast<cl_command_queue>(context.queue);
}

} // namespace hpart
