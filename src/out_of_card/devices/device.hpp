// A device as every backend offers it: memory, in-order queues, rectangular copies, launches, and events that tell of their
// end. All of the out-of-card engine stands on this; what wraps a device (an emulated link, injected faults) does so here.
#pragma once

#include "core/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hpart
{

enum class Backend : std::uint8_t { host, opencl, cuda };

struct DeviceInfo {
    std::string spec;   // "opencl:0:0"
    std::string name;   // as its driver tells
    std::string driver; // and its version
    std::string bus;    // empty where it is not known: devices of one name may have other links
    Backend backend = Backend::host;
    bool on_host_cores = false;      // kernels and copies run on the cores of this machine
    bool shares_host_memory = false; // wrap_host works: no copies are needed
    bool double_precision = true;
    std::int64_t compute_units = 1;
    std::int64_t memory_bytes = 0;
    std::int64_t largest_buffer_bytes = 0;
    std::int64_t granule_bytes = 1; // an allocation takes a multiple of this
};

// A device's memory but for a sixteenth, at most 1 GiB: for its driver, the screen, the code of kernels, which is loaded when they first
// run, and the whole pages of large arrays.
inline std::int64_t without_reserve(std::int64_t bytes) { return bytes - std::min(bytes / 16, std::int64_t{1} << 30); }

// Memory of the device; goes back when destroyed. The device and all commands that use it must be done with it by then.
class DeviceBuffer
{
  public:
    DeviceBuffer() = default;
    DeviceBuffer(const DeviceBuffer &) = delete;
    DeviceBuffer &operator=(const DeviceBuffer &) = delete;
    virtual ~DeviceBuffer() = default;
    // Its cl_mem, or CUdeviceptr; on the host its address.
    virtual void *native() const = 0;
};

// Host memory that the device copies fast.
class PinnedMemory
{
  public:
    PinnedMemory() = default;
    PinnedMemory(const PinnedMemory &) = delete;
    PinnedMemory &operator=(const PinnedMemory &) = delete;
    virtual ~PinnedMemory() = default;
    virtual void *data() const = 0;
    // False: plain memory, as the driver pins less at once. Transfers of it are staged.
    virtual bool is_pinned() const { return true; }
};

// Commands run in the order in which they were given, each after those it waits for. Its end waits for theirs.
class DeviceQueue
{
  public:
    DeviceQueue() = default;
    DeviceQueue(const DeviceQueue &) = delete;
    DeviceQueue &operator=(const DeviceQueue &) = delete;
    virtual ~DeviceQueue() = default;
};

enum class EventState : std::uint8_t { pending, done, failed };

// Seconds on the device's clock, the same for all of its queues.
struct Interval {
    double start = 0;
    double end = 0;
};

// The least time that is taken to be measured: rates divide by it.
constexpr double clock_tick_seconds = 1e-9;

// The end of a command. A command that waits for a failed one fails too and has no effect; those behind it in its queue
// may fail as well.
class DeviceEvent
{
  public:
    DeviceEvent() = default;
    DeviceEvent(const DeviceEvent &) = delete;
    DeviceEvent &operator=(const DeviceEvent &) = delete;
    virtual ~DeviceEvent() = default;
    // Looks; does not wait. Asking often must be cheap.
    virtual EventState state() const = 0;
    // Sleeps until the command is done or failed.
    virtual EventState wait() const = 0;
    // When the command ran; zeros where that is not known. Once done.
    virtual Interval interval() const = 0;
    // Why, once failed: "CL_OUT_OF_RESOURCES (-5)"
    virtual std::string failure() const = 0;
    // Status::callback for a function of the caller's that failed on the host.
    virtual Status failure_status() const { return Status::device; }
};

using Event = std::shared_ptr<DeviceEvent>;

// `rows` rows of `row_bytes`; each side has its own distance between rows.
struct Rectangle {
    std::int64_t rows = 0;
    std::int64_t row_bytes = 0;
    std::int64_t bytes() const { return rows * row_bytes; }
};

struct BufferSide {
    DeviceBuffer *buffer = nullptr;
    std::int64_t offset_bytes = 0;
    std::int64_t pitch_bytes = 0; // at least row_bytes
};

// A launch and the objects that it needs. On OpenCL and CUDA a launch is called at once, and adds its commands to the native queue; on
// the host it is called when its turn comes, and does the work.
struct LaunchContext {
    void *queue = nullptr; // cl_command_queue, CUstream; null on the host
    // Set by a launch, if it likes, to save the device markers of its own: the events of its first and last command, which then
    // belong to the device.
    void *first_event = nullptr;
    void *last_event = nullptr;
};

// Owns all that it uses but the buffers; throws Error where it cannot be launched.
using Launch = std::function<void(LaunchContext &)>;

// Numbers of a device's objects that are alive: tests compare them before and after.
struct Census {
    std::atomic<std::int64_t> buffers{0}, pinned{0}, queues{0}, events{0};
};

// Every call may be made from any thread. Calls that cannot do their work throw: Status::out_of_memory or Status::device.
// An empty rectangle is done at once. Commands need not begin before flush.
class Device
{
  public:
    Device() = default;
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    virtual ~Device() = default;

    virtual const DeviceInfo &info() const = 0;
    virtual const Census &census() const = 0;
    // A wrapper returns the device inside, which made the buffers: kernels ask it for native handles.
    virtual Device &unwrapped() { return *this; }
    // The backend's own, by name: "cl_context", "cl_device_id", "CUcontext". Null for a name that is none.
    virtual void *native_handle(std::string_view) const { return nullptr; }

    virtual std::unique_ptr<DeviceBuffer> allocate(std::int64_t bytes) = 0;
    // The same memory as the caller's, without copies, where info().shares_host_memory; what kernels wrote is there when
    // the buffer is destroyed.
    virtual std::unique_ptr<DeviceBuffer> wrap_host(void *memory, std::int64_t bytes) = 0;
    virtual std::unique_ptr<PinnedMemory> allocate_pinned(std::int64_t bytes) = 0;

    virtual std::unique_ptr<DeviceQueue> make_queue() = 0;
    virtual void flush(DeviceQueue &queue) = 0;

    virtual Event write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                        const Rectangle &rectangle, std::span<const Event> after) = 0;
    virtual Event read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                       const Rectangle &rectangle, std::span<const Event> after) = 0;
    // On the device; the two sides do not overlap.
    virtual Event copy(DeviceQueue &queue, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
                       std::span<const Event> after) = 0;
    virtual Event launch(DeviceQueue &queue, Launch launch, std::span<const Event> after) = 0;

    // An event that open_gate ends: commands that wait for it are kept back until then, and dropped when `succeed` is
    // false. Null where the backend has none.
    virtual Event make_gate() = 0;
    virtual void open_gate(const Event &gate, bool succeed) = 0;
};

} // namespace hpart
