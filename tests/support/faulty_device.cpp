#include "faulty_device.hpp"

#include "core/error.hpp"

namespace support
{

using namespace hpart;

namespace
{

using Clock = Timer::Clock;

constexpr auto delay = std::chrono::milliseconds(5);

// The event of a command that is never given to the device inside, nor is what waits for it: PoCL uses events that fail after
// they are released, and ends the process, where nobody keeps them.
class DoomedEvent final : public DeviceEvent
{
  public:
    DoomedEvent(Clock::time_point end, std::string failure) : end_(end), failure_(std::move(failure)) {}
    EventState state() const override { return Clock::now() < end_ ? EventState::pending : EventState::failed; }
    EventState wait() const override
    {
        std::this_thread::sleep_until(end_);
        return EventState::failed;
    }
    Interval interval() const override { return {}; }
    std::string failure() const override { return failure_; }
    Event dependent() const { return std::make_shared<DoomedEvent>(end_, "what it waits for failed: " + failure_); }

  private:
    Clock::time_point end_;
    std::string failure_;
};

} // namespace

const char *name_of(Fault fault)
{
    switch (fault) {
    case Fault::throws: return "throws";
    case Fault::no_memory: return "no memory";
    case Fault::failed_event: return "failed event";
    case Fault::fails_later: return "fails later";
    case Fault::late: return "late";
    case Fault::gone: return "gone";
    case Fault::full: return "full";
    }
    return "unknown";
}

void FaultyDevice::set_fault(std::int64_t k, Fault fault)
{
    calls_ = 0;
    met_ = false;
    fault_ = fault;
    due_ = k;
}

bool FaultyDevice::is_due(bool needs_memory)
{
    const auto call = ++calls_;
    const auto fault = fault_.load();
    const bool is_the_one = call == due_ && (needs_memory || fault != Fault::full);
    const bool is_after = call > due_ && (fault == Fault::gone || (fault == Fault::full && needs_memory));
    const bool due = due_ > 0 && (is_the_one || is_after);
    if (due) met_ = true;
    return due;
}

void FaultyDevice::fail_call(const char *call) const
{
    fail(fault_ == Fault::no_memory || fault_ == Fault::full ? Status::out_of_memory : Status::device,
         "injected fault at call ", calls_.load(), ", ", call);
}

// A call that gives no event.
void FaultyDevice::meet(const char *call, bool needs_memory)
{
    if (!is_due(needs_memory)) return;
    if (fault_ != Fault::late) fail_call(call);
    std::this_thread::sleep_for(delay);
}

Event FaultyDevice::give(const Command &command, DeviceQueue &queue, Events after, const Call &call)
{
    constexpr const char *names[] = {"write", "read", "copy", "launch"};
    const auto *const name = names[static_cast<std::size_t>(command.kind)];
    const bool due = is_due();
    const auto fault = fault_.load();
    if (due && (fault == Fault::throws || fault == Fault::no_memory || fault == Fault::gone)) fail_call(name);
    for (const auto &event : after)
        if (const auto *doomed = dynamic_cast<const DoomedEvent *>(event.get())) {
            hand_on(queue, after);
            return doomed->dependent();
        }
    if (due && fault != Fault::late) {
        hand_on(queue, after);
        return std::make_shared<DoomedEvent>(Clock::now() + (fault == Fault::fails_later ? delay : Clock::duration(0)),
                                             text("injected fault at call ", calls_.load(), ", ", name));
    }
    auto events = take_over(queue);
    events.insert(events.end(), after.begin(), after.end());
    if (!due) return call(queue, events);
    auto gate = inner().make_gate();
    if (!gate) {
        std::this_thread::sleep_for(delay);
        return call(queue, events);
    }
    events.push_back(gate);
    auto event = call(queue, events);
    timer_.at(Clock::now() + delay, [this, gate] { inner().open_gate(gate, true); });
    return event;
}

std::vector<Event> FaultyDevice::take_over(const DeviceQueue &queue)
{
    const std::lock_guard lock(mutex_);
    const auto found = handed_on_.find(&queue);
    if (found == handed_on_.end()) return {};
    auto events = std::move(found->second);
    handed_on_.erase(found);
    return events;
}

void FaultyDevice::hand_on(const DeviceQueue &queue, std::span<const Event> events)
{
    const std::lock_guard lock(mutex_);
    auto &kept = handed_on_[&queue];
    for (const auto &event : events)
        if (dynamic_cast<const DoomedEvent *>(event.get()) == nullptr) kept.push_back(event);
}

const Census &FaultyDevice::census() const
{
    timer_.settle();
    {
        const std::lock_guard lock(mutex_);
        handed_on_.clear();
    }
    return WrappingDevice::census();
}

std::unique_ptr<DeviceBuffer> FaultyDevice::allocate(std::int64_t bytes)
{
    meet("allocate", true);
    return inner().allocate(bytes);
}

std::unique_ptr<DeviceBuffer> FaultyDevice::wrap_host(void *memory, std::int64_t bytes)
{
    meet("wrap_host");
    return inner().wrap_host(memory, bytes);
}

std::unique_ptr<PinnedMemory> FaultyDevice::allocate_pinned(std::int64_t bytes)
{
    meet("allocate_pinned", true);
    return inner().allocate_pinned(bytes);
}

std::unique_ptr<DeviceQueue> FaultyDevice::make_queue()
{
    meet("make_queue");
    auto queue = inner().make_queue();
    take_over(*queue); // of one that was at this address
    return queue;
}

void FaultyDevice::flush(DeviceQueue &queue)
{
    meet("flush");
    inner().flush(queue);
}

Event FaultyDevice::make_gate()
{
    meet("make_gate");
    return inner().make_gate();
}

} // namespace support
