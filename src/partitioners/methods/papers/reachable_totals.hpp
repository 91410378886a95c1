// Which totals any number of packages can make.
#pragma once

#include "partitioners/search/limits.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

class ReachableTotals
{
  public:
    // Sizes positive, in any order. Totals up to `limit` will be asked for. Throws Status::limit above the memory given.
    ReachableTotals(std::vector<std::int64_t> sizes, std::int64_t limit, std::int64_t memory_bytes, Pacer &pacer);

    bool contains(std::int64_t total) const
    {
        if (total <= 0) return total == 0;
        return !least_.empty() && total % unit_ == 0 &&
               least_[static_cast<std::size_t>(total / unit_) % least_.size()] <= total / unit_;
    }

  private:
    void allow(std::int64_t size, std::int64_t limit, Pacer &pacer);

    std::int64_t unit_ = 1;           // the greatest common divisor of the sizes
    std::vector<std::int64_t> least_; // by the remainder modulo the smallest size, the least total, in units
};

} // namespace hpart
