#include "faulty_device.hpp"

#include "core/error.hpp"

#include <vector>

namespace support
{

using namespace hpart;

namespace
{

constexpr auto delay = std::chrono::milliseconds(5);

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

bool FaultyDevice::is_due()
{
    const auto call = ++calls_;
    const bool due = due_ > 0 && (call == due_ || (call > due_ && fault_ == Fault::gone));
    if (due) met_ = true;
    return due;
}

// A call that gives no event.
void FaultyDevice::meet(const char *call)
{
    if (!is_due()) return;
    if (fault_ == Fault::late) {
        std::this_thread::sleep_for(delay);
        return;
    }
    fail(fault_ == Fault::no_memory ? Status::out_of_memory : Status::device, "injected fault at call ", calls_.load(),
         ", ", call);
}

template <typename Command>
Event FaultyDevice::meet_command(const char *call, std::span<const Event> after, const Command &command)
{
    if (!is_due()) return command(after);
    const auto fault = fault_.load();
    const bool throws = fault == Fault::throws || fault == Fault::no_memory || fault == Fault::gone;
    auto gate = throws ? nullptr : inner().make_gate();
    if (!gate)
        fail(fault == Fault::no_memory ? Status::out_of_memory : Status::device, "injected fault at call ",
             calls_.load(), ", ", call);
    if (fault == Fault::failed_event) inner().open_gate(gate, false);
    std::vector<Event> with_gate(after.begin(), after.end());
    with_gate.push_back(gate);
    auto event = command(with_gate);
    if (fault != Fault::failed_event)
        timer_.at(Timer::Clock::now() + delay,
                  [this, gate, succeed = fault == Fault::late] { inner().open_gate(gate, succeed); });
    return event;
}

const Census &FaultyDevice::census() const
{
    timer_.settle();
    return WrappingDevice::census();
}

std::unique_ptr<DeviceBuffer> FaultyDevice::allocate(std::int64_t bytes)
{
    meet("allocate");
    return inner().allocate(bytes);
}

std::unique_ptr<DeviceBuffer> FaultyDevice::wrap_host(void *memory, std::int64_t bytes)
{
    meet("wrap_host");
    return inner().wrap_host(memory, bytes);
}

std::unique_ptr<PinnedMemory> FaultyDevice::allocate_pinned(std::int64_t bytes)
{
    meet("allocate_pinned");
    return inner().allocate_pinned(bytes);
}

std::unique_ptr<DeviceQueue> FaultyDevice::make_queue()
{
    meet("make_queue");
    return inner().make_queue();
}

void FaultyDevice::flush(DeviceQueue &queue)
{
    meet("flush");
    inner().flush(queue);
}

Event FaultyDevice::write(DeviceQueue &queue, const BufferSide &to, const void *from, std::int64_t from_pitch_bytes,
                          const Rectangle &rectangle, std::span<const Event> after)
{
    return meet_command("write", after, [&](std::span<const Event> events) {
        return inner().write(queue, to, from, from_pitch_bytes, rectangle, events);
    });
}

Event FaultyDevice::read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                         const Rectangle &rectangle, std::span<const Event> after)
{
    return meet_command("read", after, [&](std::span<const Event> events) {
        return inner().read(queue, from, to, to_pitch_bytes, rectangle, events);
    });
}

Event FaultyDevice::copy(DeviceQueue &queue, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
                         std::span<const Event> after)
{
    return meet_command(
        "copy", after, [&](std::span<const Event> events) { return inner().copy(queue, from, to, rectangle, events); });
}

Event FaultyDevice::launch(DeviceQueue &queue, Launch launch, std::span<const Event> after)
{
    return meet_command("launch", after, [&](std::span<const Event> events) {
        return inner().launch(queue, std::move(launch), events);
    });
}

Event FaultyDevice::make_gate()
{
    meet("make_gate");
    return inner().make_gate();
}

} // namespace support
