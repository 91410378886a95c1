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
    // Calls job(0), ..., job(count - 1), in any order and at the same time. The threads stay for the next call.
    void for_each(std::int64_t count, const std::function<void(std::int64_t)> &job);

  private:
    std::optional<ThreadGroup> group_;
};

} // namespace hpart
