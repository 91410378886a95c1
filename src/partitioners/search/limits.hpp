// Status::limit stops a search at the caller's limits; the objectives turn it into bound and incumbent.
#pragma once

#include "core/error.hpp"
#include "core/progress.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace hpart
{

enum class Outcome : std::uint8_t {
    found,
    none, // proved: there is no choice
    limit // time or memory was up first; the best known is given, if any
};

// The result of `solve`, or nothing if it meets a limit.
template <typename Solve> auto within_limits(const Solve &solve) -> std::optional<decltype(solve())>
{
    try {
        return solve();
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return std::nullopt;
}

// `solve` returns whether it found something.
template <typename Solve> Outcome outcome_of(const Solve &solve)
{
    return within_limits([&] { return solve() ? Outcome::found : Outcome::none; }).value_or(Outcome::limit);
}

inline void check_time(const Control &control)
{
    if (control.time_is_up()) fail(Status::limit, "the time limit was reached before the optimum was proved");
}

[[noreturn]] inline void fail_memory(std::int64_t limit_bytes)
{
    fail(Status::limit, "the search needs more working memory than memory_limit, which is ", limit_bytes, " bytes");
}

// Looks at the clock and the callback once in so many units of work.
class Pacer
{
  public:
    Pacer(Control &control, const char *what) : Pacer(&control, what) {}
    // Without a control it never ends.
    Pacer(Control *control, const char *what) : control_(control), what_(what) {}

    void spend(std::int64_t work)
    {
        spent_ += work;
        if (spent_ < next_) return;
        next_ = interval;
        const auto spent = std::exchange(spent_, 0);
        if (control_ == nullptr) return;
        control_->count_work(spent);
        check_time(*control_);
        control_->report_progress(-1, what_);
    }

  private:
    static constexpr std::int64_t interval = 1 << 20; // about a millisecond
    Control *control_;
    const char *what_;
    std::int64_t spent_ = 0;
    std::int64_t next_ = 0; // the first call looks
};

// A comparison that counts as work, so that a long sort or merge ends at the limits.
template <typename Less> auto paced(Pacer &pacer, Less less)
{
    return [&pacer, less](const auto &a, const auto &b) {
        pacer.spend(1);
        return less(a, b);
    };
}

} // namespace hpart
