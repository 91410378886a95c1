// Data of the functions that least_sum needs for any target: made once, used by many sums.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

// A vertex of a function's lower convex hull, by increasing size.
struct HullVertex {
    std::int64_t size;
    double cost;
    double slope; // to the next vertex; infinity at the last
    std::size_t point;
};

// The points of a function, by increasing size; the arrays are the caller's. A point of infinite cost is absent.
struct CostPoints {
    std::span<const std::int64_t> sizes;
    std::span<const double> costs;
    EqualSteps steps{};
};

// The options of each function of the choices, as its points.
std::vector<CostPoints> cost_points_of(const Choices &choices);

// Everything beside the points only guides the search: no answer depends on it.
class CostFunctions
{
  public:
    static constexpr std::size_t block_points = 32;

    // Without a tilt set_tilt() must give one before anything but the hulls is asked for.
    CostFunctions(std::vector<CostPoints> points, SimdLevel level, std::optional<double> tilt = 0);
    // The same with other arrays of the same values; some costs may become infinite later.
    CostFunctions(CostFunctions other, std::vector<CostPoints> points) : CostFunctions(std::move(other))
    {
        points_ = std::move(points);
    }

    SimdLevel simd_level() const { return level_; }
    std::size_t functions() const { return points_.size(); }
    std::size_t count(std::size_t f) const { return points_[f].sizes.size(); }
    std::span<const std::int64_t> sizes(std::size_t f) const { return points_[f].sizes; }
    std::span<const double> costs(std::size_t f) const { return points_[f].costs; }

    // The hull of the existing points; empty if there are none.
    std::span<const HullVertex> hull(std::size_t f) const
    {
        return {vertices_.data() + hulls_[f].first, hulls_[f].count};
    }
    // Blocks of block_points points.
    struct Blocks {
        const double *least_costs; // of cost - tilt x size
        const double *last_sizes;  // and one before them: below all sizes of the first block
        std::size_t count;
    };
    Blocks blocks(std::size_t f) const
    {
        const auto first = block_first_[f];
        return {least_costs_.data() + first, last_sizes_.data() + first + f + 1, block_first_[f + 1] - first};
    }
    // The point of that size; count(f) when there is none.
    std::size_t find(std::size_t f, std::int64_t size) const
    {
        return find_size(points_[f].sizes, points_[f].steps, size);
    }

    // A multiplier near those that will be asked for: blocks are then told apart better.
    double tilt() const { return tilt_; }
    void set_tilt(double tilt);

    // After costs of function f became infinite at some points, which increase.
    void update(std::size_t f, std::span<const std::size_t> removed);
    // The same of the hull alone: set_tilt() must follow.
    void update_hull(std::size_t f);

  private:
    struct Hull {
        std::size_t first;
        std::uint32_t count;
        std::uint32_t room;
    };

    void make_blocks(std::size_t f);
    void make_block(std::size_t f, std::size_t b);
    void add_vertices(std::size_t f, std::span<const HullVertex> known);
    void add_vertices_between(std::size_t f, std::size_t left, std::size_t right);
    std::optional<std::size_t> lowest_between(std::size_t f, std::size_t left, std::size_t right) const;
    void store_hull(std::size_t f);

    std::vector<CostPoints> points_;
    std::vector<std::size_t> block_first_;
    std::vector<double> least_costs_; // of the blocks
    std::vector<double> last_sizes_;  // a 0 before the sizes of each function
    SimdLevel level_;
    double tilt_;
    std::vector<Hull> hulls_;
    std::vector<HullVertex> vertices_;
    std::vector<std::size_t> chain_; // of the hull in the making
    std::vector<std::size_t> ends_;
};

// Costs whose sums are exact: integers in a common unit where these are small enough, else numbers of any length.

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" // a type of GCC and Clang
using Wide = __int128;
#pragma GCC diagnostic pop

inline int bits_of(Wide value)
{
    int bits = 0;
    for (; value > 0; value >>= 1) ++bits;
    return bits;
}

class ExactCosts
{
  public:
    // Nothing when an integer needs more than so many bits. Costs are >= 0 and finite.
    static std::optional<ExactCosts> of(std::span<const double> costs, int most_bits)
    {
        ExactCosts out;
        int lowest = 0; // of the exponents of the lowest bits set
        int highest = 0;
        bool any = false;
        for (const auto cost : costs) {
            if (cost == 0) continue;
            int exponent = 0;
            auto digits = static_cast<std::uint64_t>(std::ldexp(std::frexp(cost, &exponent), double_digits));
            highest = any ? std::max(highest, exponent) : exponent;
            const auto low = exponent - double_digits + __builtin_ctzll(digits);
            lowest = any ? std::min(lowest, low) : low;
            any = true;
        }
        if (highest - lowest > most_bits) return std::nullopt;
        out.exponent_ = lowest;
        out.values_.reserve(costs.size());
        for (const auto cost : costs) out.values_.push_back(out.exactly(cost));
        return out;
    }

    const std::vector<Wide> &values() const { return values_; }
    int exponent() const { return exponent_; } // the unit is 2^exponent
    ExactSum as_sum(Wide sum) const
    {
        constexpr int digits = 42; // thrice all of `sum`
        ExactSum out;
        for (auto exponent = exponent_; sum != 0; exponent += digits, sum >>= digits)
            out.add(std::ldexp(static_cast<double>(sum & ((Wide{1} << digits) - 1)), exponent));
        return out;
    }

  private:
    Wide exactly(double cost) const
    {
        if (cost == 0) return 0;
        int exponent = 0;
        const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(cost, &exponent), double_digits));
        const auto shift = exponent - double_digits - exponent_;
        return shift >= 0 ? static_cast<Wide>(digits) << shift : static_cast<Wide>(digits) >> -shift;
    }

    static constexpr int double_digits = 53;
    int exponent_ = 0;
    std::vector<Wide> values_;
};

// Calls `use` with the costs as a vector of Wide or of ExactSum, such that sums of so many of them, and their differences, are
// exact, and with the function that makes such a sum an ExactSum. Returns the result of `use`.
template <typename Use> auto with_exact_costs(std::span<const double> costs, std::size_t terms, const Use &use)
{
    constexpr int wide_bits = 126;
    const auto exact = ExactCosts::of(costs, wide_bits - bits_of(static_cast<Wide>(terms)));
    if (exact) return use(exact->values(), [&](Wide sum) { return exact->as_sum(sum); });
    return use(std::vector<ExactSum>(costs.begin(), costs.end()), [](const ExactSum &sum) { return sum; });
}

// True if double adds so many of the costs without rounding, in any order.
inline bool adds_exactly(std::span<const double> costs, std::size_t terms)
{
    return ExactCosts::of(costs, 53 - bits_of(static_cast<Wide>(terms))).has_value();
}

// A sum of costs as double adds them, for bounds, and exactly, for comparisons. Packed: many are kept.
#pragma pack(push, 8)
template <typename Exact> struct SummedCost {
    double nearly = 0;
    Exact exact{};

    friend SummedCost operator+(const SummedCost &a, const SummedCost &b)
    {
        return {a.nearly + b.nearly, a.exact + b.exact};
    }
    friend bool operator<(const SummedCost &a, const SummedCost &b) { return a.exact < b.exact; }
    friend bool operator==(const SummedCost &a, const SummedCost &b) { return a.exact == b.exact; }
};
#pragma pack(pop)

// Times of the points of cost functions: bounds on the time then leave points out without a copy of the functions.

class PointTimes
{
  public:
    // Those of each function's points.
    explicit PointTimes(std::vector<std::span<const double>> seconds) : seconds_(std::move(seconds))
    {
        constexpr auto block = CostFunctions::block_points;
        for (const auto times : seconds_) {
            for (std::size_t k = 0; k < times.size(); k += block)
                least_.push_back(*std::ranges::min_element(times.subspan(k, std::min(block, times.size() - k))));
            first_.push_back(least_.size());
        }
    }

    std::span<const double> of(std::size_t f) const { return seconds_[f]; }
    // The least of each block of function f.
    const double *of_blocks(std::size_t f) const { return least_.data() + first_[f]; }

  private:
    std::vector<std::span<const double>> seconds_;
    std::vector<std::size_t> first_{0}; // block of each function
    std::vector<double> least_;
};

} // namespace hpart
