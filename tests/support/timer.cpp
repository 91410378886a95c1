#include "timer.hpp"

#include <utility>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace support
{

Timer::Timer() : thread_([this] { run(); }) {}

Timer::~Timer()
{
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Timer::at(Clock::time_point time, std::function<void()> work)
{
    {
        const std::lock_guard lock(mutex_);
        work_.emplace(time, std::move(work));
    }
    changed_.notify_all();
}

void Timer::settle()
{
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return work_.empty() && !working_; });
}

void Timer::run()
{
#if defined(__linux__)
    prctl(PR_SET_TIMERSLACK, 1000UL); // nanoseconds; the usual 50,000 would show in what the times are compared with
#endif
    std::unique_lock lock(mutex_);
    for (;;) {
        if (work_.empty()) {
            if (closing_) return;
            changed_.wait(lock);
        } else if (const auto first = work_.begin(); closing_ || first->first <= Clock::now()) {
            auto work = std::move(first->second);
            work_.erase(first);
            working_ = true;
            lock.unlock();
            work();
            work = nullptr;
            lock.lock();
            working_ = false;
            changed_.notify_all();
        } else {
            changed_.wait_until(lock, first->first);
        }
    }
}

} // namespace support
