#include "out_of_card/factorisations/left_looking.hpp"
#include "host/blas.hpp"

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
    start_factoring(0);
    for (std::int64_t first = 0; first < shape_.columns; first += shape_.resident) {
        block_ = {first, std::min(shape_.resident, shape_.columns - first)};
        if (!run_block()) return info_;
    }
    join(panels() - 1);
    settle_accepted();
    finish();
    return info_;
}

bool LeftLooking::run_block()
{
    const auto end = block_.first + block_.count;
    begin_block();
    for (std::int64_t k = 0; k < panels() && panel_end(k) < end; ++k) {
        if (!join(k)) return false;
        const auto &slot = stream(k);
        const auto first = std::max(panel_end(k), block_.first);
        const bool next_is_here = k + 1 < panels() && panel_begin(k + 1) >= block_.first;
        const auto rest = next_is_here ? panel_end(k + 1) : first;
        if (next_is_here) apply(k, slot, {first, rest - first});
        const auto fetched = next_is_here ? fetch_panel(k + 1) : HostMatrix{};
        if (rest < end) apply(k, slot, {rest, end - rest});
        settle_accepted();
        if (next_is_here) {
            work_.wait_for(fetched);
            start_factoring(k + 1);
        }
        work_.next_step(fraction(k));
    }
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
    const bool work_is_between = is_last_of_block && !is_alone && !makes_panels_on_device();
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
