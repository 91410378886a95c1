#include "core/units.hpp"

#include "core/checked.hpp"
#include "core/text.hpp"

#include <array>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

// Splits behind the last digit, or point, of the number.
std::pair<std::string_view, std::string_view> number_and_unit(std::string_view text)
{
    const auto end = text.find_last_of("0123456789.") + 1;
    return {text.substr(0, end), text.substr(end)};
}

} // namespace

std::optional<double> seconds_of_unit(std::string_view unit)
{
    constexpr std::array<std::pair<std::string_view, double>, 28> units = {{{"ns", 1e-9},
                                                                            {"nsec", 1e-9},
                                                                            {"nanosecond", 1e-9},
                                                                            {"nanoseconds", 1e-9},
                                                                            {"us", 1e-6},
                                                                            {"usec", 1e-6},
                                                                            {"\u00b5s", 1e-6},
                                                                            {"\u03bcs", 1e-6},
                                                                            {"microsecond", 1e-6},
                                                                            {"microseconds", 1e-6},
                                                                            {"ms", 1e-3},
                                                                            {"msec", 1e-3},
                                                                            {"millisecond", 1e-3},
                                                                            {"milliseconds", 1e-3},
                                                                            {"s", 1},
                                                                            {"sec", 1},
                                                                            {"secs", 1},
                                                                            {"second", 1},
                                                                            {"seconds", 1},
                                                                            {"min", 60},
                                                                            {"mins", 60},
                                                                            {"minute", 60},
                                                                            {"minutes", 60},
                                                                            {"h", 3600},
                                                                            {"hr", 3600},
                                                                            {"hrs", 3600},
                                                                            {"hour", 3600},
                                                                            {"hours", 3600}}};
    for (const auto &[name, seconds] : units)
        if (unit == name) return seconds;
    return std::nullopt;
}

double in_seconds(double value, double unit) { return unit < 1 ? value / std::round(1 / unit) : value * unit; }

std::optional<double> parse_time(std::string_view text)
{
    if (const auto alone = parse_double(text)) return alone; // infinity, too
    const auto [number, unit] = number_and_unit(text);
    const auto value = parse_double(number);
    const auto seconds = unit == "m" ? 60 : seconds_of_unit(unit);
    if (!value || !seconds || !std::isfinite(*value * *seconds)) return std::nullopt;
    // As a decimal, 1.005e-3: a division may be off by the last bit, below a bound that a message has named.
    const auto e = number.find_first_of("eExX");
    const auto exponent = e == std::string_view::npos ? std::optional<std::int64_t>(0)
                          : number[e] == 'e' || number[e] == 'E'
                              ? parse_int(number.substr(number.substr(e + 1).starts_with('+') ? e + 2 : e + 1))
                              : std::nullopt;
    const auto exact =
        *seconds < 1 && exponent
            ? parse_double(hpart::text(number.substr(0, e), "e", *exponent + std::lround(std::log10(*seconds))))
            : std::nullopt;
    return exact ? *exact : in_seconds(*value, *seconds);
}

std::optional<std::int64_t> parse_count(std::string_view text)
{
    constexpr std::string_view prefixes = "kMGT";
    auto [number, unit] = number_and_unit(text);
    const auto value = parse_int(number);
    if (!value) return std::nullopt;
    const bool has_bytes = unit.ends_with('B');
    if (has_bytes) unit.remove_suffix(1);
    const bool is_binary = unit.size() == 2 && unit[1] == 'i';
    if (unit.empty()) return value;
    if (unit.size() != (is_binary ? 2U : 1U)) return std::nullopt;
    const auto power = prefixes.find(unit[0] == 'K' ? 'k' : unit[0]);
    if (power == std::string_view::npos) return std::nullopt;
    std::int64_t factor = 1;
    for (std::size_t k = 0; k <= power; ++k) factor *= is_binary ? 1024 : 1000;
    return checked_mul(*value, factor);
}

} // namespace hpart
