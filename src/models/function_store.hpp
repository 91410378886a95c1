// Equal functions of a platform are stored once: a cluster has many copies of few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace hpart
{

struct Points;

class FunctionStore
{
  public:
    // The stored function that is equal to `points`, bit by bit; they themselves when there is none yet.
    std::shared_ptr<const Points> share(Points points);

  private:
    void drop_unused();

    // By a hash of the content. Unused functions are dropped from time to time.
    std::unordered_multimap<std::uint64_t, std::weak_ptr<const Points>> functions_;
    std::size_t room_ = 64;
};

} // namespace hpart
