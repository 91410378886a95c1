#include "slow_link_device.hpp"

#include "core/text.hpp"
#include "timer.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace support
{

using namespace hpart;

namespace
{

using Clock = Timer::Clock;

// The device's clock less the host's. A copy's end is seen late, never early: the largest difference seen is the best.
class ClockOffset
{
  public:
    void see(double device_seconds, Clock::time_point host)
    {
        const auto offset = device_seconds - seconds_of(host);
        auto before = offset_.load();
        while (before < offset && !offset_.compare_exchange_weak(before, offset)) {}
    }
    double on_device(Clock::time_point host) const { return seconds_of(host) + offset_; }

  private:
    static double seconds_of(Clock::time_point time)
    {
        return std::chrono::duration<double>(time.time_since_epoch()).count();
    }
    std::atomic<double> offset_{-std::numeric_limits<double>::infinity()};
};

// When the link works for a transfer.
struct Slot {
    Clock::time_point begin, end;
};

// A transfer: the copy has been done by the device before, the gate opens when the link has had its time.
class LinkEvent final : public DeviceEvent
{
  public:
    LinkEvent(Event copy, Event gate, std::shared_ptr<const ClockOffset> offset)
        : copy_(std::move(copy)), gate_(std::move(gate)), offset_(std::move(offset))
    {
    }
    EventState state() const override { return gate_->state(); }
    EventState wait() const override { return gate_->wait(); }
    Interval interval() const override { return {offset_->on_device(slot_.begin), offset_->on_device(slot_.end)}; }
    std::string failure() const override { return copy_->failure(); }

    const Event &copy() const { return copy_; }
    const Event &gate() const { return gate_; }
    // Before the gate opens.
    void set_slot(const Slot &slot) { slot_ = slot; }

  private:
    Event copy_, gate_;
    std::shared_ptr<const ClockOffset> offset_;
    Slot slot_;
};

// The event that the device inside can wait for.
Event inside(const Event &event)
{
    const auto *transfer = dynamic_cast<const LinkEvent *>(event.get());
    return transfer == nullptr ? event : transfer->gate();
}

std::vector<Event> all_inside(std::span<const Event> events)
{
    std::vector<Event> result;
    for (const auto &event : events) result.push_back(inside(event));
    return result;
}

} // namespace

struct SlowLinkDevice::Clocks {
    std::mutex mutex;
    Clock::time_point free[2]; // of each direction; half duplex: the first for both
    Link link;
    std::shared_ptr<ClockOffset> offset = std::make_shared<ClockOffset>();
    Timer timer;

    Slot reserve(bool out, const Rectangle &rectangle, Clock::time_point now)
    {
        const std::lock_guard lock(mutex);
        auto &mine = free[out && !link.half_duplex ? 1 : 0];
        const auto begin = std::max(mine, now);
        const auto seconds =
            static_cast<double>(rectangle.bytes()) / (out ? link.out_bytes_per_second : link.in_bytes_per_second) +
            static_cast<double>(rectangle.rows) * link.row_seconds;
        mine = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        return {begin, mine};
    }
};

// Its thread sees the copies end, one after another, and tells the timer when the link will be done with them.
class SlowLinkDevice::Queue final : public DeviceQueue
{
  public:
    Queue(Device &device, Clocks &clocks)
        : device_(device), clocks_(clocks), inner_(device.make_queue()), thread_([this] { watch(); })
    {
    }
    Queue(const Queue &) = delete;
    Queue &operator=(const Queue &) = delete;
    ~Queue() override
    {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        changed_.notify_one();
        thread_.join();
        if (last_) last_->wait();
        last_.reset();
    }

    DeviceQueue &inner() { return *inner_; }

    // Commands that are no transfers begin when the transfers before them in the queue are over.
    std::vector<Event> with_last_transfer(std::span<const Event> after)
    {
        auto events = all_inside(after);
        const std::lock_guard lock(mutex_);
        if (last_) events.push_back(last_->gate());
        return events;
    }

    Event transfer(Event copy, bool out, const Rectangle &rectangle)
    {
        auto event = std::make_shared<LinkEvent>(std::move(copy), device_.make_gate(), clocks_.offset);
        {
            const std::lock_guard lock(mutex_);
            last_ = event;
            transfers_.push_back({event, out, rectangle});
        }
        changed_.notify_one();
        return event;
    }

  private:
    struct Transfer {
        std::shared_ptr<LinkEvent> event;
        bool out;
        Rectangle rectangle;
    };

    void watch()
    {
        for (;;) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return closing_ || !transfers_.empty(); });
            if (transfers_.empty()) return;
            auto transfer = std::move(transfers_.front());
            transfers_.pop_front();
            lock.unlock();
            pass(transfer);
            transfer.event.reset();
        }
    }

    void pass(const Transfer &transfer)
    {
        const auto &event = transfer.event;
        if (event->copy()->wait() == EventState::failed) {
            device_.open_gate(event->gate(), false);
            return;
        }
        const auto now = Clock::now();
        const auto slot = clocks_.reserve(transfer.out, transfer.rectangle, now);
        clocks_.offset->see(event->copy()->interval().end, now);
        event->set_slot(slot);
        clocks_.timer.at(slot.end, [&device = device_, event] { device.open_gate(event->gate(), true); });
    }

    Device &device_;
    Clocks &clocks_;
    std::unique_ptr<DeviceQueue> inner_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Transfer> transfers_;
    std::shared_ptr<LinkEvent> last_;
    bool closing_ = false;
    std::thread thread_;
};

SlowLinkDevice::SlowLinkDevice(std::shared_ptr<Device> inner, const Link &link)
    : WrappingDevice(std::move(inner)), clocks_(std::make_unique<Clocks>())
{
    clocks_->link = link;
    info_.driver += text(", behind a link of ", link.in_bytes_per_second, " and ", link.out_bytes_per_second,
                         link.half_duplex ? " bytes/s, half duplex" : " bytes/s");
    if (link.as_device) info_.on_host_cores = info_.shares_host_memory = false;
}

SlowLinkDevice::~SlowLinkDevice() = default;

const Census &SlowLinkDevice::census() const
{
    clocks_->timer.settle();
    return WrappingDevice::census();
}

std::unique_ptr<DeviceQueue> SlowLinkDevice::make_queue() { return std::make_unique<Queue>(inner(), *clocks_); }

void SlowLinkDevice::flush(DeviceQueue &queue) { inner().flush(static_cast<Queue &>(queue).inner()); }

Event SlowLinkDevice::give(const Command &command, DeviceQueue &queue, Events after, const Call &call)
{
    auto &own = static_cast<Queue &>(queue);
    const bool in = command.kind == Command::Kind::write, out = command.kind == Command::Kind::read;
    if (!in && !out) return call(own.inner(), own.with_last_transfer(after));
    return own.transfer(call(own.inner(), all_inside(after)), out, *command.rectangle);
}

} // namespace support
