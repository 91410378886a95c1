// Transfers of devices that run on the host's cores, by native kernels of ours: the driver's own are a memcpy a row, which
// waits for memory at each, and fills the caches with results that nobody reads soon.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

namespace hpart
{

// Smaller copies are left to the driver: their data may be used while it is in the caches.
constexpr std::int64_t least_native_copy_bytes = std::int64_t{1} << 19;

// As clEnqueueWriteBufferRect and clEnqueueReadBufferRect; the device's side is a buffer.
cl_int enqueue_native_write(cl_command_queue queue, const BufferSide &to, const void *from,
                            std::int64_t from_pitch_bytes, const Rectangle &rectangle, cl_uint count,
                            const cl_event *wait, cl_event *event);
cl_int enqueue_native_read(cl_command_queue queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                           const Rectangle &rectangle, cl_uint count, const cl_event *wait, cl_event *event);

} // namespace hpart
