// A clock that moves only when somebody sleeps on it, when a test moves it, or by a step at each look.
#pragma once

#include "core/clock.hpp"

#include <algorithm>
#include <list>

namespace support
{

// Replaces hpart's clock while it lives. Threads that wait on it wake at their times in order, and the clock moves on when they wait
// again: a meter's readings are at exact times.
class FakeClock final : public hpart::ClockSource
{
  public:
    explicit FakeClock(double seconds_a_look = 0) : step_(ticks(seconds_a_look)) { hpart::Clock::replace(this); }
    FakeClock(const FakeClock &) = delete;
    FakeClock &operator=(const FakeClock &) = delete;
    ~FakeClock() { hpart::Clock::replace(nullptr); }

    // Since the clock began.
    double seconds() const
    {
        const std::lock_guard lock(mutex_);
        return std::chrono::duration<double>(now_ - begin).count();
    }
    std::int64_t looks() const
    {
        const std::lock_guard lock(mutex_);
        return looks_;
    }
    // Times of threads that move it at once add up.
    void advance(double seconds) { move(ticks(seconds)); }
    // Called with the seconds of each move, before anybody wakes; it must not use the clock.
    std::function<void(double seconds)> on_move;

    TimePoint now() override
    {
        const std::lock_guard lock(mutex_);
        ++looks_;
        return now_ += step_;
    }
    void sleep_until(TimePoint end) override
    {
        std::this_thread::sleep_for(std::chrono::microseconds(50)); // threads that have nothing to do come to rest
        move(end - now());
    }
    void wait_until(std::condition_variable &changed, std::unique_lock<std::mutex> &lock, TimePoint end) override
    {
        if (!waits_here()) {
            lock.unlock();
            move_to_next_waiter(end);
            return lock.lock();
        }
        std::unique_lock own(mutex_);
        if (now_ >= end) return;
        const auto waiter = waiters_.insert(waiters_.end(), {changed, *lock.mutex(), end});
        waits_.notify_all();
        own.unlock();
        changed.wait(lock);
        own.lock();
        waiters_.erase(waiter);
    }
    std::thread start(std::function<void()> action) override
    {
        {
            const std::lock_guard lock(mutex_);
            ++threads_;
        }
        return std::thread([this, action = std::move(action)] {
            waits_here() = true;
            action();
            {
                const std::lock_guard lock(mutex_);
                --threads_;
            }
            waits_.notify_all();
        });
    }

  private:
    using Duration = TimePoint::duration;
    struct Waiter {
        std::condition_variable &changed;
        std::mutex &mutex;
        TimePoint end;
        bool was_woken = false;
    };
    static constexpr TimePoint begin{std::chrono::seconds(1000)};

    static Duration ticks(double seconds)
    {
        return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    }
    // True in threads that the clock has started.
    static bool &waits_here()
    {
        thread_local bool is_waiter = false;
        return is_waiter;
    }

    void move(Duration rest)
    {
        std::unique_lock lock(mutex_);
        for (settle(lock); rest > Duration::zero(); settle(lock)) {
            const auto part = std::min(rest, next_end() - now_);
            move_at_once(part);
            rest -= part;
        }
    }
    void move_to_next_waiter(TimePoint end)
    {
        std::unique_lock lock(mutex_);
        settle(lock);
        if (now_ >= end) return;
        move_at_once(std::min(end, next_end()) - now_);
        settle(lock);
    }
    void move_at_once(Duration part)
    {
        now_ += part;
        if (on_move) on_move(std::chrono::duration<double>(part).count());
    }
    // Wakes the threads whose time has come, until all wait for later times.
    void settle(std::unique_lock<std::mutex> &lock)
    {
        for (;;) {
            const auto due = std::find_if(waiters_.begin(), waiters_.end(),
                                          [&](const auto &each) { return each.end <= now_ && !each.was_woken; });
            if (due != waiters_.end()) {
                due->was_woken = true;
                auto &changed = due->changed;
                auto &mutex = due->mutex;
                lock.unlock();
                mutex.lock(); // it is in its wait
                mutex.unlock();
                changed.notify_all();
                lock.lock();
            } else if (std::count_if(waiters_.begin(), waiters_.end(),
                                     [&](const auto &each) { return each.end > now_; }) == threads_) {
                return;
            } else {
                waits_.wait(lock);
            }
        }
    }
    TimePoint next_end() const
    {
        auto next = TimePoint::max();
        for (const auto &waiter : waiters_) next = std::min(next, waiter.end);
        return next;
    }

    const Duration step_;
    mutable std::mutex mutex_;
    std::condition_variable waits_; // a thread waits, or has ended
    std::list<Waiter> waiters_;
    TimePoint now_ = begin;
    std::int64_t looks_ = 0;
    std::ptrdiff_t threads_ = 0;
};

} // namespace support
