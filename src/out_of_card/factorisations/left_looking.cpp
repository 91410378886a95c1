#include "out_of_card/factorisations/left_looking.hpp"

#include "host/blas.hpp"
#include "out_of_card/factorisations/device_work.hpp"

namespace hpart
{

namespace
{

// A thread's data must outlive it, whatever happens meanwhile.
template <typename Future> struct WaitForIt {
    Future &future;
    explicit WaitForIt(Future &waited_for) : future(waited_for) {}
    WaitForIt(const WaitForIt &) = delete;
    WaitForIt &operator=(const WaitForIt &) = delete;
    ~WaitForIt()
    {
        if (future.valid() && future.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) future.wait();
    }
};

} // namespace

std::int64_t LeftLooking::run()
{
    const WaitForIt before_leaving{factoring_};
    if (has_first_panel_on_host()) start_factoring(0);
    for (std::int64_t first = 0; first < shape_.columns; first += shape_.resident) {
        block_ = {first, std::min(shape_.resident, shape_.columns - first)};
        if (!run_block()) return info_;
    }
    join(panels() - 1);
    settle_accepted();
    fetch_now();
    finish();
    return info_;
}

void LeftLooking::fetch_above(const DeviceBlock &resident, const Columns &columns, const HostMatrix &a)
{
    const auto rows = std::min(columns.first, diagonal_);
    if (!a.row_major && columns.count > 0 && rows > 0)
        work_.fetch(resident.block(0, columns.first - block_.first, rows, columns.count),
                    a.block(0, columns.first, rows, columns.count));
}

std::int64_t LeftLooking::panels_of_group(std::int64_t k) const
{
    const auto left = std::min((block_.first - panel_begin(k)) / shape_.panel, panels() - k);
    return std::clamp<std::int64_t>(shape_.streamed / shape_.panel, 1, std::max<std::int64_t>(1, left));
}

void LeftLooking::fetch_later(const DeviceBlock &from, const HostMatrix &to)
{
    fetch_now();
    later_ = {from, to};
}

void LeftLooking::fetch_now()
{
    if (later_) work_.fetch(later_->from, later_->to);
    later_.reset();
}

void LeftLooking::send_block(const DeviceBlock &resident, const HostMatrix &a)
{
    // A device that factors panels begins with the first columns; rows of parts would be short.
    if (!has_first_panel_on_host())
        return send_up_to(resident, a, block_.first + block_.count, a.row_major ? shape_.resident : shape_.panel);
    const auto sent = sent_of_block();
    work_.send(resident.block(0, sent.first - block_.first, a.rows, sent.count),
               a.block(0, sent.first, a.rows, sent.count));
}

void LeftLooking::send_behind(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end)
{
    if (end <= block_.first) return;
    // Rows of single panels would be short.
    const auto at_once = a.row_major ? std::max(shape_.panel, shape_.streamed) : shape_.panel;
    send_up_to(resident, a, std::min(shape_.columns, end / at_once * at_once + shape_.resident), at_once);
}

void LeftLooking::send_up_to(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end, std::int64_t at_once)
{
    for (std::int64_t count = 0; sent_ < end; sent_ += count) {
        count = std::min(at_once, end - sent_);
        work_.send(resident.block(0, sent_ % shape_.resident, a.rows, count), a.block(0, sent_, a.rows, count));
    }
}

bool LeftLooking::run_block()
{
    const auto end = block_.first + block_.count;
    fetch_now();
    begin_block();
    if (block_.first == 0 && !has_first_panel_on_host()) {
        fetch_panel(0);
        start_factoring(0);
    }
    for (std::int64_t k = 0, next = 0; k < panels() && panel_end(k) < end; k = next) {
        next = k + (panel_end(k) <= block_.first ? streamed_together(k) : 1);
        if (!join(k)) return false;
        const auto &slot = stream(k);
        const auto first = std::max(panel_end(next - 1), block_.first);
        const bool next_is_here = next < panels() && panel_begin(next) >= block_.first;
        const auto rest = next_is_here ? panel_end(next) : first;
        if (next_is_here) apply(k, slot, {first, rest - first});
        const auto fetched = next_is_here ? fetch_panel(next) : HostMatrix{};
        if (rest < end) apply(k, slot, {rest, end - rest});
        settle_accepted();
        fetch_now();
        work_beside(k);
        if (next_is_here) {
            work_.wait_for(fetched);
            start_factoring(next);
        }
        work_.next_step(fraction(next - 1));
    }
    if (const auto first = std::max(diagonal_, block_.first); first < end) fetch_behind({first, end - first});
    // A slot holds the panel until then.
    if (shape_.panels_on_device && factoring_.valid() && !join(accepted_)) return false;
    settle_accepted();
    return !makes_panels_on_device() || end_block();
}

// Makes the block's last panel while its columns are there.
bool LeftLooking::end_block()
{
    const auto end = block_.first + block_.count, last = ceil_div(end, shape_.panel) - 1;
    if (last >= panels() || panel_end(last) != end || !is_applied(last)) return true;
    prepare_block({end, std::min(shape_.resident, shape_.columns - end)});
    if (!join(last)) return false;
    stream(last);
    return true;
}

void LeftLooking::start_factoring(std::int64_t k)
{
    // The device has nothing else to do beside the last one. Nor beside the first: but the BLAS's threads would spin for
    // milliseconds after it, on cores that the kernels want.
    const bool is_alone = k + 1 == panels();
    const bool takes_one_thread = !is_alone && competes_with_host(work_.flow().session());
    // If join() is next, it does the work: a new thread would get a core late, while kernels run on all of them.
    const bool is_last_of_block = panel_end(k) == block_.first + block_.count;
    // A simulated host has one thread.
    const bool work_is_between =
        is_last_of_block && !is_alone && !makes_panels_on_device() && !shape_.panels_on_device && !work_.is_simulated();
    factoring_ = std::async(work_is_between ? std::launch::async : std::launch::deferred, [this, k, takes_one_thread] {
        std::optional<SingleThreadedBlas> one_thread;
        if (takes_one_thread) one_thread.emplace();
        const auto start = Clock::now();
        const auto info = factor_panel(k);
        const auto seconds = seconds_since(start);
        if (auto *const timeline = work_.flow().timeline())
            timeline->add("host", "panel", timeline->now() - seconds, timeline->now());
        return Factored{info, seconds};
    });
}

bool LeftLooking::join(std::int64_t k)
{
    if (k < accepted_) return true;
    const auto factored = factoring_.get();
    panel_seconds_ += factored.seconds;
    if (factored.info > 0 && info_ == 0) info_ = panel_begin(k) + factored.info;
    if (info_ > 0 && ends_at_info()) return false;
    accept(k);
    accepted_ = k + 1;
    return true;
}

void LeftLooking::settle_accepted()
{
    for (; settled_ < accepted_; ++settled_) settle(settled_);
}

// Part of the columns' work that is done: blocks before this one, and this one's panels.
double LeftLooking::fraction(std::int64_t k) const
{
    const auto columns = static_cast<double>(shape_.columns);
    const auto done = static_cast<double>(block_.first), here = static_cast<double>(block_.count);
    const auto applied = std::min(1.0, static_cast<double>(panel_end(k)) / (done + here));
    return (done * done + applied * ((done + here) * (done + here) - done * done)) / (columns * columns);
}

} // namespace hpart
