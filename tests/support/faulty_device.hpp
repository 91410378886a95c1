// A device one of whose calls fails. Usual test: for k = 1, 2, ... until a run meets no fault any more, the operation gives
// the right status, nothing of the device is left alive, and the next call is right.
#pragma once

#include "timer.hpp"
#include "wrapping_device.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

namespace support
{

enum class Fault : std::uint8_t {
    throws,       // the call throws Status::device
    no_memory,    // the call throws Status::out_of_memory
    failed_event, // a command's event has failed when it comes back; other calls throw
    fails_later,  // the same, some milliseconds after
    late,         // a command ends late; other calls take long
    gone,         // this call and all after it throw Status::device
    full,         // from this call on, those that need memory throw Status::out_of_memory
};

// But the last, which an operation survives only where it needs no memory any more.
constexpr Fault all_faults[] = {Fault::throws,      Fault::no_memory, Fault::failed_event,
                                Fault::fails_later, Fault::late,      Fault::gone};
const char *name_of(Fault fault);

class FaultyDevice final : public WrappingDevice
{
  public:
    using WrappingDevice::WrappingDevice;

    // Counts anew; the k-th call from now on, k = 1, 2, ..., has the fault. None: k = 0.
    void set_fault(std::int64_t k, Fault fault);
    // Since set_fault: allocations, queues, flushes, commands, gates.
    std::int64_t calls() const { return calls_; }
    bool has_met_fault() const { return met_; }
    // True if the action meets it; there is none any more afterwards.
    template <typename Action> bool meets(std::int64_t k, Fault fault, const Action &action)
    {
        set_fault(k, fault);
        action();
        const bool met = met_;
        set_fault(0, fault);
        return met;
    }
    // True if an operation that meets this fault may still succeed: it retries, or has only to wait.
    static bool may_succeed(Fault fault) { return fault == Fault::late || fault == Fault::no_memory; }

    // When what was delayed is over.
    const hpart::Census &census() const override;

    std::unique_ptr<hpart::DeviceBuffer> allocate(std::int64_t bytes) override;
    std::unique_ptr<hpart::DeviceBuffer> wrap_host(void *memory, std::int64_t bytes) override;
    std::unique_ptr<hpart::PinnedMemory> allocate_pinned(std::int64_t bytes) override;
    std::unique_ptr<hpart::DeviceQueue> make_queue() override;
    void flush(hpart::DeviceQueue &queue) override;
    hpart::Event make_gate() override;

  private:
    bool is_due(bool needs_memory = false);
    [[noreturn]] void fail_call(const char *call) const;
    void meet(const char *call, bool needs_memory = false);
    hpart::Event give(const Command &command, hpart::DeviceQueue &queue, Events after, const Call &call) override;
    // The events that the queue's next command waits for, besides its own.
    std::vector<hpart::Event> take_over(const hpart::DeviceQueue &queue);
    void hand_on(const hpart::DeviceQueue &queue, std::span<const hpart::Event> events);

    std::atomic<std::int64_t> calls_{0}, due_{0};
    std::atomic<Fault> fault_{Fault::throws};
    std::atomic<bool> met_{false};
    // Commands that were not given to the device inside: those after them in their queues rely on these events.
    mutable std::mutex mutex_;
    mutable std::map<const hpart::DeviceQueue *, std::vector<hpart::Event>> handed_on_;
    mutable Timer timer_;
};

} // namespace support
