#include "models/function_store.hpp"

#include "core/hash.hpp"
#include "models/platform.hpp"

#include <cstring>

namespace hpart
{

namespace
{

std::uint64_t hash_of(const Points &points)
{
    auto hash = add_to_hash<std::int64_t>(points.count(), points.sizes);
    hash = add_to_hash<double>(hash, points.seconds);
    return add_to_hash<double>(hash, points.joules);
}

template <typename Value> bool same_bits(const std::vector<Value> &a, const std::vector<Value> &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

} // namespace

std::shared_ptr<const Points> FunctionStore::share(Points points)
{
    const auto hash = hash_of(points);
    const auto [begin, end] = functions_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
        auto stored = entry->second.lock();
        if (stored && same_bits(stored->sizes, points.sizes) && same_bits(stored->seconds, points.seconds) &&
            same_bits(stored->joules, points.joules))
            return stored;
    }
    if (functions_.size() >= room_) drop_unused();
    auto shared = std::make_shared<const Points>(std::move(points));
    functions_.emplace(hash, shared);
    return shared;
}

void FunctionStore::drop_unused()
{
    for (auto entry = functions_.begin(); entry != functions_.end();)
        entry = entry->second.expired() ? functions_.erase(entry) : std::next(entry);
    room_ = 2 * functions_.size() + 64;
}

} // namespace hpart
