// The least number for which something holds, nearly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace hpart
{

// At most 1/64 above the least number, `from` at least, from which on it holds; nothing where it does not hold up to `most`.
template <typename Holds>
std::optional<std::int64_t> nearly_least(std::int64_t from, std::int64_t most, const Holds &holds)
{
    auto low = from, high = from;
    while (high <= most && !holds(high)) {
        low = high;
        high *= 2;
    }
    if (high > most) return std::nullopt;
    constexpr std::int64_t parts = 64;
    while (high - low > std::max<std::int64_t>(1, high / parts)) {
        const auto middle = low + (high - low) / 2;
        (holds(middle) ? high : low) = middle;
    }
    return high;
}

} // namespace hpart
