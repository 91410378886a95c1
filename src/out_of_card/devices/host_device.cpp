#include "out_of_card/devices/host_device.hpp"

#include "core/error.hpp"
#include "host/cores.hpp"
#include "host/page_memory.hpp"

#include <cstring>

namespace hpart
{

namespace
{

double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

template <typename Work> HostEvent::Failure failure_of(const Work &work) noexcept
{
    try {
        try {
            work();
            return {};
        } catch (const std::bad_alloc &) {
            throw;
        } catch (const Error &error) {
            return {error.what(), error.status() == Status::callback ? Status::callback : Status::device};
        } catch (const std::exception &error) {
            return {error.what()};
        }
    } catch (...) {
        return {"out of memory"}; // short: takes none
    }
}

} // namespace

HostEvent::HostEvent(std::shared_ptr<Census> census) : census_(std::move(census)) { ++census_->events; }

HostEvent::~HostEvent() { --census_->events; }

EventState HostEvent::wait() const
{
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return state() != EventState::pending; });
    return state();
}

void HostEvent::end(const Interval &interval, Failure failure)
{
    {
        const std::lock_guard lock(mutex_);
        interval_ = interval;
        failure_ = std::move(failure);
        state_.store(failure_.text.empty() ? EventState::done : EventState::failed, std::memory_order_release);
    }
    ended_.notify_all();
}

HostQueue::HostQueue(std::shared_ptr<Census> census) : census_(std::move(census))
{
    try {
        thread_ = std::thread([this] { run_commands(); });
    } catch (const std::system_error &error) {
        fail(Status::device, "the host device cannot start a thread: ", error.what());
    }
    ++census_->queues;
}

HostQueue::~HostQueue()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_one();
    thread_.join();
    --census_->queues;
}

Event HostQueue::add(std::function<void()> work, std::span<const Event> after)
{
    auto event = std::make_shared<HostEvent>(census_);
    {
        const std::lock_guard lock(mutex_);
        commands_.push_back({std::move(work), {after.begin(), after.end()}, event});
    }
    changed_.notify_one();
    return event;
}

void HostQueue::run_commands()
{
    for (;;) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closing_ || !commands_.empty(); });
        if (commands_.empty()) return;
        auto command = std::move(commands_.front());
        commands_.pop_front();
        lock.unlock();
        run(command);
    }
}

void HostQueue::run(Command &command)
{
    bool may_run = true;
    for (const auto &event : command.after) may_run = event->wait() == EventState::done && may_run;
    const auto start = now();
    auto failure = failure_of([&] {
        if (!may_run) fail(Status::device, "a command that it waits for failed");
        command.work();
    });
    // The command's objects go before anyone who waits for its end goes on.
    command.work = nullptr;
    command.after.clear();
    command.event->end({start, now()}, std::move(failure));
}

namespace
{

class HostDeviceBuffer final : public DeviceBuffer
{
  public:
    HostDeviceBuffer(std::shared_ptr<Census> census, PageMemory own, void *memory)
        : census_(std::move(census)), own_(std::move(own)), memory_(memory)
    {
        ++census_->buffers;
    }
    HostDeviceBuffer(const HostDeviceBuffer &) = delete;
    HostDeviceBuffer &operator=(const HostDeviceBuffer &) = delete;
    ~HostDeviceBuffer() override { --census_->buffers; }
    void *native() const override { return memory_; }

  private:
    std::shared_ptr<Census> census_;
    PageMemory own_; // none when the memory is the caller's
    void *memory_;
};

class HostPinned final : public PinnedMemory
{
  public:
    HostPinned(std::shared_ptr<Census> census, PageMemory memory)
        : census_(std::move(census)), memory_(std::move(memory))
    {
        ++census_->pinned;
    }
    HostPinned(const HostPinned &) = delete;
    HostPinned &operator=(const HostPinned &) = delete;
    ~HostPinned() override { --census_->pinned; }
    void *data() const override { return memory_.get(); }

  private:
    std::shared_ptr<Census> census_;
    PageMemory memory_;
};

void copy_rows(const std::byte *from, std::int64_t from_pitch, std::byte *to, std::int64_t to_pitch,
               const Rectangle &rectangle)
{
    const auto [rows, row_bytes] = rectangle;
    if (rows <= 0 || row_bytes <= 0) return;
    if (from_pitch == row_bytes && to_pitch == row_bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(rows * row_bytes));
        return;
    }
    for (std::int64_t row = 0; row < rows; ++row)
        std::memcpy(to + row * to_pitch, from + row * from_pitch, static_cast<std::size_t>(row_bytes));
}

std::byte *host_address(const BufferSide &side)
{
    return static_cast<std::byte *>(side.buffer->native()) + side.offset_bytes;
}

class HostDevice final : public Device
{
  public:
    HostDevice()
    {
        info_.spec = info_.name = info_.driver = "host";
        info_.on_host_cores = info_.shares_host_memory = true;
        info_.compute_units = static_cast<std::int64_t>(usable_cores().size());
        info_.memory_bytes = usable_memory_bytes();
        info_.largest_buffer_bytes = info_.memory_bytes;
        info_.granule_bytes = page_bytes;
    }

    const DeviceInfo &info() const override { return info_; }
    const Census &census() const override { return *census_; }

    std::unique_ptr<DeviceBuffer> allocate(std::int64_t bytes) override
    {
        auto memory = allocate_pages(bytes);
        auto *address = memory.get();
        return std::make_unique<HostDeviceBuffer>(census_, std::move(memory), address);
    }
    std::unique_ptr<DeviceBuffer> wrap_host(void *memory, std::int64_t) override
    {
        return std::make_unique<HostDeviceBuffer>(census_, nullptr, memory);
    }
    std::unique_ptr<PinnedMemory> allocate_pinned(std::int64_t bytes) override
    {
        return std::make_unique<HostPinned>(census_, allocate_pages(bytes));
    }

    std::unique_ptr<DeviceQueue> make_queue() override { return std::make_unique<HostQueue>(census_); }
    void flush(DeviceQueue &) override {}

    Event write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                const Rectangle &rectangle, std::span<const Event> after) override
    {
        return add(
            queue,
            [=] {
                copy_rows(static_cast<const std::byte *>(from), from_pitch_bytes, host_address(to), to.pitch_bytes,
                          rectangle);
            },
            after);
    }
    Event read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
               const Rectangle &rectangle, std::span<const Event> after) override
    {
        return add(
            queue,
            [=] {
                copy_rows(host_address(from), from.pitch_bytes, static_cast<std::byte *>(to), to_pitch_bytes,
                          rectangle);
            },
            after);
    }
    Event copy(DeviceQueue &queue, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
               std::span<const Event> after) override
    {
        return add(
            queue,
            [=] { copy_rows(host_address(from), from.pitch_bytes, host_address(to), to.pitch_bytes, rectangle); },
            after);
    }
    Event launch(DeviceQueue &queue, Launch launch, std::span<const Event> after) override
    {
        return add(
            queue,
            [launch = std::move(launch)] {
                LaunchContext context;
                launch(context);
            },
            after);
    }

    Event make_gate() override { return std::make_shared<HostEvent>(census_); }
    void open_gate(const Event &gate, bool succeed) override
    {
        static_cast<HostEvent &>(*gate).end({}, {succeed ? "" : "the gate was closed for good"});
    }

  private:
    static Event add(DeviceQueue &queue, std::function<void()> work, std::span<const Event> after)
    {
        return static_cast<HostQueue &>(queue).add(std::move(work), after);
    }

    DeviceInfo info_;
    std::shared_ptr<Census> census_ = std::make_shared<Census>();
};

} // namespace

std::shared_ptr<Device> make_host_device() { return std::make_shared<HostDevice>(); }

} // namespace hpart
