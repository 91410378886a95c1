#include "out_of_card/pipeline/flow.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

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

DeviceQueue &Flow::queue(Kind kind) { return *queues_[options_.in_one_queue ? kernel : kind]; }

Event Flow::keep(Kind kind, Event event, const HostBlock &read_into)
{
    pending_[kind].push_back({event, next_number_++, read_into});
    last_[kind] = event;
    session_.device().flush(queue(kind)); // or it may not begin until somebody waits
    return event;
}

// As the device's commands wait for them.
std::vector<Event> Flow::on_device(std::span<const Event> events)
{
    std::vector<Event> result;
    for (const auto &event : events)
        if (event) result.push_back(Staging::on_device(event));
    return result;
}

bool Flow::is_staged(const void *memory, std::int64_t pitch, const Rectangle &rectangle) const
{
    if (!staging_) return false;
    if (rectangle.rows > 1 && rectangle.row_bytes < options_.least_row_bytes) return true;
    return !session_.pinned_ranges().hold(memory, (rectangle.rows - 1) * pitch + rectangle.row_bytes);
}

// A staged write copies the host's bytes at once, and those of a staged read arrive by a thread of the host: the host waits. Commands of
// the device wait for each other.
void Flow::await_reads_into(const HostBlock &block, bool is_staged, std::vector<Event> &after)
{
    for (const auto &read : pending_[out]) {
        if (!overlap(block, read.read_into)) continue;
        if (!is_staged && !Staging::arrives_by_host(read.event))
            after.push_back(read.event);
        else if (read.event->wait() == EventState::failed)
            stop();
    }
}

Event Flow::write(const BufferSide &to, const void *from, std::int64_t from_pitch_bytes, const Rectangle &rectangle,
                  const std::vector<Event> &after)
{
    if (options_.without_transfers || rectangle.bytes() == 0) return nullptr;
    record_.bytes_to_device += rectangle.bytes();
    auto waits = on_device(after);
    const bool staged = is_staged(from, from_pitch_bytes, rectangle);
    await_reads_into(host_block(from, from_pitch_bytes, rectangle), staged, waits);
    if (!staged) return keep(in, session_.device().write(queue(in), to, from, from_pitch_bytes, rectangle, waits));
    record_.staged_bytes += rectangle.bytes();
    Event last;
    staging_->write(queue(in), to, from, from_pitch_bytes, rectangle, waits,
                    [&](const Event &event) { last = keep(in, event); });
    return last;
}

Event Flow::read(const BufferSide &from, void *to, std::int64_t to_pitch_bytes, const Rectangle &rectangle,
                 const std::vector<Event> &after)
{
    if (options_.without_transfers || rectangle.bytes() == 0) return nullptr;
    record_.bytes_from_device += rectangle.bytes();
    record_.read_began = true;
    const auto waits = on_device(after);
    const auto block = host_block(to, to_pitch_bytes, rectangle);
    if (!is_staged(to, to_pitch_bytes, rectangle))
        return keep(out, session_.device().read(queue(out), from, to, to_pitch_bytes, rectangle, waits), block);
    record_.staged_bytes += rectangle.bytes();
    Event last;
    staging_->read(queue(out), from, to, to_pitch_bytes, rectangle, waits,
                   [&](const Event &event) { last = keep(out, event, block); });
    return last;
}

Event Flow::copy(const BufferSide &from, const BufferSide &to, const Rectangle &rectangle,
                 const std::vector<Event> &after)
{
    if (rectangle.bytes() == 0) return nullptr;
    return keep(kernel, session_.device().copy(queue(kernel), from, to, rectangle, on_device(after)));
}

Event Flow::launch(Launch launch, const std::vector<Event> &after)
{
    ++record_.launches;
    return keep(kernel, session_.device().launch(queue(kernel), std::move(launch), on_device(after)));
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

void Flow::wait_for(const Event &event)
{
    if (!event) return;
    // Staged reads arrive later than direct ones that were given after them.
    for (const auto &pending : pending_) {
        const auto found = std::find_if(pending.begin(), pending.end(),
                                        [&](const Pending &command) { return command.event == event; });
        if (found == pending.end()) continue;
        for (auto command = pending.begin(); command <= found; ++command)
            if (command->event->wait() == EventState::failed) stop();
    }
    if (event->wait() == EventState::failed) stop();
    collect();
}

void Flow::collect()
{
    for (const auto kind : {in, kernel, out}) {
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
    constexpr const char *lines[] = {" in", " kernels", " out"}, *commands[] = {"send", "kernel", "fetch"};
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
    record_.kernel_seconds = ran_[kernel].seconds();
    record_.in_seconds = ran_[in].seconds();
    record_.out_seconds = ran_[out].seconds();
    record_.transfer_seconds = transfers.seconds();
    record_.overlap_seconds = common_seconds(transfers, ran_[kernel]);
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
