#include "out_of_card/devices/opencl_backend.hpp"

#include "core/error.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/devices/opencl_event.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

#include <array>
#include <deque>
#include <mutex>

namespace hpart
{

namespace
{

// Drivers of devices hand out memory in pieces of this many bytes or less.
constexpr std::int64_t granule_of_devices = 65536;

ClQueue make_native_queue(const OpenClState &state, cl_device_id device, cl_command_queue_properties properties)
{
    cl_int status = CL_SUCCESS;
    ClQueue queue(clCreateCommandQueue(state.context.get(), device, properties, &status));
    check_cl(status, "clCreateCommandQueue");
    return queue;
}

class OpenClQueue final : public DeviceQueue
{
  public:
    explicit OpenClQueue(const OpenClStatePtr &state)
        : state_(state), counted_(state, &Census::queues),
          queue_(make_native_queue(*state, state->device, CL_QUEUE_PROFILING_ENABLE)),
          has_two_(state->transfer_device != nullptr)
    {
        if (has_two_) transfers_ = make_native_queue(*state, state->transfer_device, CL_QUEUE_PROFILING_ENABLE);
    }
    OpenClQueue(const OpenClQueue &) = delete;
    OpenClQueue &operator=(const OpenClQueue &) = delete;
    ~OpenClQueue() override
    {
        clFinish(queue_.get());
        if (has_two_) clFinish(transfers_.get());
    }
    cl_command_queue native(bool transfer) const { return transfer && has_two_ ? transfers_.get() : queue_.get(); }
    // The commands of a launch stay together.
    std::mutex &giving() { return giving_; }
    // With two native queues, a command of this kind must also wait for the other queue's last.
    Event last_of_other(bool transfer)
    {
        auto &others = given_[transfer ? 0 : 1];
        // A failed command may be over before commands that were given before it.
        while (!others.empty() && others.back()->look() == EventState::failed) others.pop_back();
        if (!others.empty() && others.back()->look() == EventState::done) others.clear();
        return others.empty() ? nullptr : others.back();
    }
    Event keep(std::shared_ptr<OpenClEvent> event, bool transfer)
    {
        if (!has_two_) return event;
        auto &given = given_[transfer ? 1 : 0];
        while (!given.empty() && given.front()->look() != EventState::pending) given.pop_front();
        given.push_back(event);
        return event;
    }

  private:
    OpenClStatePtr state_;
    Counted counted_;
    ClQueue queue_, transfers_;
    bool has_two_;
    // With two native queues: the kernels and transfers that are not over yet.
    std::array<std::deque<std::shared_ptr<OpenClEvent>>, 2> given_;
    std::mutex giving_;
};

cl_command_queue native(DeviceQueue &queue, bool transfer = false)
{
    return static_cast<OpenClQueue &>(queue).native(transfer);
}

using Origin = std::array<std::size_t, 3>;

// The beginning of a side, in bytes of the first row and rows.
Origin origin_of(const BufferSide &side)
{
    const auto offset = static_cast<std::size_t>(side.offset_bytes), pitch = static_cast<std::size_t>(side.pitch_bytes);
    return {offset % pitch, offset / pitch, 0};
}

Origin region_of(const Rectangle &rectangle)
{
    return {static_cast<std::size_t>(rectangle.row_bytes), static_cast<std::size_t>(rectangle.rows), 1};
}

// True if all rows are one piece of memory on both sides.
bool is_one_piece(const Rectangle &rectangle, std::int64_t pitch, std::int64_t other_pitch)
{
    return rectangle.rows == 1 || (pitch == rectangle.row_bytes && other_pitch == rectangle.row_bytes);
}

bool is_empty(const Rectangle &rectangle) { return rectangle.rows <= 0 || rectangle.row_bytes <= 0; }

DeviceInfo describe_device(std::string_view spec, cl_device_id device)
{
    DeviceInfo info;
    info.spec = spec;
    info.name = cl_text(device, CL_DEVICE_NAME);
    info.driver = text(cl_text(device, CL_DEVICE_VERSION), ", ", cl_text(device, CL_DRIVER_VERSION));
    info.backend = Backend::opencl;
    info.on_host_cores = (cl_value<cl_device_type>(device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    info.shares_host_memory = cl_value<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
    info.double_precision = has_double_precision(device);
    info.compute_units = cl_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info.memory_bytes = static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE));
    if (!info.on_host_cores) info.bus = pci_bus(device);
    if (!info.on_host_cores) info.memory_bytes = without_reserve(info.memory_bytes);
    // Drivers do not know what control groups leave of the host's memory.
    if (info.on_host_cores || info.shares_host_memory)
        info.memory_bytes = std::min(info.memory_bytes, usable_memory_bytes());
    info.largest_buffer_bytes = std::min(
        info.memory_bytes, static_cast<std::int64_t>(cl_value<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE)));
    info.granule_bytes =
        info.on_host_cores ? cl_value<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8 : granule_of_devices;
    return info;
}

class OpenClBackend final : public Device
{
  public:
    explicit OpenClBackend(std::string_view spec)
    {
        state_->device = find_opencl_device(spec);
        info_ = describe_device(spec, state_->device);
        native_copies_ = info_.on_host_cores && has_native_kernels(state_->device);
        if (info_.on_host_cores) state_->transfer_device = find_opencl_neighbour(spec);
        const std::array devices = {state_->device, state_->transfer_device};
        const cl_uint count = state_->transfer_device != nullptr ? 2 : 1;
        cl_int status = CL_SUCCESS;
        state_->context = ClContext(clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status));
        check_cl(status, "clCreateContext");
        state_->service = make_native_queue(*state_, state_->device, 0);
        refuse_short_loops(*state_, info_);
        make_fences_timed();
    }

    const DeviceInfo &info() const override { return info_; }
    const Census &census() const override { return state_->census; }
    OpenClNative native_handles() const { return {state_->context.get(), state_->device, &state_->programs}; }
    void *native_handle(std::string_view what) const override
    {
        if (what == "cl_context") return state_->context.get();
        return what == "cl_device_id" ? state_->device : nullptr;
    }

    std::unique_ptr<DeviceBuffer> allocate(std::int64_t bytes) override
    {
        return allocate_opencl_buffer(state_, info_, bytes);
    }
    std::unique_ptr<DeviceBuffer> wrap_host(void *memory, std::int64_t bytes) override
    {
        if (!info_.shares_host_memory)
            fail(Status::unsupported, info_.spec, " has memory of its own: it cannot work in the host's");
        return wrap_for_opencl(state_, memory, bytes);
    }
    std::unique_ptr<PinnedMemory> allocate_pinned(std::int64_t bytes) override
    {
        return allocate_opencl_pinned(state_, info_, bytes);
    }

    std::unique_ptr<DeviceQueue> make_queue() override { return std::make_unique<OpenClQueue>(state_); }
    void flush(DeviceQueue &queue) override
    {
        check_cl(clFlush(native(queue)), "clFlush");
        if (state_->transfer_device != nullptr) check_cl(clFlush(native(queue, true)), "clFlush");
    }

    Event write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                const Rectangle &rectangle, std::span<const Event> after) override
    {
        if (is_empty(rectangle)) return nothing(queue, true, after);
        return enqueue(queue, true, "clEnqueueWriteBufferRect", after,
                       [&](cl_uint count, const cl_event *wait, cl_event *event) {
                           if (is_native(rectangle))
                               return enqueue_native_write(native(queue, true), to, from, from_pitch_bytes, rectangle,
                                                           count, wait, event);
                           auto *const buffer = opencl_native(*to.buffer);
                           const auto region = region_of(rectangle);
                           if (is_one_piece(rectangle, to.pitch_bytes, from_pitch_bytes))
                               return clEnqueueWriteBuffer(native(queue, true), buffer, CL_FALSE,
                                                           static_cast<std::size_t>(to.offset_bytes),
                                                           region[0] * region[1], from, count, wait, event);
                           const Origin origin = origin_of(to), host_origin{};
                           return clEnqueueWriteBufferRect(
                               native(queue, true), buffer, CL_FALSE, origin.data(), host_origin.data(), region.data(),
                               static_cast<std::size_t>(to.pitch_bytes), 0, static_cast<std::size_t>(from_pitch_bytes),
                               0, from, count, wait, event);
                       });
    }

    Event read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
               const Rectangle &rectangle, std::span<const Event> after) override
    {
        if (is_empty(rectangle)) return nothing(queue, true, after);
        return enqueue(
            queue, true, "clEnqueueReadBufferRect", after, [&](cl_uint count, const cl_event *wait, cl_event *event) {
                if (is_native(rectangle))
                    return enqueue_native_read(native(queue, true), from, to, to_pitch_bytes, rectangle, count, wait,
                                               event);
                auto *const buffer = opencl_native(*from.buffer);
                const auto region = region_of(rectangle);
                if (is_one_piece(rectangle, from.pitch_bytes, to_pitch_bytes))
                    return clEnqueueReadBuffer(native(queue, true), buffer, CL_FALSE,
                                               static_cast<std::size_t>(from.offset_bytes), region[0] * region[1], to,
                                               count, wait, event);
                const Origin origin = origin_of(from), host_origin{};
                return clEnqueueReadBufferRect(native(queue, true), buffer, CL_FALSE, origin.data(), host_origin.data(),
                                               region.data(), static_cast<std::size_t>(from.pitch_bytes), 0,
                                               static_cast<std::size_t>(to_pitch_bytes), 0, to, count, wait, event);
            });
    }

    Event copy(DeviceQueue &queue, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
               std::span<const Event> after) override
    {
        if (is_empty(rectangle)) return nothing(queue, false, after);
        return enqueue(
            queue, false, "clEnqueueCopyBufferRect", after, [&](cl_uint count, const cl_event *wait, cl_event *event) {
                auto *const source = opencl_native(*from.buffer), *const target = opencl_native(*to.buffer);
                const auto region = region_of(rectangle);
                if (is_one_piece(rectangle, from.pitch_bytes, to.pitch_bytes))
                    return clEnqueueCopyBuffer(
                        native(queue), source, target, static_cast<std::size_t>(from.offset_bytes),
                        static_cast<std::size_t>(to.offset_bytes), region[0] * region[1], count, wait, event);
                const Origin source_origin = origin_of(from), target_origin = origin_of(to);
                return clEnqueueCopyBufferRect(native(queue), source, target, source_origin.data(),
                                               target_origin.data(), region.data(),
                                               static_cast<std::size_t>(from.pitch_bytes), 0,
                                               static_cast<std::size_t>(to.pitch_bytes), 0, count, wait, event);
            });
    }

    Event launch(DeviceQueue &queue, Launch launch, std::span<const Event> after) override
    {
        auto &own = static_cast<OpenClQueue &>(queue);
        const std::lock_guard together(own.giving());
        const std::shared_lock lock(state_->failing);
        OpenClWaitList wait(after, own.last_of_other(false));
        if (wait.has_failed()) return over(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        auto fence = enqueue_fence(native(queue), wait.size(), wait.data());
        LaunchContext context{native(queue), nullptr, nullptr};
        ClEvent first, last;
        const auto take_events = [&] {
            first = ClEvent(static_cast<cl_event>(context.first_event));
            last = ClEvent(static_cast<cl_event>(context.last_event));
        };
        try {
            launch(context);
        } catch (...) {
            take_events();
            throw;
        }
        take_events();
        if (last.get() == nullptr) last = enqueue_fence(native(queue), 0, nullptr);
        const bool has_first = first.get() != nullptr;
        return own.keep(std::make_shared<OpenClEvent>(state_, std::move(has_first ? first : fence), !has_first,
                                                      std::move(last), wait.take()),
                        false);
    }

    Event make_gate() override { return OpenClEvent::gate(state_); }
    void open_gate(const Event &gate, bool succeed) override { static_cast<OpenClEvent &>(*gate).open(succeed); }

  private:
    bool is_native(const Rectangle &rectangle) const
    {
        return native_copies_ && rectangle.bytes() >= least_native_copy_bytes;
    }
    // Between the earlier and the later commands of a queue.
    ClEvent enqueue_fence(cl_command_queue queue, cl_uint count, const cl_event *wait) const
    {
        cl_event event = nullptr;
        constexpr char byte = 0;
        auto *const buffer = state_->byte_of_fences.get();
        if (buffer == nullptr)
            check_cl(clEnqueueBarrierWithWaitList(queue, count, wait, &event), "clEnqueueBarrierWithWaitList");
        else
            check_cl(clEnqueueFillBuffer(queue, buffer, &byte, sizeof byte, 0, sizeof byte, count, wait, &event),
                     "clEnqueueFillBuffer");
        return ClEvent(event);
    }
    // True if the driver knows when fences run: the second one of two ends later.
    bool has_times_of_fences() const
    {
        const auto queue = make_native_queue(*state_, state_->device, CL_QUEUE_PROFILING_ENABLE);
        double ends[2] = {};
        for (auto &end : ends) {
            const auto fence = enqueue_fence(queue.get(), 0, nullptr);
            check_cl(clFinish(queue.get()), "clFinish");
            end = end_seconds(fence.get());
        }
        return ends[0] > 0 && ends[1] > ends[0];
    }
    void make_fences_timed()
    {
        if (has_times_of_fences()) return;
        cl_int status = CL_SUCCESS;
        state_->byte_of_fences =
            ClBuffer(clCreateBuffer(state_->context.get(), CL_MEM_READ_WRITE, 1, nullptr, &status));
        check_allocation(status, "clCreateBuffer");
        state_->has_times = has_times_of_fences();
        if (!state_->has_times) state_->byte_of_fences = {};
    }
    // A command without work: done after the events that it waits for.
    Event nothing(DeviceQueue &queue, bool transfer, std::span<const Event> after)
    {
        if (after.empty()) return over(CL_COMPLETE);
        return enqueue(queue, transfer, "clEnqueueMarkerWithWaitList", after,
                       [&](cl_uint count, const cl_event *wait, cl_event *event) {
                           *event = enqueue_fence(native(queue, transfer), count, wait).release();
                           return CL_SUCCESS;
                       });
    }
    Event over(cl_int status) { return std::make_shared<OpenClEvent>(state_, status); }

    // command(count, wait list, event) gives it to the driver.
    template <typename Command>
    Event enqueue(DeviceQueue &queue, bool transfer, const char *call, std::span<const Event> after,
                  const Command &command)
    {
        auto &own = static_cast<OpenClQueue &>(queue);
        const std::lock_guard together(own.giving());
        const std::shared_lock lock(state_->failing);
        OpenClWaitList wait(after, own.last_of_other(transfer));
        if (wait.has_failed()) return over(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        cl_event event = nullptr;
        check_cl(command(wait.size(), wait.data(), &event), call);
        return own.keep(std::make_shared<OpenClEvent>(state_, ClEvent(), false, ClEvent(event), wait.take()), transfer);
    }

    OpenClStatePtr state_ = std::make_shared<OpenClState>();
    DeviceInfo info_;
    bool native_copies_ = false;
};

} // namespace

std::shared_ptr<Device> make_opencl_device(std::string_view spec) { return std::make_shared<OpenClBackend>(spec); }

OpenClNative opencl_native(Device &device) { return static_cast<OpenClBackend &>(device.unwrapped()).native_handles(); }

namespace
{

// The driver copies it, and puts the buffer's address into it.
struct NativeCopy {
    void *memory = nullptr;
    std::int64_t offset_bytes = 0, device_pitch_bytes = 0;
    void *host = nullptr;
    std::int64_t host_pitch_bytes = 0;
    Rectangle rectangle;

    char *on_device() const { return static_cast<char *>(memory) + offset_bytes; }
};

void CL_CALLBACK run_write(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_with_prefetch({copy.on_device(), copy.device_pitch_bytes, copy.host, copy.host_pitch_bytes,
                        copy.rectangle.rows, copy.rectangle.row_bytes});
}

void CL_CALLBACK run_read(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_past_caches({copy.host, copy.host_pitch_bytes, copy.on_device(), copy.device_pitch_bytes, copy.rectangle.rows,
                      copy.rectangle.row_bytes});
}

cl_int enqueue(cl_command_queue queue, void(CL_CALLBACK *run)(void *), NativeCopy copy, const BufferSide &side,
               cl_uint count, const cl_event *wait, cl_event *event)
{
    auto *const buffer = opencl_native(*side.buffer);
    const void *place = &copy.memory;
    copy.offset_bytes = side.offset_bytes;
    copy.device_pitch_bytes = side.pitch_bytes;
    return clEnqueueNativeKernel(queue, run, &copy, sizeof copy, 1, &buffer, &place, count, wait, event);
}

} // namespace

cl_int enqueue_native_write(cl_command_queue queue, const BufferSide &to, const void *from,
                            std::int64_t from_pitch_bytes, const Rectangle &rectangle, cl_uint count,
                            const cl_event *wait, cl_event *event)
{
    return enqueue(queue, run_write, {nullptr, 0, 0, const_cast<void *>(from), from_pitch_bytes, rectangle}, to, count,
                   wait, event);
}

cl_int enqueue_native_read(cl_command_queue queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                           const Rectangle &rectangle, cl_uint count, const cl_event *wait, cl_event *event)
{
    return enqueue(queue, run_read, {nullptr, 0, 0, to, to_pitch_bytes, rectangle}, from, count, wait, event);
}

} // namespace hpart
