// Problem: is v a sum of package sizes, each used any number of times? With a the smallest size, v is one exactly when v is not below
// the least sum with the remainder v mod a: packages of size a do the rest. The least sums of all remainders are found size by
// size, walking each cycle of remainders from its least entry once round.
// Time O(sizes x a / unit), memory O(a / unit), whatever the totals. Source: Böcker and Lipták, "A fast and simple algorithm for the
// money changing problem" (2007), round robin.
#include "partitioners/methods/papers/reachable_totals.hpp"

#include "core/checked.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{
constexpr auto never = std::numeric_limits<std::int64_t>::max();
} // namespace

ReachableTotals::ReachableTotals(std::vector<std::int64_t> sizes, std::int64_t limit, std::int64_t memory_bytes,
                                 Pacer &pacer)
{
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.empty()) return;
    unit_ = common_divisor(0, sizes, 0);
    const auto remainders = sizes.front() / unit_;
    if (remainders > memory_bytes / static_cast<std::int64_t>(sizeof(std::int64_t))) fail_memory(memory_bytes);
    least_.assign(static_cast<std::size_t>(remainders), never);
    least_.front() = 0;
    for (const auto size : sizes) allow(size / unit_, limit / unit_, pacer);
}

void ReachableTotals::allow(std::int64_t size, std::int64_t limit, Pacer &pacer)
{
    const auto count = least_.size();
    const auto step = static_cast<std::size_t>(size) % count;
    const auto cycles = std::gcd(count, step); // of count / cycles remainders each
    for (std::size_t start = 0; start < cycles; ++start) {
        auto at = start;
        pacer.spend(1);
        for (auto r = start; r < count; r += cycles)
            if (least_[r] < least_[at]) at = r;
        auto total = least_[at];
        if (total == never) continue;
        for (std::size_t k = 1; k < count / cycles; ++k) {
            at = at + step < count ? at + step : at + step - count;
            total = std::min(saturating_add(total, size), least_[at]);
            least_[at] = total > limit ? never : total;
            pacer.spend(1);
        }
    }
}

} // namespace hpart
