// Commands in flight on a device: three in-order queues (in, kernel, out), a bounded look-ahead, and the account of what was
// moved and when. The operations of this folder's neighbours are lists of these commands. Each names the memory that it uses,
// and the result is as if the commands ran one after another.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/pipeline/staging.hpp"

#include <compare>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <vector>

namespace hpart
{

// Unions of intervals of time that arrive nearly in order.

class IntervalUnion
{
  public:
    void add(const Interval &interval);
    // Sorted and disjoint.
    const std::vector<Interval> &parts() const { return parts_; }
    double seconds() const;

  private:
    std::vector<Interval> parts_;
};

IntervalUnion united(const IntervalUnion &a, const IntervalUnion &b);
// Seconds that are in both.
double common_seconds(const IntervalUnion &a, const IntervalUnion &b);

// Blocks of host arrays: rows of bytes at equal distances.

struct HostBlock {
    std::uintptr_t address = 0;
    std::int64_t rows = 0;
    std::int64_t row_bytes = 0;
    std::int64_t pitch_bytes = 0; // at least row_bytes
    std::int64_t bytes() const { return rows * row_bytes; }
    // From the first byte to behind the last one.
    std::int64_t span_bytes() const { return (rows - 1) * pitch_bytes + row_bytes; }
    auto operator<=>(const HostBlock &) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};

// The host's side of a transfer.
HostBlock host_block(const void *memory, std::int64_t pitch_bytes, const Rectangle &rectangle);

// True if they have a byte in common. Blocks side by side in a matrix have none, though their rows alternate in memory.
bool overlap(const HostBlock &a, const HostBlock &b);

// Bytes that a command reads or writes: of a device's buffer, where addresses count from its first byte, or of the host.
struct Area {
    const DeviceBuffer *buffer = nullptr; // null: the host's
    HostBlock bytes;
};

Area area_of(const BufferSide &side, const Rectangle &rectangle);
// True if they have a byte in common, and where to know that would take longer than to wait: for rows of different distances.
bool may_meet(const Area &a, const Area &b);

// Returns each block's partners: the blocks that overlap it, if one of the two is written.
std::vector<std::vector<std::int32_t>> find_conflicts(const std::vector<HostBlock> &blocks,
                                                      const std::vector<bool> &is_written);

// The steps of a user's pipeline in order, each with the blocks that its kernel reads and writes.

enum class Access : std::uint8_t { in = 1, out = 2, inout = 3 };

constexpr bool reads(Access access) { return access != Access::out; }
constexpr bool writes(Access access) { return access != Access::in; }

// Blocks of an array share its ring of buffers on the device.
struct RingOfBuffers {
    std::int64_t slots;      // 0: as many as the fullest step needs, and one more where that fits
    std::int64_t slot_bytes; // of its largest block
};

struct Use {
    std::int32_t block; // in StepList::blocks
    Access access;
};

class StepList
{
  public:
    std::int64_t add_array(std::int64_t slots, std::int64_t slot_bytes);
    // A block of the step that is being written. Fails for a block that the array's buffers do not hold.
    void use(std::int64_t array, Access access, const HostBlock &block);
    // Fails for a step of no blocks, and for a step that writes a block which overlaps another: what the kernel would see is not
    // defined.
    void end_step();

    const std::vector<RingOfBuffers> &arrays() const { return arrays_; }
    const std::vector<HostBlock> &blocks() const { return blocks_; }
    std::int32_t array_of(std::int32_t block) const { return array_of_[static_cast<std::size_t>(block)]; }
    const std::vector<std::vector<Use>> &steps() const { return steps_; }
    bool has_open_step() const { return !open_.empty(); }

  private:
    std::vector<RingOfBuffers> arrays_;
    std::vector<HostBlock> blocks_; // distinct in an array
    std::vector<std::int32_t> array_of_;
    std::map<std::pair<std::int64_t, HostBlock>, std::int32_t> known_;
    std::vector<std::vector<Use>> steps_;
    std::vector<Use> open_;
};

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
    int lookahead = 2;              // steps that may be in flight besides the step being given
    bool in_one_queue = false;      // all commands in one queue: for measurements
    bool without_transfers = false; // writes and reads are dropped: for the rate of the kernels alone
    StagingMode staging = StagingMode::automatic;
    // With staging, rectangles of pinned memory with shorter rows are staged too.
    std::int64_t shortest_direct_row = 0;

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

    // An empty rectangle, or a transfer that is dropped, is no command. Copies on the device are in the kernel queue.
    void write(const BufferSide &to, const void *from, std::int64_t from_pitch_bytes, const Rectangle &rectangle);
    void read(const BufferSide &from, void *to, std::int64_t to_pitch_bytes, const Rectangle &rectangle);
    void copy(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle);
    void copy_aside(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle);
    // A launch may read the memory that it writes, too. Memory that only launches use need not be named: they run in order.
    void launch(Launch launch, std::vector<Area> reads = {}, std::vector<Area> writes = {});
    // In a queue of urgent commands, which run beside other kernels. All memory that they share with others must be named.
    void launch_aside(Launch launch, std::vector<Area> reads, std::vector<Area> writes);

    // Ends a step: waits for the one `lookahead` before it, looks at the events that are over, tells progress.
    void next_step(double fraction, const char *what);
    // Waits until no command uses this memory, as next_step does: before the host reads, changes or frees it.
    void wait_for(const Area &area);
    // False if wait_for need not wait.
    bool is_used(const Area &area) const;
    // Waits for all; the record is then complete.
    void finish();
    const FlowRecord &record() const { return record_; }

  private:
    enum Kind : std::uint8_t { in, kernel, out, aside };
    static constexpr Kind all_kinds[] = {in, kernel, out, aside};
    static bool moves(Kind kind) { return kind == in || kind == out; }
    struct Uses {
        std::vector<Area> reads, writes;
    };
    struct Pending {
        Event event;
        std::int64_t number; // in the order in which commands were given
        Uses uses;
        bool by_host = false; // a staged read, whose bytes a thread of the host brings
    };
    enum class Conflict : std::uint8_t { none, on_device, on_host };
    using Step = std::vector<Event>; // what its end waits for

    DeviceQueue &queue(Kind kind);
    void copy(Kind kind, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle);
    void launch(Kind kind, Launch launch, Uses uses);
    void keep(Kind kind, Event event);
    void keep(Kind kind, Event event, Uses uses, bool by_host = false);
    static bool uses(const Pending &command, const Area &area);
    static Conflict conflict_of(const Uses &earlier, const Uses &later);
    std::vector<Event> conflicts_of(Kind kind, const Uses &uses, bool is_staged);
    void await(const Event &event);
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
    double setup_before_ = 0;                // of the device
    std::shared_ptr<Staging> staging_;       // null: transfers go directly
    std::unique_ptr<DeviceQueue> queues_[4]; // the last one when it is first needed
    std::deque<Pending> pending_[4];
    std::int64_t next_number_ = 0;
    std::deque<Step> steps_; // in flight
    Event last_[4];          // of the step that is being given
    IntervalUnion ran_[4];
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
