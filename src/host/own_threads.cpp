#include "host/own_threads.hpp"

#include "host/thread_use.hpp"

#include <algorithm>

namespace hpart
{

void OwnThreads::for_each(std::int64_t count, const std::function<void(std::int64_t)> &job)
{
    const auto cores = cores_of_thread(this_thread_id()).size();
    if (count <= 1 || cores <= 1) {
        for (std::int64_t k = 0; k < count; ++k) job(k);
        return;
    }
    if (!group_) group_.emplace(std::vector<CoreList>(cores));
    group_->run([&](std::size_t member) {
        for (auto k = static_cast<std::int64_t>(member); k < count; k += static_cast<std::int64_t>(group_->size()))
            job(k);
    });
}

} // namespace hpart
