// Quantities as people write them: a number and its unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hpart
{

// The seconds of "ms", "seconds", "h"; nothing if it is no unit of time.
std::optional<double> seconds_of_unit(std::string_view unit);
// To the last bit: 5 ms are 0.005.
double in_seconds(double value, double unit);

// A time in seconds: "5ms", "90s", "2min", "1hour"; m is a minute. A number alone is seconds.
std::optional<double> parse_time(std::string_view text);

// A count: "4k" and "4kB" are 4000, "4Ki" and "4KiB" 4096; k, M, G, T, and B alone. Nothing if it is none or does not fit.
std::optional<std::int64_t> parse_count(std::string_view text);

} // namespace hpart
