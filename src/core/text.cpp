#include "core/text.hpp"

#include "core/characters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

namespace hpart
{

std::string format_double(double value)
{
    if (std::isnan(value)) return "nan";
    std::array<char, 32> buffer{};
    char *const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    return {buffer.data(), end};
}

namespace
{

std::pair<double, const char *> unit_for(double seconds)
{
    if (!(seconds > 0) || seconds >= 1) return {1.0, " s"};
    if (seconds < 1e-6) return {1e9, " ns"};
    return seconds < 1e-3 ? std::pair{1e6, " us"} : std::pair{1e3, " ms"};
}

// A number of more digits than anybody reads is the shortest one.
std::string formatted(double number, std::chars_format format, int digits)
{
    std::array<char, 32> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format, digits);
    return error == std::errc{} ? std::string(buffer.data(), end) : format_double(number);
}

constexpr int given_digits = 6, short_digits = 4;

// The least decimal of three digits that is not below the value.
double rounded_up(double value)
{
    constexpr int decimals = 2; // behind the first digit
    const auto rounded = [](double number, int behind) {
        return parse_double(formatted(number, std::chars_format::scientific, behind)).value_or(number);
    };
    if (!(value > 0) || !std::isfinite(value) || rounded(value, short_digits - 1) == value) return value;
    const double near = rounded(value, decimals);
    double above = near;
    for (double step = std::pow(10.0, std::floor(std::log10(near)) - decimals); above < value; step *= 10)
        above = rounded(near + step, decimals);
    return above;
}

std::string with_digits(double value, int digits)
{
    return format_double(parse_double(formatted(value, std::chars_format::general, digits)).value_or(value));
}

} // namespace

std::string given_value(double value) { return with_digits(value, given_digits); }

std::string given_seconds(double seconds)
{
    const auto [factor, unit] = unit_for(seconds);
    return with_digits(seconds * factor, given_digits) + unit;
}

std::string sufficient_value(double value) { return with_digits(rounded_up(value), short_digits); }

std::string sufficient_seconds(double seconds)
{
    const double value = rounded_up(seconds);
    const auto [factor, unit] = unit_for(value);
    return with_digits(value * factor, short_digits) + unit;
}

std::string brief_seconds(double seconds)
{
    constexpr int digits = 3;
    if (!(seconds > 0)) return "0 s";
    // 999.96 us are 1 ms.
    const double shown = parse_double(formatted(seconds, std::chars_format::scientific, digits - 1)).value_or(seconds);
    const auto [factor, unit] = unit_for(shown);
    const auto whole = static_cast<int>(std::floor(std::log10(shown * factor))) + 1;
    return formatted(seconds * factor, std::chars_format::fixed, std::max(0, digits - whole)) + unit;
}

std::string brief_seconds(double seconds, double half_width)
{
    const double percent = 100 * half_width / seconds;
    if (!(percent <= 100)) return brief_seconds(seconds);
    const double step = percent < 1 ? 10 : 1;
    return text(brief_seconds(seconds), " +- ", std::ceil(percent * step) / step, " %");
}

std::string with_uncertainty(double value, double error)
{
    const auto order = [](double number) { return static_cast<int>(std::floor(std::log10(std::abs(number)))); };
    const bool is_known = std::isfinite(value) && std::isfinite(error) && error > 0;
    const auto to_digits = [](double number, int digits) {
        constexpr int most_digits = 17;
        return formatted(number, std::chars_format::general, std::clamp(digits, 1, most_digits));
    };
    if (!is_known) return text(value, " +- ", error);
    return text(value == 0 ? "0" : to_digits(value, order(value) - order(error) + 1), " +- ", to_digits(error, 1));
}

namespace
{
template <typename Number> std::optional<Number> parse(std::string_view text)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}
} // namespace

double decimal_step(double value)
{
    constexpr int digits = 12; // behind the first; only a sum or quotient has more
    if (value == 0) return 1;
    std::array<char, 64> buffer{};
    const auto *const end =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific, digits).ptr;
    const std::string_view written(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
    const auto e = written.find('e'), point = written.find('.'), last = written.find_last_not_of('0', e - 1);
    const auto decimals = static_cast<int>(last - point);
    auto exponent = written.substr(e + 1);
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    int power = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
    return std::min(1.0, std::pow(10.0, power - decimals));
}

double clock_step(double value)
{
    const double step = decimal_step(value);
    // A fraction with b binary digits has as many decimals. By chance a decimal one is of this kind in 1 of 5^b cases.
    constexpr int fewest = 3, most = 24;
    for (int digits = fewest; digits <= most; ++digits)
        if (const double binary = std::ldexp(1.0, -digits); std::fmod(value, binary) == 0)
            return std::fmod(value, 2 * binary) != 0 ? std::max(step, binary) : step;
    return step;
}

std::optional<std::int64_t> parse_int(std::string_view text) { return parse<std::int64_t>(text); }

std::optional<double> parse_double(std::string_view text) { return parse<double>(text); }

std::string_view trim(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::size_t utf8_length_within(std::string_view text, std::size_t bytes)
{
    auto length = std::min(text.size(), bytes);
    while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
    return length;
}

std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 80;
    const auto cut = utf8_length_within(text, longest);
    std::string quoted(1, '\'');
    quoted += printable(text.substr(0, cut));
    return quoted += cut < text.size() ? "...'" : "'";
}

} // namespace hpart
