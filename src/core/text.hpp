// Text from values, and values from text, the same in every locale.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace hpart
{

// The shortest decimal that reads back as the same double; "nan", "inf", "-inf".
std::string format_double(double value);

// "0.21 +- 0.06": both to the first digit of the error, or of the value if that is smaller.
std::string with_uncertainty(double value, double error);

// "60.2 ms": three digits and the unit that fits.
std::string brief_seconds(double seconds);
// "60.2 ms +- 3 %", "60.2 ms" without an interval worth its number.
std::string brief_seconds(double seconds, double half_width);

// Bounds in messages, "12.4 ms" and "1.25": a given bound, and the least bound that suffices. The latter has three digits, rounded up,
// unless four digits are exact.
std::string given_value(double value);
std::string given_seconds(double seconds);
std::string sufficient_value(double value);
std::string sufficient_seconds(double seconds);

// The whole of `text` as a number; nothing when it is none or does not fit. No blanks, no leading '+' (but 'e+5' is fine).
std::optional<std::int64_t> parse_int(std::string_view text);
std::optional<double> parse_double(std::string_view text);

// The unit of the value's last decimal, of 13 digits: 1 for 61, 0.01 for 0.25; 1 at most, and for 0.
double decimal_step(double value);
// The same, or of its last binary digit if it has few: 1/64 for 3/64, which no decimal clock is likely to tell. For equal values of a clock.
double clock_step(double value);

std::string_view trim(std::string_view text);

// The length of the longest beginning of at most so many bytes that ends between two UTF-8 characters.
std::size_t utf8_length_within(std::string_view text, std::size_t bytes);

// Text from outside made fit for a one-line message: control characters replaced, cut at 80 bytes.
std::string in_quotes(std::string_view text);

namespace detail
{
inline void append(std::string &out, std::string_view part) { out += part; }
inline void append(std::string &out, const char *part) { out += part; }
inline void append(std::string &out, char part) { out += part; }
inline void append(std::string &out, double part) { out += format_double(part); }
template <typename Integer>
requires std::is_integral_v<Integer>
void append(std::string &out, Integer part) { out += std::to_string(part); }
} // namespace detail

// The parts, one after another.
template <typename... Parts> std::string text(const Parts &...parts)
{
    std::string out;
    (detail::append(out, parts), ...);
    return out;
}

} // namespace hpart
