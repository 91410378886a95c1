// Costs as integers in a common unit, so that their sums and multiples are exact.
#pragma once

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

    // A sum of the costs, rounded or not: a multiple of the unit.
    Wide exactly(double sum) const
    {
        if (sum == 0) return 0;
        int exponent = 0;
        const auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(sum, &exponent), double_digits));
        const auto shift = exponent - double_digits - exponent_;
        return shift >= 0 ? static_cast<Wide>(digits) << shift : static_cast<Wide>(digits) >> -shift;
    }

    // Sums up to here are exact in any order of additions.
    static constexpr Wide largest_exact = Wide{1} << 53;

  private:
    static constexpr int double_digits = 53;
    int exponent_ = 0; // the unit is 2^exponent_
    std::vector<Wide> values_;
};

} // namespace hpart
