// The state that a device of OpenCL shares with its buffers, queues and events, which may be the last to go.
#pragma once

#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_native.hpp"

#include <memory>
#include <shared_mutex>

namespace hpart
{

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

} // namespace hpart
