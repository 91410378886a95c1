// Work to be done at set times, by one thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace support
{

class Timer
{
  public:
    using Clock = std::chrono::steady_clock;
    Timer();
    Timer(const Timer &) = delete;
    Timer &operator=(const Timer &) = delete;
    // Does now all work that is not due yet.
    ~Timer();

    // Waits until all that was given is done and let go.
    void settle();
    // `work` must not throw.
    void at(Clock::time_point time, std::function<void()> work);

  private:
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::multimap<Clock::time_point, std::function<void()>> work_;
    bool working_ = false;
    bool closing_ = false;
    std::thread thread_;
};

} // namespace support
