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
    hash = add_to_hash<double>(hash, points.joules);
    if (!points.intervals) return hash;
    for (const auto *values : {&points.intervals->time_low, &points.intervals->time_high, &points.intervals->energy_low,
                               &points.intervals->energy_high})
        hash = add_to_hash<double>(hash, *values);
    return add_to_hash<std::int64_t>(hash, points.intervals->repetitions);
}

template <typename Value> bool same_bits(const std::vector<Value> &a, const std::vector<Value> &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

bool same_intervals(const Intervals *a, const Intervals *b)
{
    if (a == nullptr || b == nullptr) return a == b;
    return same_bits(a->time_low, b->time_low) && same_bits(a->time_high, b->time_high) &&
           same_bits(a->energy_low, b->energy_low) && same_bits(a->energy_high, b->energy_high) &&
           same_bits(a->repetitions, b->repetitions);
}

bool same_points(const Points &a, const Points &b)
{
    return same_bits(a.sizes, b.sizes) && same_bits(a.seconds, b.seconds) && same_bits(a.joules, b.joules) &&
           same_intervals(a.intervals.get(), b.intervals.get());
}

} // namespace

std::shared_ptr<const Points> FunctionStore::share(Points points)
{
    const auto hash = hash_of(points);
    const auto [begin, end] = functions_.equal_range(hash);
    for (auto entry = begin; entry != end; ++entry) {
        auto stored = entry->second.lock();
        if (stored && same_points(*stored, points)) return stored;
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
