#include "host/own_threads.hpp"

#include "host/thread_use.hpp"

#include <algorithm>

namespace hpart
{

OwnThreads::OwnThreads(std::int64_t threads)
    : size_(threads > 0 ? threads : std::max<std::int64_t>(1, std::ssize(cores_of_thread(this_thread_id()))))
{
}

void OwnThreads::for_each(std::int64_t count, const std::function<void(std::int64_t)> &job)
{
    if (count <= 1 || size_ == 1) {
        for (std::int64_t k = 0; k < count; ++k) job(k);
        return;
    }
    if (!group_) group_.emplace(std::vector<CoreList>(static_cast<std::size_t>(size_)));
    group_->run([&](std::size_t member) {
        for (auto k = static_cast<std::int64_t>(member); k < count; k += size_) job(k);
    });
}

void OwnThreads::share(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)> &job)
{
    const auto parts = std::min(size_, count);
    for_each(parts, [&](std::int64_t part) {
        const auto first = count * part / parts;
        job(first, count * (part + 1) / parts - first);
    });
}

} // namespace hpart
