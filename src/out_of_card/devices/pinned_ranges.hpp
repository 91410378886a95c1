// Which memory of the caller's is pinned for a device: it is copied without staging.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace hpart
{

// Every call may be made from any thread.
class PinnedRanges
{
  public:
    void add(const void *memory, std::int64_t bytes)
    {
        const std::lock_guard lock(mutex_);
        ends_[begin_of(memory)] = begin_of(memory) + bytes;
    }
    void remove(const void *memory)
    {
        const std::lock_guard lock(mutex_);
        ends_.erase(begin_of(memory));
    }
    // True if all of these bytes are in one of the ranges.
    bool hold(const void *memory, std::int64_t bytes) const
    {
        const std::lock_guard lock(mutex_);
        const auto after = ends_.upper_bound(begin_of(memory));
        if (after == ends_.begin()) return false;
        const auto *const end = std::prev(after)->second;
        return begin_of(memory) < end && bytes <= end - begin_of(memory);
    }

  private:
    static const char *begin_of(const void *memory) { return static_cast<const char *>(memory); }

    mutable std::mutex mutex_;
    std::map<const char *, const char *, std::less<>> ends_; // by beginning
};

} // namespace hpart
