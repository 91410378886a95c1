// Handles of a device of backend `opencl`, or of a wrapper of one, with which kernels build programs and launch them.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace hpart
{

// By source and options, for all sessions on the device. Tests have many sessions, and PoCL takes 50 ms to compile a program, even
// where its files are kept.
struct OpenClPrograms {
    struct Compiled {
        ClProgram program;
        std::optional<std::string> refusal; // the compiler's words
    };
    std::mutex mutex;
    std::map<std::pair<std::string, std::string>, Compiled> compiled;
};

struct OpenClNative {
    cl_context context = nullptr;
    cl_device_id device = nullptr;
    OpenClPrograms *programs = nullptr;
};

// The handles belong to the device, the buffer.
OpenClNative opencl_native(Device &device);
inline cl_mem opencl_native(const DeviceBuffer &buffer) { return static_cast<cl_mem>(buffer.native()); }

// The queue of a launch.
inline cl_command_queue opencl_queue(const LaunchContext &context)
{
    return static_cast<cl_command_queue>(context.queue);
}

// Runs a native kernel over a copy of the task. The driver puts the buffer's address into the copy's `memory`.
template <typename Task>
ClEvent enqueue_native(const LaunchContext &context, void(CL_CALLBACK *run)(void *), Task task,
                       const DeviceBuffer &buffer)
{
    auto *memory = opencl_native(buffer);
    const void *place = &task.memory;
    cl_event event = nullptr;
    check_cl(
        clEnqueueNativeKernel(opencl_queue(context), run, &task, sizeof task, 1, &memory, &place, 0, nullptr, &event),
        "clEnqueueNativeKernel");
    return ClEvent(event);
}

// Leaves the buffer's address for a later native kernel of several buffers. Each has one: some drivers (PoCL 3.1) put in the
// addresses of several by the age of the buffers, whatever order they are given in.
inline ClEvent enqueue_address(const LaunchContext &context, const DeviceBuffer &buffer, void **to)
{
    struct Task {
        void **to;
        void *memory;
        static void CL_CALLBACK run(void *arguments)
        {
            const auto &task = *static_cast<const Task *>(arguments);
            *task.to = task.memory;
        }
    };
    return enqueue_native(context, &Task::run, Task{to, nullptr}, buffer);
}

// Transfers of devices that run on the host's cores, by native kernels of ours: the driver's own are a memcpy a row, which
// waits for memory at each, and fills the caches with results that nobody reads soon.
// Smaller copies are left to the driver: their data may be used while it is in the caches.
constexpr std::int64_t least_native_copy_bytes = std::int64_t{1} << 19;

// As clEnqueueWriteBufferRect and clEnqueueReadBufferRect; the device's side is a buffer.
cl_int enqueue_native_write(cl_command_queue queue, const BufferSide &to, const void *from,
                            std::int64_t from_pitch_bytes, const Rectangle &rectangle, cl_uint count,
                            const cl_event *wait, cl_event *event);
cl_int enqueue_native_read(cl_command_queue queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                           const Rectangle &rectangle, cl_uint count, const cl_event *wait, cl_event *event);

} // namespace hpart
