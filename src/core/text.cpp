#include "core/text.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <system_error>
#include <utility>

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

std::size_t edit_distance(std::string_view a, std::string_view b)
{
    constexpr std::size_t longest = 40; // above any name's
    using Row = std::array<std::size_t, longest + 1>;
    if (std::max(a.size(), b.size()) > longest) return std::max(a.size(), b.size());
    Row before{}, row{}, next{};
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        next[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            next[j + 1] = std::min({row[j] + (a[i] == b[j] ? 0 : 1), row[j + 1] + 1, next[j] + 1});
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
        }
        before = std::exchange(row, next);
    }
    return row[b.size()];
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names)
{
    constexpr std::size_t fewest_letters = 3;
    std::string_view nearest;
    auto least = 2 + word.size() / 4; // from so many changes on it is another word
    for (const auto name : names) {
        const bool is_part = word.size() >= fewest_letters && name.find(word) != std::string_view::npos;
        const bool is_plural = word.size() == name.size() + 1 && word.ends_with('s') && word.starts_with(name);
        const auto changes = is_plural ? 0 : is_part ? std::size_t{1} : edit_distance(word, name);
        if (changes >= least || changes >= word.size()) continue;
        least = changes;
        nearest = name;
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names, std::string_view sentence)
{
    const auto name = nearest_name(word, names);
    std::string out(sentence);
    if (name.empty()) return out;
    if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
        out.front() = static_cast<char>(out.front() - 'a' + 'A');
    return "did you mean '" + std::string(name) + "'? " + out;
}

std::size_t utf8_length(std::string_view text)
{
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
    if (text.empty() || (byte(0) >= 0x80 && byte(0) < 0xC2) || byte(0) > 0xF4) return 0;
    const std::size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
    if (text.size() < length) return 0;
    for (std::size_t k = 1; k < length; ++k)
        if ((byte(k) & 0xC0U) != 0x80U) return 0;
    // Longer than need be, half of a pair of UTF-16, or above U+10FFFF.
    const bool wrong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
                       (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F);
    return wrong ? 0 : length;
}

std::string printable(std::string_view text, char replacement, std::string_view kept)
{
    std::string out;
    while (!text.empty()) {
        const auto length = utf8_length(text);
        const auto first = static_cast<unsigned char>(text.front());
        const bool is_control = length == 1
                                    ? first < 0x20 || first == 0x7F
                                    : length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
        if (length == 0 || (is_control && kept.find(text.front()) == std::string_view::npos))
            out += replacement;
        else
            out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

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

const char *status_text(Status status) noexcept
{
    switch (status) {
#define HPART_STATUS_CASE(name, constant, value, text)                                                                 \
    case Status::name: return text;
        HPART_STATUS_LIST(HPART_STATUS_CASE)
#undef HPART_STATUS_CASE
    }
    return "unknown status";
}

} // namespace hpart
