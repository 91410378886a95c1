// OpenCL devices behind the interface of all devices.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

namespace hpart
{

// "opencl:P:D", or "opencl:P:D:S" for its S-th compute unit. Status::device when it is not there or cannot be divided.
std::shared_ptr<Device> make_opencl_device(std::string_view spec);

// Handles of a device of backend `opencl`, or of a wrapper of one, with which kernels build programs and launch them.

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

// The state that a device of OpenCL shares with its buffers, queues and events, which may be the last to go.

struct OpenClState {
    ClContext context;
    cl_device_id device = nullptr;
    // If a compute unit of a processor is the device: another one of its units, which makes the transfers, as the copy
    // engines of devices do. (PoCL's thread of the unit itself would do all.) Else null.
    cl_device_id transfer_device = nullptr;
    OpenClPrograms programs;
    ClQueue service; // for mappings
    // A byte that a command writes in place of a barrier, if the driver has no times of barriers; else null.
    ClBuffer byte_of_fences;
    bool has_times = true; // false: the driver does not know when commands run (rusticl has 2 and 3 ns for each)
    Census census;
    std::atomic<std::int64_t> allocated_bytes{0};
    // Some drivers (PoCL) never begin a command that waits for an event that had failed before. They also use a failing event a
    // little longer than its waiters do. So gates fail under an exclusive lock. Commands are given under a shared lock, after a
    // look at the events that they wait for. Failed events are reported and released after a shared lock. (PoCL 3.1 also uses
    // a failing event after its last reference has gone: a launch of several commands that keeps no events of theirs must not wait
    // for a gate that may fail.)
    std::shared_mutex failing;
};

using OpenClStatePtr = std::shared_ptr<OpenClState>;

// Counts in a census while it exists.
class Counted
{
  public:
    Counted(OpenClStatePtr state, std::atomic<std::int64_t> Census::*what) : state_(std::move(state)), what_(what)
    {
        ++(state_->census.*what_);
    }
    Counted(const Counted &) = delete;
    Counted &operator=(const Counted &) = delete;
    ~Counted() { --(state_->census.*what_); }
    OpenClState &state() const { return *state_; }

  private:
    OpenClStatePtr state_;
    std::atomic<std::int64_t> Census::*what_;
};

// The driver's own memory, or on a device that runs on the host's cores pages of ours: some drivers (PoCL) end the process
// when they have no more.
std::unique_ptr<DeviceBuffer> allocate_opencl_buffer(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes);
// Kernels work on the caller's memory, which is up to date when the buffer is destroyed.
std::unique_ptr<DeviceBuffer> wrap_for_opencl(const OpenClStatePtr &state, void *memory, std::int64_t bytes);
std::unique_ptr<PinnedMemory> allocate_opencl_pinned(const OpenClStatePtr &state, const DeviceInfo &info,
                                                     std::int64_t bytes);

// Made when the first of a driver's devices is opened (opencl_find.cpp).
// Status::device if the driver ends a kernel's loops early, as llvmpipe's does with success: results would be wrong. A device
// without a compiler is not checked.
void refuse_short_loops(const OpenClState &state, const DeviceInfo &info);

} // namespace hpart
