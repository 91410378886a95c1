// The memory of a device that a dry run advises: with less of it an operation soon becomes slow.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace hpart
{

// The fewest bytes, at most an eighth above them, with which the predicted time is within 1.2 of the time with `most`: `from` to `most`;
// nothing if `most` has no prediction. seconds(bytes) is optional.
template <typename Seconds>
std::optional<std::int64_t> advised_bytes(std::int64_t from, std::int64_t most, const Seconds &seconds)
{
    constexpr double near = 1.2;
    constexpr std::int64_t parts = 8;
    const std::optional<double> best = seconds(most);
    if (!best) return std::nullopt;
    const auto is_near = [&](std::int64_t bytes) {
        const std::optional<double> one = seconds(bytes);
        return one && *one <= near * *best;
    };
    if (from >= most || is_near(from)) return std::min(from, most);
    auto low = from, high = most;
    while (high - low > std::max<std::int64_t>(1, high / parts)) {
        const auto mean = static_cast<std::int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
        const auto middle = std::clamp(mean, low + 1, high - 1);
        (is_near(middle) ? high : low) = middle;
    }
    return high;
}

} // namespace hpart
