// Equal functions of a platform are stored once: a cluster has many copies of few. So are equal sizes of different functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace hpart
{

struct Points;

// Values in use elsewhere, by a hash of their content. Unused ones are dropped from time to time.
template <typename Value> class WeakStore
{
  public:
    template <typename IsSame> std::shared_ptr<Value> find(std::uint64_t hash, const IsSame &is_same) const
    {
        const auto [begin, end] = values_.equal_range(hash);
        for (auto entry = begin; entry != end; ++entry)
            if (auto stored = entry->second.lock(); stored && is_same(*stored)) return stored;
        return nullptr;
    }

    void add(std::uint64_t hash, const std::shared_ptr<Value> &value)
    {
        if (values_.size() >= room_) {
            std::erase_if(values_, [](const auto &entry) { return entry.second.expired(); });
            room_ = 2 * values_.size() + 64;
        }
        values_.emplace(hash, value);
    }

  private:
    std::unordered_multimap<std::uint64_t, std::weak_ptr<Value>> values_;
    std::size_t room_ = 64;
};

class FunctionStore
{
  public:
    // The stored function that is equal to `points`, bit by bit; they themselves when there is none yet.
    std::shared_ptr<const Points> share(Points points);

  private:
    WeakStore<const Points> functions_;
    WeakStore<std::vector<std::int64_t>> sizes_;
};

} // namespace hpart
