#include "out_of_card/pipeline/flow.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

void check_block(const HostBlock &block)
{
    if (block.rows < 1) fail_argument("rows is ", block.rows, "; it must be positive");
    if (block.row_bytes < 1) fail_argument("row_bytes is ", block.row_bytes, "; it must be positive");
    if (block.pitch_bytes < block.row_bytes)
        fail_argument("pitch_bytes is ", block.pitch_bytes, "; it must be at least row_bytes, ", block.row_bytes);
    const auto span = checked_mul(block.rows, block.pitch_bytes);
    if (!span || static_cast<std::uintptr_t>(*span) > std::numeric_limits<std::uintptr_t>::max() - block.address)
        fail_argument("rows is ", block.rows, " and pitch_bytes is ", block.pitch_bytes,
                      "; no array of this process is that long");
}

} // namespace

std::int64_t StepList::add_array(std::int64_t slots, std::int64_t slot_bytes)
{
    if (slots < 0) fail_argument("slots is ", slots, "; it must not be negative");
    if (slot_bytes < 1) fail_argument("block_bytes is ", slot_bytes, "; it must be positive");
    arrays_.push_back({slots, slot_bytes});
    return static_cast<std::int64_t>(arrays_.size()) - 1;
}

void StepList::use(std::int64_t array, Access access, const HostBlock &block)
{
    const auto count = static_cast<std::int64_t>(arrays_.size());
    if (array < 0 || array >= count) fail_argument("array is ", array, "; the pipeline has ", count, " arrays");
    check_block(block);
    const auto slot_bytes = arrays_[static_cast<std::size_t>(array)].slot_bytes;
    if (block.bytes() > slot_bytes)
        fail_argument("the block has ", block.bytes(), " bytes; array ", array, " was added with blocks of at most ",
                      slot_bytes);
    const auto [found, is_new] = known_.try_emplace({array, block}, static_cast<std::int32_t>(blocks_.size()));
    if (is_new) {
        blocks_.push_back(block);
        array_of_.push_back(static_cast<std::int32_t>(array));
    }
    open_.push_back({found->second, access});
}

void StepList::end_step()
{
    if (open_.empty())
        fail_argument(
            "the step has no blocks; call hpart_pipeline_read, hpart_pipeline_write or hpart_pipeline_update before");
    for (std::size_t i = 0; i < open_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const auto a = open_[i], b = open_[j];
            if (!writes(a.access) && !writes(b.access)) continue;
            if (a.block == b.block)
                fail_argument("blocks ", j, " and ", i, " of step ", steps_.size(),
                              " are the same, and one of them is written; add it once, by hpart_pipeline_update");
            if (overlap(blocks_[static_cast<std::size_t>(a.block)], blocks_[static_cast<std::size_t>(b.block)]))
                fail_argument("blocks ", j, " and ", i, " of step ", steps_.size(),
                              " overlap and one of them is written");
        }
    steps_.push_back(std::move(open_));
    open_.clear();
}

void IntervalUnion::add(const Interval &interval)
{
    if (!(interval.end > interval.start)) return;
    // From the back, since that is where nearly all of them belong.
    auto first = parts_.end();
    while (first != parts_.begin() && std::prev(first)->end >= interval.start) --first;
    auto merged = interval;
    auto last = first;
    for (; last != parts_.end() && last->start <= interval.end; ++last)
        merged = {std::min(merged.start, last->start), std::max(merged.end, last->end)};
    if (first == last)
        parts_.insert(first, merged);
    else {
        *first = merged;
        parts_.erase(first + 1, last);
    }
}

double IntervalUnion::seconds() const
{
    double sum = 0;
    for (const auto &[start, end] : parts_) sum += end - start;
    return sum;
}

IntervalUnion united(const IntervalUnion &a, const IntervalUnion &b)
{
    std::vector<Interval> all;
    all.reserve(a.parts().size() + b.parts().size());
    std::merge(a.parts().begin(), a.parts().end(), b.parts().begin(), b.parts().end(), std::back_inserter(all),
               [](const Interval &x, const Interval &y) { return x.start < y.start; });
    IntervalUnion result;
    for (const auto &interval : all) result.add(interval);
    return result;
}

double common_seconds(const IntervalUnion &a, const IntervalUnion &b)
{
    double sum = 0;
    auto x = a.parts().begin(), y = b.parts().begin();
    while (x != a.parts().end() && y != b.parts().end()) {
        sum += std::max(0.0, std::min(x->end, y->end) - std::max(x->start, y->start));
        if (x->end < y->end)
            ++x;
        else
            ++y;
    }
    return sum;
}

namespace
{

// For b > 0.
std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Row i of a and row j of b meet where -b.row_bytes < distance + (j - i) pitch < a.row_bytes: some j - i must do.
bool overlap_of_equal_pitch(const HostBlock &a, const HostBlock &b, std::int64_t distance)
{
    const auto pitch = a.pitch_bytes;
    const auto smallest = floor_of(-b.row_bytes - distance, pitch) + 1;
    const auto largest = floor_of(a.row_bytes - 1 - distance, pitch);
    return std::max(smallest, -(a.rows - 1)) <= std::min(largest, b.rows - 1);
}

} // namespace

HostBlock host_block(const void *memory, std::int64_t pitch_bytes, const Rectangle &rectangle)
{
    return {reinterpret_cast<std::uintptr_t>(memory), rectangle.rows, rectangle.row_bytes,
            std::max(pitch_bytes, rectangle.row_bytes)};
}

bool overlap(const HostBlock &a, const HostBlock &b)
{
    const auto distance = static_cast<std::int64_t>(b.address - a.address);
    if (distance >= a.span_bytes() || -distance >= b.span_bytes()) return false;
    if (a.pitch_bytes == b.pitch_bytes) return overlap_of_equal_pitch(a, b, distance);
    const auto &fewer = a.rows <= b.rows ? a : b, &other = a.rows <= b.rows ? b : a;
    for (std::int64_t row = 0; row < fewer.rows; ++row) {
        const HostBlock one{fewer.address + static_cast<std::uintptr_t>(row * fewer.pitch_bytes), 1, fewer.row_bytes,
                            other.pitch_bytes};
        if (overlap_of_equal_pitch(one, other, static_cast<std::int64_t>(other.address - one.address))) return true;
    }
    return false;
}

Area area_of(const BufferSide &side, const Rectangle &rectangle)
{
    return {side.buffer,
            {static_cast<std::uintptr_t>(side.offset_bytes), rectangle.rows, rectangle.row_bytes,
             std::max(side.pitch_bytes, rectangle.row_bytes)}};
}

bool may_meet(const Area &a, const Area &b)
{
    if (a.buffer != b.buffer || a.bytes.bytes() == 0 || b.bytes.bytes() == 0) return false;
    constexpr std::int64_t most_rows = 1000; // to look at one by one
    const bool is_exact = a.bytes.pitch_bytes == b.bytes.pitch_bytes ||
                          (a.buffer == nullptr && std::min(a.bytes.rows, b.bytes.rows) <= most_rows);
    if (is_exact) return overlap(a.bytes, b.bytes);
    const auto distance = static_cast<std::int64_t>(b.bytes.address - a.bytes.address);
    return distance < a.bytes.span_bytes() && -distance < b.bytes.span_bytes();
}

std::vector<std::vector<std::int32_t>> find_conflicts(const std::vector<HostBlock> &blocks,
                                                      const std::vector<bool> &is_written)
{
    std::vector<std::int32_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int32_t k) -> const HostBlock & { return blocks[static_cast<std::size_t>(k)]; };
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return at(a).address < at(b).address; });

    std::vector<std::vector<std::int32_t>> conflicts(blocks.size());
    std::vector<std::int32_t> open_written, open_read; // that reach beyond the address looked at
    const auto meet = [&](std::vector<std::int32_t> &open, std::int32_t k) {
        std::erase_if(open, [&](std::int32_t other) {
            return at(other).address + static_cast<std::uintptr_t>(at(other).span_bytes()) <= at(k).address;
        });
        for (const auto other : open)
            if (overlap(at(other), at(k))) {
                conflicts[static_cast<std::size_t>(other)].push_back(k);
                conflicts[static_cast<std::size_t>(k)].push_back(other);
            }
    };
    for (const auto k : order) {
        const bool written = is_written[static_cast<std::size_t>(k)];
        meet(open_written, k);
        if (written) meet(open_read, k);
        (written ? open_written : open_read).push_back(k);
    }
    return conflicts;
}

void FlowRecord::add(const FlowRecord &other)
{
    bytes_to_device += other.bytes_to_device;
    bytes_from_device += other.bytes_from_device;
    staged_bytes += other.staged_bytes;
    launches += other.launches;
    seconds += other.seconds;
    kernel_seconds += other.kernel_seconds;
    transfer_seconds += other.transfer_seconds;
    in_seconds += other.in_seconds;
    out_seconds += other.out_seconds;
    overlap_seconds += other.overlap_seconds;
    read_began = read_began || other.read_began;
}

FlowOptions FlowOptions::from(const Options &options)
{
    FlowOptions result;
    result.in_one_queue = options.get_int("queues") == 1;
    result.staging = staging_mode(options);
    return result;
}

Flow::Flow(DeviceSession &session, Control &control, const FlowOptions &options)
    : session_(session), control_(control), options_(options), staging_(Staging::of(session, options.staging))
{
    for (const auto kind : {in, kernel, out})
        if (kind == kernel || !options.in_one_queue) queues_[kind] = session.device().make_queue();
    start_ = Clock::now();
    setup_before_ = session.setup_seconds();
}

Flow::~Flow()
{
    if (!finished_) drain();
}

DeviceQueue &Flow::queue(Kind kind)
{
    if (options_.in_one_queue) return *queues_[kernel];
    if (kind == aside && !queues_[aside]) queues_[aside] = session_.device().make_urgent_queue();
    return *queues_[kind];
}

void Flow::keep(Kind kind, Event event, Uses uses, bool by_host)
{
    last_[kind] = event;
    pending_[kind].push_back({std::move(event), next_number_++, std::move(uses), by_host});
    session_.device().flush(queue(kind)); // or it may not begin until somebody waits
}

void Flow::keep(Kind kind, Event event) { keep(kind, std::move(event), {}); }

bool Flow::is_staged(const void *memory, std::int64_t pitch, const Rectangle &rectangle) const
{
    if (!staging_) return false;
    if (rectangle.rows > 1 && rectangle.row_bytes < options_.shortest_direct_row) return true;
    return !session_.pinned_ranges().hold(memory, (rectangle.rows - 1) * pitch + rectangle.row_bytes);
}

Flow::Conflict Flow::conflict_of(const Uses &earlier, const Uses &later)
{
    auto found = Conflict::none;
    const auto compare = [&](const std::vector<Area> &some, const std::vector<Area> &others) {
        for (const auto &one : some)
            for (const auto &other : others)
                if (may_meet(one, other))
                    found = std::max(found, one.buffer == nullptr ? Conflict::on_host : Conflict::on_device);
    };
    compare(earlier.writes, later.reads);
    compare(earlier.writes, later.writes);
    compare(earlier.reads, later.writes);
    return found;
}

// The events that a command waits for on the device: queues are in order, so the latest of each is enough. Staged reads are a queue of
// their own, since a thread gives them later, even to the only queue. In the host's memory a staged write copies at once, and a staged
// read is brought by that thread: there the host waits.
std::vector<Event> Flow::conflicts_of(Kind kind, const Uses &uses, bool is_staged)
{
    std::vector<Event> after;
    for (const auto other : all_kinds) {
        const bool on_host_too = moves(kind) && moves(other) && (kind == out || other == out);
        const bool is_same_queue = other == kind || options_.in_one_queue;
        bool is_ordered = is_same_queue, is_late_ordered = other != out || !staging_;
        for (auto earlier = pending_[other].rbegin(); earlier != pending_[other].rend(); ++earlier) {
            if (is_ordered && is_late_ordered && !on_host_too) break;
            const auto conflict = conflict_of(earlier->uses, uses);
            if (conflict == Conflict::none) continue;
            auto &ordered = earlier->by_host ? is_late_ordered : is_ordered;
            if (conflict == Conflict::on_host && (is_staged || earlier->by_host)) {
                await(earlier->event);
            } else if (!ordered) {
                after.push_back(Staging::on_device(earlier->event));
                ordered = true;
            }
        }
    }
    return after;
}

void Flow::await(const Event &event)
{
    if (event->wait() == EventState::failed) stop();
}

void Flow::write(const BufferSide &to, const void *from, std::int64_t from_pitch_bytes, const Rectangle &rectangle)
{
    if (options_.without_transfers || rectangle.bytes() == 0) return;
    record_.bytes_to_device += rectangle.bytes();
    Uses uses{{{nullptr, host_block(from, from_pitch_bytes, rectangle)}}, {area_of(to, rectangle)}};
    const bool staged = is_staged(from, from_pitch_bytes, rectangle);
    const auto after = conflicts_of(in, uses, staged);
    if (!staged)
        return keep(in, session_.device().write(queue(in), to, from, from_pitch_bytes, rectangle, after),
                    std::move(uses));
    record_.staged_bytes += rectangle.bytes();
    uses.reads.clear(); // it has them when this returns
    staging_->write(queue(in), to, from, from_pitch_bytes, rectangle, after,
                    [&](const Event &event) { keep(in, event); });
    pending_[in].back().uses = std::move(uses);
}

void Flow::read(const BufferSide &from, void *to, std::int64_t to_pitch_bytes, const Rectangle &rectangle)
{
    if (options_.without_transfers || rectangle.bytes() == 0) return;
    record_.bytes_from_device += rectangle.bytes();
    Uses uses{{area_of(from, rectangle)}, {{nullptr, host_block(to, to_pitch_bytes, rectangle)}}};
    const bool staged = is_staged(to, to_pitch_bytes, rectangle);
    const auto after = conflicts_of(out, uses, staged);
    record_.read_began = true;
    if (!staged)
        return keep(out, session_.device().read(queue(out), from, to, to_pitch_bytes, rectangle, after),
                    std::move(uses));
    record_.staged_bytes += rectangle.bytes();
    staging_->read(queue(out), from, to, to_pitch_bytes, rectangle, after,
                   [&](const Event &event) { keep(out, event, {}, true); });
    pending_[out].back().uses = std::move(uses);
}

void Flow::copy(Kind kind, const BufferSide &from, const BufferSide &to, const Rectangle &rectangle)
{
    if (rectangle.bytes() == 0) return;
    Uses uses{{area_of(from, rectangle)}, {area_of(to, rectangle)}};
    const auto after = conflicts_of(kind, uses, false);
    keep(kind, session_.device().copy(queue(kind), from, to, rectangle, after), std::move(uses));
}

void Flow::copy(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle)
{
    copy(kernel, from, to, rectangle);
}

void Flow::copy_aside(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle)
{
    copy(aside, from, to, rectangle);
}

void Flow::launch(Kind kind, Launch launch, Uses uses)
{
    ++record_.launches;
    const auto after = conflicts_of(kind, uses, false);
    keep(kind, session_.device().launch(queue(kind), std::move(launch), after), std::move(uses));
}

void Flow::launch(Launch launch, std::vector<Area> reads, std::vector<Area> writes)
{
    this->launch(kernel, std::move(launch), {std::move(reads), std::move(writes)});
}

void Flow::launch_aside(Launch launch, std::vector<Area> reads, std::vector<Area> writes)
{
    this->launch(aside, std::move(launch), {std::move(reads), std::move(writes)});
}

void Flow::next_step(double fraction, const char *what)
{
    // A step is over when its kernels are: what reads results out is waited for by those who use the memory again.
    Step step;
    if (last_[kernel])
        step.push_back(last_[kernel]);
    else
        std::copy_if(std::begin(last_), std::end(last_), std::back_inserter(step),
                     [](const Event &event) { return event != nullptr; });
    for (auto &event : last_) event.reset();
    steps_.push_back(std::move(step));
    while (steps_.size() > static_cast<std::size_t>(options_.lookahead)) {
        for (const auto &event : steps_.front())
            if (event->wait() == EventState::failed) stop();
        steps_.pop_front();
    }
    collect();
    control_.report_progress(fraction, what);
}

bool Flow::uses(const Pending &command, const Area &area)
{
    const auto meets = [&](const Area &other) { return may_meet(area, other); };
    return std::ranges::any_of(command.uses.reads, meets) || std::ranges::any_of(command.uses.writes, meets);
}

void Flow::wait_for(const Area &area)
{
    // Staged reads arrive later than direct reads that were given after them.
    for (const auto &pending : pending_) {
        const auto last = std::find_if(pending.rbegin(), pending.rend(), [&](const Pending &command) {
                              return uses(command, area);
                          }).base();
        for (auto command = pending.begin(); command != last; ++command) await(command->event);
    }
    collect();
}

bool Flow::is_used(const Area &area) const
{
    return std::ranges::any_of(pending_, [&](const auto &pending) {
        return std::ranges::any_of(pending, [&](const Pending &command) {
            return uses(command, area) && command.event->state() == EventState::pending;
        });
    });
}

void Flow::collect()
{
    for (const auto kind : all_kinds) {
        auto &pending = pending_[kind];
        while (!pending.empty()) {
            const auto state = pending.front().event->state();
            if (state == EventState::pending) break;
            if (state == EventState::failed) stop();
            const auto ran = pending.front().event->interval();
            ran_[kind].add(ran);
            if (auto *const to = timeline(); to != nullptr && ran.end > ran.start) note_command(*to, kind, ran);
            pending.pop_front();
        }
    }
}

// The clocks have nothing in common, but no command ends after it is seen to be over; some are seen at once.
void Flow::note_command(Timeline &timeline, Kind kind, const Interval &ran)
{
    if (traced_.size() < Timeline::most_commands)
        traced_.push_back({kind, ran});
    else
        timeline.leave_out();
    clocks_apart_ = std::max(clocks_apart_, ran.end - timeline.now());
}

void Flow::fill(Timeline &timeline) const
{
    constexpr const char *lines[] = {" in", " kernels", " out", " panels"},
                         *commands[] = {"send", "kernel", "fetch", "panel"};
    for (const auto &[kind, ran] : traced_)
        timeline.add(session_.info().spec + lines[kind], commands[kind], ran.start - clocks_apart_,
                     ran.end - clocks_apart_);
}

void Flow::finish()
{
    for (auto &pending : pending_)
        for (const auto &command : pending)
            if (command.event->wait() == EventState::failed) stop();
    collect();
    if (auto *const to = timeline()) fill(*to);
    if (staging_) staging_->settle();
    finished_ = true;
    record_.seconds = seconds_since(start_) - (session_.setup_seconds() - setup_before_);
    const auto transfers = united(ran_[in], ran_[out]);
    const auto kernels = united(ran_[kernel], ran_[aside]);
    record_.kernel_seconds = kernels.seconds();
    record_.in_seconds = ran_[in].seconds();
    record_.out_seconds = ran_[out].seconds();
    record_.transfer_seconds = transfers.seconds();
    record_.overlap_seconds = common_seconds(transfers, kernels);
}

void Flow::stop()
{
    drain();
    // The one given first has failed by itself; others may have failed because they wait for it.
    const Pending *first = nullptr;
    for (const auto &pending : pending_)
        for (const auto &command : pending)
            if (command.event->state() == EventState::failed && (first == nullptr || command.number < first->number))
                first = &command;
    if (first != nullptr) Staging::rethrow_failure_of(first->event);
    fail(first != nullptr ? first->event->failure_status() : Status::device, "a command on ", session_.info().spec,
         " failed: ", first != nullptr ? first->event->failure() : "the driver does not say why");
}

void Flow::drain() noexcept
{
    for (const auto &pending : pending_)
        for (const auto &command : pending) command.event->wait();
    if (staging_) staging_->settle();
}

} // namespace hpart
