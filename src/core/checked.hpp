// Integer sums and products that cannot wrap.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace hpart
{

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

// The sum, or the largest value if it does not fit: for bounds, where "at least that many" suffices.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b)
{
    return checked_add(a, b).value_or(b > 0 ? std::numeric_limits<std::int64_t>::max()
                                            : std::numeric_limits<std::int64_t>::min());
}

inline std::int64_t saturating_mul(std::int64_t a, std::int64_t b)
{
    return checked_mul(a, b).value_or((a > 0) == (b > 0) ? std::numeric_limits<std::int64_t>::max()
                                                         : std::numeric_limits<std::int64_t>::min());
}

} // namespace hpart
