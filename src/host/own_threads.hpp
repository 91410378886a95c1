// Threads for short jobs on the cores that the caller may use.
#pragma once

#include "host/thread_group.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace hpart
{

class OwnThreads
{
  public:
    // 0: as many as the cores that the calling thread may use. They start with the first jobs, and stay.
    explicit OwnThreads(std::int64_t threads = 0);

    std::int64_t size() const { return size_; }
    // Calls job(0), ..., job(count - 1), in any order and at the same time.
    void for_each(std::int64_t count, const std::function<void(std::int64_t)> &job);
    // job(first, count) for equal parts of [0, count), one a thread.
    void share(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)> &job);

  private:
    std::int64_t size_;
    std::optional<ThreadGroup> group_;
};

} // namespace hpart
