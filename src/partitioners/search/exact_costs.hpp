// Costs whose sums are exact: integers in a common unit where these are small enough, else numbers of any length.
#pragma once

#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

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

} // namespace hpart
