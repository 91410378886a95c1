// The clock of budgets, limits, progress, meters and profiles: the steady clock, unless a test replaces it.
#pragma once

#include "core/text.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace hpart
{

// A clock of a test: tests/support/fake_clock.hpp.
class ClockSource
{
  public:
    using TimePoint = std::chrono::steady_clock::time_point;
    ClockSource() = default;
    ClockSource(const ClockSource &) = delete;
    ClockSource &operator=(const ClockSource &) = delete;
    virtual TimePoint now() = 0;
    virtual void sleep_until(TimePoint end) = 0;
    // May return early, as a condition variable's wait does.
    virtual void wait_until(std::condition_variable &changed, std::unique_lock<std::mutex> &lock, TimePoint end) = 0;
    virtual std::thread start(std::function<void()> action) = 0;

  protected:
    ~ClockSource() = default;
};

class Clock
{
  public:
    using time_point = ClockSource::TimePoint;
    using duration = time_point::duration;
    using rep = duration::rep;
    using period = duration::period;
    static constexpr bool is_steady = true;

    static time_point now()
    {
        auto *const source = source_.load(std::memory_order_relaxed);
        return source == nullptr ? std::chrono::steady_clock::now() : source->now();
    }
    static void sleep_until(time_point end)
    {
        if (auto *const source = source_.load(); source != nullptr) return source->sleep_until(end);
        std::this_thread::sleep_until(end);
    }
    static void sleep_for(duration time) { sleep_until(now() + time); }
    // Returns is_done(), which is true unless the time is up.
    template <typename Predicate>
    static bool wait_until(std::condition_variable &changed, std::unique_lock<std::mutex> &lock, time_point end,
                           Predicate is_done)
    {
        auto *const source = source_.load();
        if (source == nullptr) return changed.wait_until(lock, end, is_done);
        while (!is_done()) {
            if (source->now() >= end) return false;
            source->wait_until(changed, lock, end);
        }
        return true;
    }
    // A thread that waits on this clock again and again: a test's clock moves when it waits.
    template <typename Action> static std::thread thread(Action action)
    {
        auto *const source = source_.load();
        return source == nullptr ? std::thread(std::move(action)) : source->start(std::move(action));
    }

    // White-box tests only; nullptr: the steady clock again.
    static void replace(ClockSource *source) { source_ = source; }

  private:
    static inline std::atomic<ClockSource *> source_ = nullptr;
};

inline double seconds_since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The step of a clock's values, if they are printed, too.

// printed: the unit of the value's last decimal as it was printed; 0.50 does not show it. The step of a binary clock may be longer.
inline double clock_step(double value, std::optional<double> printed)
{
    const double step = clock_step(value);
    if (!printed) return step;
    return step > decimal_step(value) ? std::max(step, *printed) : *printed;
}

} // namespace hpart
