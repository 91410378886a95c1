// Commands in flight on a device: three in-order queues (in, kernel, out), events between them, a bounded look-ahead, and the
// account of what was moved and when. The operations of this folder's neighbours are lists of these commands.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "core/timeline.hpp"
#include "out_of_card/devices/device_session.hpp"
#include "out_of_card/pipeline/blocks.hpp"
#include "out_of_card/pipeline/intervals.hpp"
#include "out_of_card/pipeline/staging.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace hpart
{

// An account of a flow.
struct FlowRecord {
    std::int64_t bytes_to_device = 0;
    std::int64_t bytes_from_device = 0;
    std::int64_t staged_bytes = 0; // of those, what went through pinned memory of ours
    std::int64_t launches = 0;
    double seconds = 0; // of the wall, from the flow's start to the end of finish, without what set the device up
    double kernel_seconds = 0;   // unions of the times in which commands of a kind ran
    double transfer_seconds = 0; // either way
    double in_seconds = 0;
    double out_seconds = 0;
    double overlap_seconds = 0; // of transfers, while a kernel ran
    bool read_began = false;    // the caller's result may be changed in part

    // Adds another flow's that ran after this one.
    void add(const FlowRecord &other);
};

struct FlowOptions {
    int lookahead = 2;              // steps that may be in flight besides the one that is being given
    bool in_one_queue = false;      // all commands in one queue: for measurements
    bool without_transfers = false; // writes and reads are dropped: for the rate of the kernels alone
    StagingMode staging = StagingMode::automatic;
    // With staging, rectangles of pinned memory with shorter rows are staged too.
    std::int64_t least_row_bytes = 0;

    // Options queues and staging.
    static FlowOptions from(const Options &options);
};

// Use: commands of a step, next_step(), ..., finish(). A call throws what a command failed with (Status::device and what
// it was), or Status::cancelled; before it does, no more is given, the queues are drained, and all is released.
// Destroyed without finish, it drains as well: neither buffers nor the caller's arrays are used after that. So buffers are
// declared before their flow.
class Flow
{
  public:
    Flow(DeviceSession &session, Control &control, const FlowOptions &options = {});
    Flow(const Flow &) = delete;
    Flow &operator=(const Flow &) = delete;
    ~Flow();

    DeviceSession &session() { return session_; }
    // Null if nobody wants it, and for kernels alone.
    Timeline *timeline() const { return options_.without_transfers ? nullptr : control_.timeline().get(); }

    // Null events in `after` are passed over; an empty rectangle, or a transfer that is dropped, gives a null event. Copies
    // on the device are in the kernel queue. A write sends what earlier reads of this flow bring to the same memory.
    Event write(const BufferSide &to, const void *from, std::int64_t from_pitch_bytes, const Rectangle &rectangle,
                const std::vector<Event> &after = {});
    Event read(const BufferSide &from, void *to, std::int64_t to_pitch_bytes, const Rectangle &rectangle,
               const std::vector<Event> &after = {});
    Event copy(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
               const std::vector<Event> &after = {});
    Event launch(Launch launch, const std::vector<Event> &after = {});

    // Ends a step: waits for the one `lookahead` before it, looks at the events that are over, tells progress.
    void next_step(double fraction, const char *what);
    // Waits for this event and all of its kind given before it (to use on the host what was read), as next_step does.
    void wait_for(const Event &event);
    // Waits for all; the record is then complete.
    void finish();
    const FlowRecord &record() const { return record_; }

  private:
    enum Kind : std::uint8_t { in, kernel, out };
    struct Pending {
        Event event;
        std::int64_t number; // in the order in which commands were given
        HostBlock read_into; // empty for what is no read
    };
    using Step = std::vector<Event>; // what its end waits for

    DeviceQueue &queue(Kind kind);
    Event keep(Kind kind, Event event, const HostBlock &read_into = {});
    void await_reads_into(const HostBlock &block, bool is_staged, std::vector<Event> &after);
    static std::vector<Event> on_device(std::span<const Event> events);
    bool is_staged(const void *memory, std::int64_t pitch, const Rectangle &rectangle) const;
    void collect();
    void note_command(Timeline &timeline, Kind kind, const Interval &ran);
    void fill(Timeline &timeline) const;
    [[noreturn]] void stop();
    void drain() noexcept;

    DeviceSession &session_;
    Control &control_;
    FlowOptions options_;
    Clock::time_point start_;
    double setup_before_ = 0;          // of the device
    std::shared_ptr<Staging> staging_; // null: transfers go directly
    std::unique_ptr<DeviceQueue> queues_[3];
    std::deque<Pending> pending_[3];
    std::int64_t next_number_ = 0;
    std::deque<Step> steps_; // in flight
    Event last_[3];          // of the step that is being given
    IntervalUnion ran_[3];
    struct Traced {
        Kind kind{};
        Interval ran;
    };
    std::vector<Traced> traced_;                                     // for the timeline
    double clocks_apart_ = -std::numeric_limits<double>::infinity(); // the device's clock less the timeline's, or less
    FlowRecord record_;
    bool finished_ = false;
};

} // namespace hpart
