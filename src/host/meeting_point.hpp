// A meeting point of threads that work together: they wait for each other, unless one of them has failed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace hpart
{

class MeetingPoint
{
  public:
    explicit MeetingPoint(std::int64_t parties) : parties_(parties) {}

    // Waits for all; false when one has given up. Meanwhile calls `idle` now and then, which may throw.
    template <typename Idle> bool arrive(const Idle &idle)
    {
        constexpr auto interval = std::chrono::milliseconds(20);
        std::unique_lock lock(mutex_);
        if (given_up_) return false;
        const auto meeting = meeting_;
        if (++arrived_ == parties_) {
            arrived_ = 0;
            ++meeting_;
            changed_.notify_all();
            return true;
        }
        while (!changed_.wait_for(lock, interval, [&] { return meeting_ != meeting || given_up_; })) {
            lock.unlock();
            idle();
            lock.lock();
        }
        return meeting_ != meeting;
    }

    // Nobody waits any more.
    void give_up()
    {
        const std::lock_guard lock(mutex_);
        given_up_ = true;
        changed_.notify_all();
    }

    bool is_given_up()
    {
        const std::lock_guard lock(mutex_);
        return given_up_;
    }

  private:
    const std::int64_t parties_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::int64_t arrived_ = 0, meeting_ = 0;
    bool given_up_ = false;
};

} // namespace hpart
