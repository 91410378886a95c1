// The threads of one abstract processor of several cores: the processor's own thread alone where it has one core.
#pragma once

#include "host/thread_group.hpp"
#include "kernels/kernel.hpp"

#include <optional>
#include <vector>

namespace hpart
{

// Part w of `parts` contiguous parts of [0, count), of lengths that differ by one at most.
inline Slice part_of(std::int64_t count, std::size_t w, std::size_t parts)
{
    const auto p = static_cast<std::int64_t>(parts), i = static_cast<std::int64_t>(w);
    const auto longer = std::min(i, count % p);
    return {count / p * i + longer, count / p + (i < count % p ? 1 : 0)};
}

class Workers
{
  public:
    explicit Workers(CoreList cores) : cores_(std::move(cores)) {}

    std::size_t count() const { return cores_.empty() ? 1 : cores_.size(); }
    // The threads live from start to stop.
    void start()
    {
        if (count() == 1 || group_) return;
        std::vector<CoreList> bindings;
        for (const int core : cores_) bindings.push_back({core});
        group_.emplace(bindings);
    }
    void stop() noexcept { group_.reset(); }

    template <typename Job> void run(const Job &job)
    {
        if (group_)
            group_->run(job);
        else
            job(0);
    }

  private:
    CoreList cores_;
    std::optional<ThreadGroup> group_;
};

} // namespace hpart
