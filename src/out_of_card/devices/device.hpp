// A device as every backend offers it: memory, in-order queues, rectangular copies, launches, and events that tell of their
// end. All of the out-of-card engine stands on this; what wraps a device (an emulated link, injected faults) does so here.
#pragma once

#include "core/clock.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <any>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

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
    // Pins memory of the caller's until the result is destroyed. Null: the backend has no such call.
    virtual std::unique_ptr<PinnedMemory> pin(void *, std::int64_t) { return nullptr; }

    virtual std::unique_ptr<DeviceQueue> make_queue() = 0;
    // Its commands begin before others that wait for a place on the device, where the driver can do so.
    virtual std::unique_ptr<DeviceQueue> make_urgent_queue() { return make_queue(); }
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

// Which memory of the caller's is pinned for a device: it is copied without staging.

// Every call may be made from any thread.
class PinnedRanges
{
  public:
    void add(const void *memory, std::int64_t bytes)
    {
        const std::lock_guard lock(mutex_);
        ends_[begin_of(memory)] = begin_of(memory) + bytes;
    }
    void remove(const void *memory)
    {
        const std::lock_guard lock(mutex_);
        ends_.erase(begin_of(memory));
    }
    // True if all of these bytes are in one of the ranges.
    bool hold(const void *memory, std::int64_t bytes) const
    {
        const std::lock_guard lock(mutex_);
        const auto after = ends_.upper_bound(begin_of(memory));
        if (after == ends_.begin()) return false;
        const auto *const end = std::prev(after)->second;
        return begin_of(memory) < end && bytes <= end - begin_of(memory);
    }

  private:
    static const char *begin_of(const void *memory) { return static_cast<const char *>(memory); }

    mutable std::mutex mutex_;
    std::map<const char *, const char *, std::less<>> ends_; // by beginning
};

// One operation at a time uses a device. What would wait for ever is refused: another operation in a callback of the first one, and a driver
// in a forked process, which lacks the driver's threads.

class DeviceLock
{
  public:
    explicit DeviceLock(const DeviceInfo &of) : of_(of) {}
    // Status::device in a fork of the process that opened an accelerator.
    void require_own_process() const
    {
        if (of_.backend != Backend::host && process_ != getpid())
            fail(Status::device, of_.spec,
                 " was opened before this process was forked, and its driver does not work in a fork; start a new "
                 "process instead");
    }
    void lock()
    {
        require_own_process();
        if (owner_ == std::this_thread::get_id() || called_back == this)
            fail_argument(
                of_.spec,
                " is running an operation; a callback of the operation cannot start another one on the device");
        // Another device of the same operation would never be free.
        if (called_back != nullptr) {
            if (!mutex_.try_lock())
                fail_argument(of_.spec,
                              " is running an operation; a callback of an operation cannot wait for a device");
        } else {
            mutex_.lock();
        }
        owner_ = std::this_thread::get_id();
    }
    void unlock()
    {
        owner_ = std::thread::id();
        mutex_.unlock();
    }

    // While it lives, this thread runs a callback of the operation that has the device.
    class Callback
    {
      public:
        explicit Callback(const DeviceLock &lock) : outer_(std::exchange(called_back, &lock)) {}
        Callback(const Callback &) = delete;
        Callback &operator=(const Callback &) = delete;
        ~Callback() { called_back = outer_; }

      private:
        const DeviceLock *outer_;
    };

  private:
    inline static thread_local const DeviceLock *called_back = nullptr;
    const DeviceInfo &of_;
    pid_t process_ = getpid();
    std::mutex mutex_;
    std::atomic<std::thread::id> owner_{};
};

// A device in use: its memory limit, hpart's account of the memory taken, and the data kept for it between calls.

class DeviceSession;

// A buffer that is on the device's account until it is destroyed.
class SessionBuffer
{
  public:
    SessionBuffer() = default;
    SessionBuffer(SessionBuffer &&other) noexcept { *this = std::move(other); }
    SessionBuffer &operator=(SessionBuffer &&other) noexcept;
    SessionBuffer(const SessionBuffer &) = delete;
    SessionBuffer &operator=(const SessionBuffer &) = delete;
    ~SessionBuffer() { release(); }

    DeviceBuffer *get() const { return buffer_.get(); }
    explicit operator bool() const { return buffer_ != nullptr; }
    void release() noexcept;

  private:
    friend class DeviceSession;
    SessionBuffer(DeviceSession &session, std::unique_ptr<DeviceBuffer> buffer, std::int64_t bytes)
        : session_(&session), buffer_(std::move(buffer)), bytes_(bytes)
    {
    }
    DeviceSession *session_ = nullptr;
    std::unique_ptr<DeviceBuffer> buffer_;
    std::int64_t bytes_ = 0;
};

class DeviceSession
{
  public:
    // A limit of nothing: the device's own memory.
    DeviceSession(std::shared_ptr<Device> device, std::optional<std::int64_t> memory_limit_bytes);

    Device &device() const { return *device_; }
    const DeviceInfo &info() const { return device_->info(); }
    // Compute units that copies share with kernels, where all cores of this machine are its own; else 0.
    double shared_units() const;
    // The limit that was set; the device's own memory has none of the caller's.
    bool is_limited() const { return limited_; }
    std::int64_t memory_limit() const { return std::min(memory_limit_, whole_memory()); }
    // Without the caller's limit.
    std::int64_t whole_memory() const { return info().memory_bytes - of_libraries_; }
    std::int64_t used() const { return used_; }
    std::int64_t most_used() const { return most_used_; }
    // The limit with which so many bytes would be free: as much in use as now, but for what follows the limit.
    std::int64_t limit_for(std::int64_t free_bytes) const;
    // So many more of the bytes in use follow the limit: a library's workspace.
    void note_part_of_limit(std::int64_t bytes, std::int64_t (*bytes_of_limit)(std::int64_t limit))
    {
        part_of_limit_ += bytes;
        ++parts_of_limit_;
        bytes_of_limit_ = bytes_of_limit;
    }

    // Bytes that an allocation of so many takes.
    std::int64_t taken_by(std::int64_t bytes) const;
    // A library's code and handles: the device has less for us, until they go. The caller's limit is of data.
    void note_library(std::int64_t bytes) noexcept { of_libraries_ += bytes; }
    // Status::out_of_memory, with the sizes, when it does not fit under the limit or the device has none.
    SessionBuffer allocate(std::int64_t bytes);
    // Keeps returned buffers for allocations of the same size: new memory costs more than a pass over it. Keeps most_idle_bytes at
    // most, or as many as the limit if the caller has set a larger one: that memory is hpart's. Frees them before an allocation
    // fails for want of memory. release_idle frees all now.
    static constexpr std::int64_t most_idle_bytes = std::int64_t{256} << 20;
    void release_idle() noexcept;
    // Work that takes memory of the device without asking here; again without the idle buffers where there was too little.
    template <typename Work> auto with_room(const Work &work)
    {
        try {
            return work();
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory || !has_idle()) throw;
        }
        release_idle();
        return work();
    }

    DeviceLock &in_use() { return in_use_; }

    // The caller's part of the device's pinned memory.
    PinnedRanges &pinned_ranges() { return pinned_ranges_; }

    // Work that later calls are spared: measuring, compiling, planning. The operations' times are without it.
    template <typename Work> auto set_up(const Work &work)
    {
        const SetUp timed(*this);
        return work();
    }
    // All until now, in this process.
    double setup_seconds() const { return static_cast<double>(setup_nanoseconds_) * 1e-9; }

    // Things made once for this device (compiled kernels, plans, measured rates), by name. `make` is called under in_use.
    template <typename Thing, typename Make> std::shared_ptr<Thing> kept(const std::string &name, const Make &make)
    {
        auto place = kept_.find(name);
        if (place == kept_.end()) {
            std::shared_ptr<Thing> made = set_up(make);
            place = kept_.insert_or_assign(name, std::move(made)).first;
        }
        return std::any_cast<std::shared_ptr<Thing>>(place->second);
    }
    // The same for a measured rate, and for what follows from rates: until learn() doubts it.
    template <typename Thing, typename Make> std::shared_ptr<Thing> kept_rate(const std::string &name, const Make &make)
    {
        if (!kept_.contains(name)) rates_.insert(name); // given ones stay
        return kept<Thing>(name, make);
    }
    // A run that took a small part of its prediction shows that something else had the cores while the rates were measured: they are
    // measured anew. A few times only, as a model may be that far off by itself.
    void learn(double predicted_seconds, double seconds);
    // Null if it was not made.
    template <typename Thing> std::shared_ptr<Thing> find(const std::string &name) const
    {
        const auto place = kept_.find(name);
        return place == kept_.end() ? nullptr : std::any_cast<std::shared_ptr<Thing>>(place->second);
    }
    // It is made anew when it is next asked for.
    void forget(const std::string &name) { kept_.erase(name); }

  private:
    friend class SessionBuffer;
    // Within another it counts as that one's.
    class SetUp
    {
      public:
        explicit SetUp(DeviceSession &session) : session_(session), is_outermost_(session.setting_up_++ == 0) {}
        SetUp(const SetUp &) = delete;
        SetUp &operator=(const SetUp &) = delete;
        ~SetUp()
        {
            --session_.setting_up_;
            if (is_outermost_) session_.setup_nanoseconds_ += (Clock::now() - start_).count();
        }

      private:
        DeviceSession &session_;
        bool is_outermost_;
        Clock::time_point start_ = Clock::now();
    };
    struct Idle {
        std::int64_t bytes;
        std::unique_ptr<DeviceBuffer> buffer;
    };
    void note_used(std::int64_t bytes) noexcept;
    std::unique_ptr<DeviceBuffer> take_idle(std::int64_t bytes);
    void keep_within(std::int64_t bytes) noexcept; // of idle buffers, the latest
    bool has_idle();
    void give_back(std::unique_ptr<DeviceBuffer> buffer, std::int64_t bytes) noexcept;

    std::shared_ptr<Device> device_;
    bool limited_;
    std::int64_t memory_limit_;
    std::atomic<std::int64_t> used_{0}, most_used_{0}, of_libraries_{0};
    std::int64_t part_of_limit_ = 0, parts_of_limit_ = 0;
    std::int64_t (*bytes_of_limit_)(std::int64_t limit) = nullptr;
    std::mutex of_idle_;
    std::vector<Idle> idle_; // the longest idle first
    std::int64_t idle_bytes_ = 0;
    DeviceLock in_use_{device_->info()};
    std::atomic<int> setting_up_{0};
    std::atomic<std::int64_t> setup_nanoseconds_{0};
    PinnedRanges pinned_ranges_;
    std::set<std::string> rates_; // of kept_
    int corrections_ = 0;
    std::map<std::string, std::any> kept_; // goes before the device
};

// Precisions and kernels that a device lacks.

// Empty if the device computes in this precision.
inline std::string missing_precision(const DeviceInfo &info, bool is_double)
{
    return is_double && !info.double_precision
               ? text(info.spec, " has no double precision; take single precision or another device")
               : "";
}

// One of another device or build is unsupported here; a name that is in none is a mistake. `here`: a range of what has a
// name. `own`: more words for the names of the caller's own.
template <typename Kinds>
[[noreturn]] void fail_missing_kernel(const DeviceSession &session, std::string_view name,
                                      std::span<const std::string_view> anywhere, const Kinds &here,
                                      std::string_view own = "")
{
    std::string names = "auto";
    for (const auto &kind : here) names += text(&kind == &here.back() ? " or " : ", ", kind.name);
    if (name.starts_with("source:") || name.starts_with("binary:"))
        fail(Status::unsupported, "kernel is ", in_quotes(name), ", which OpenCL devices take for products; on ",
             session.info().spec, " it must be ", names, own);
    fail(std::ranges::find(anywhere, name) == anywhere.end() ? Status::invalid_argument : Status::unsupported,
         "kernel is ", in_quotes(name), "; on ", session.info().spec, " it must be ", names, own);
}

} // namespace hpart
