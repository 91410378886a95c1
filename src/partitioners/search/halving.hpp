// Best choice of one option for each of k alike parts, for every sum in a window: whatever k and the sum, the work is that of
// log2(k) convolutions of a few spans of the sizes. See halving.cpp.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/exact_costs.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace hpart
{

// Combines the costs of two parts.
enum class Join : std::uint8_t { sum, max };

struct AlikeParts {
    std::int64_t size;
    std::int64_t copies;
};

// Usage (least longest time of `copies` alike processors, their points the options, idle included where it is allowed):
//     const Halving best(sizes, seconds, copies, n, n, Join::max, control);
//     if (best.cost(n) < infinity) parts = best.parts(n);
//
// Cost is double, or Wide for exact sums; a Wide sum has at most 124 bits.
template <typename Cost> class BasicHalving
{
  public:
    // The cost of what cannot be made.
    static constexpr Cost unreached = [] {
        if constexpr (std::is_same_v<Cost, double>)
            return std::numeric_limits<double>::infinity();
        else
            return Wide{1} << 125; // twice it still fits
    }();

    // Options by increasing size >= 0, at least one, costs >= 0 or unreached; copies >= 1; sums of lowest .. highest will be asked for.
    // Time: O(s^2 log copies), memory O(s log copies), s = (largest size - smallest) / common divisor of the differences.
    // Throws Status::limit if the tables do not fit in memory or the time is up, and Status::cancelled.
    BasicHalving(std::span<const std::int64_t> sizes, std::span<const Cost> costs, std::int64_t copies,
                 std::int64_t lowest, std::int64_t highest, Join join, Control &control);

    // Least cost of `copies` options that sum to this; `unreached` where there are none. Sums of double are rounded some log2(copies)
    // times, unless they all are exact.
    Cost cost(std::int64_t sum) const;

    // Options that attain cost(sum), which must be reached, by decreasing size; their copies sum to those asked for. The same input
    // gives the same parts.
    std::vector<AlikeParts> parts(std::int64_t sum) const;

    // Bytes of its tables, beforehand.
    static double bytes(std::span<const std::int64_t> sizes, std::int64_t copies);

  private:
    // Least costs of `copies` parts by their sum, in units from the smallest size.
    struct Level {
        std::int64_t copies;
        std::int64_t low;
        std::vector<Cost> costs;

        std::int64_t high() const { return low + static_cast<std::int64_t>(costs.size()) - 1; }
        Cost at(std::int64_t sum) const { return costs[static_cast<std::size_t>(sum - low)]; }
    };
    struct Option {
        std::int64_t size;
        Cost cost;
    };

    void plan_levels(std::int64_t low, std::int64_t high, std::int64_t memory_bytes);
    void fill(Control &control);
    template <typename Combine>
    AlikeParts split(const Level &whole, const Level &part, std::int64_t sum, Combine) const;
    template <typename Combine> std::vector<AlikeParts> trace(std::int64_t sum, Combine combine) const;
    std::int64_t units(std::int64_t sum) const;

    std::vector<Option> options_;
    std::int64_t smallest_ = 0;
    std::int64_t unit_ = 1;
    std::int64_t span_ = 0; // of the options
    std::int64_t copies_;
    Join join_;
    std::vector<Level> levels_; // from one part to all
};

using Halving = BasicHalving<double>;
using ExactHalving = BasicHalving<Wide>;

} // namespace hpart
