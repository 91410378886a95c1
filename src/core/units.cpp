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

std::optional<double> parse_time(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, double>, 8> units = {
        {{"", 1}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"min", 60}, {"h", 3600}}};
    if (const auto alone = parse_double(text)) return alone; // infinity, too
    const auto [number, unit] = number_and_unit(text);
    for (const auto &[name, seconds] : units)
        if (const auto value = parse_double(number); value && name == unit && std::isfinite(*value * seconds))
            return seconds < 1 ? *value / std::round(1 / seconds) : *value * seconds; // 5ms is 0.005 to the last bit
    return std::nullopt;
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
