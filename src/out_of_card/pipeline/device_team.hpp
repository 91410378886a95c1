// Parts of an operation on several devices at once: a thread each. The caller hears of their progress on its own thread. The first
// error is the cause of the others, and is thrown when all have ended.
#pragma once

#include "core/progress.hpp"
#include "host/thread_group.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace hpart
{

class DeviceTeam
{
  public:
    // shares: of the whole, one for each part; a part of nothing has no thread.
    DeviceTeam(std::vector<double> shares, Control &control);
    DeviceTeam(const DeviceTeam &) = delete;
    DeviceTeam &operator=(const DeviceTeam &) = delete;
    ~DeviceTeam() = default;

    // The control stops a part when another one failed, or the caller says so.
    using Work = std::function<void(std::size_t part, Control &control)>;
    // Status::out_of_memory where a thread cannot be started.
    void run(const Work &work);
    // Within the work of each part: waits for all others. False if one of them will not come.
    bool meet()
    {
        return meeting_.arrive([] {});
    }

  private:
    void work(std::size_t part, const Work &work) noexcept;
    int report_progress(std::size_t part, double fraction, const char *what);
    void stop(const std::exception_ptr &error);

    const std::vector<double> shares_;
    Control &control_; // the caller's
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<double> fractions_; // that are done of each
    const char *what_ = "starting";
    std::exception_ptr error_;
    bool stopped_ = false;
    std::int64_t running_ = 0; // parts that have a thread
    MeetingPoint meeting_;
};

} // namespace hpart
