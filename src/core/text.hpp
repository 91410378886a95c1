// Text from values, and values from text, the same in every locale.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

// A symbol for libhpart_mpi of the same version, which uses the inside of libhpart: hpart.map keeps it apart from the interface.
#define HPART_PRIVATE __attribute__((visibility("default")))

namespace hpart
{

// The shortest decimal that reads back as the same double; "nan", "inf", "-inf".
HPART_PRIVATE std::string format_double(double value);

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
HPART_PRIVATE std::optional<double> parse_double(std::string_view text);

// The unit of the value's last decimal, of 13 digits: 1 for 61, 0.01 for 0.25; 1 at most, and for 0.
double decimal_step(double value);
// The same, or of its last binary digit if it has few: 1/64 for 3/64, which no decimal clock is likely to tell. For equal values of a clock.
double clock_step(double value);

std::string_view trim(std::string_view text);

// The length of the longest beginning of at most so many bytes that ends between two UTF-8 characters.
std::size_t utf8_length_within(std::string_view text, std::size_t bytes);

// Text from outside made fit for a one-line message: control characters replaced, cut at 80 bytes.
HPART_PRIVATE std::string in_quotes(std::string_view text);

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

// The characters of texts from outside: which are like others, and which are fit for a terminal.

// Letters to add, to leave out or to change, or neighbours to exchange (Damerau's distance, restricted).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name that a misspelt or shortened word probably means; empty when none is like it.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

// For a message: "did you mean 'NAME'? " and the sentence, or the sentence alone if no name is near. `sentence` begins with a small
// letter.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names, std::string_view sentence);

// Bytes of the well-formed UTF-8 sequence at the beginning of the text; 0 when there is none.
std::size_t utf8_length(std::string_view text);

// For a terminal: replaces bytes that are not UTF-8, and control characters that are not in `kept`.
std::string printable(std::string_view text, char replacement = '?', std::string_view kept = "");

// Quantities as people write them: a number and its unit.

// The seconds of "ms", "seconds", "h"; nothing if it is no unit of time.
std::optional<double> seconds_of_unit(std::string_view unit);
// To the last bit: 5 ms are 0.005.
double in_seconds(double value, double unit);

// A time in seconds: "5ms", "90s", "2min", "1hour"; m is a minute. A number alone is seconds.
std::optional<double> parse_time(std::string_view text);

// A count: "4k" and "4kB" are 4000, "4Ki" and "4KiB" 4096; k, M, G, T, and B alone. Nothing if it is none or does not fit.
std::optional<std::int64_t> parse_count(std::string_view text);

// Numbers of things in messages.

// "1 byte", "2 bytes", "0.5 seconds"
template <typename Number> std::string pluralise(Number number, std::string_view noun)
{
    return text(number, " ", noun, number == 1 ? "" : "s");
}

} // namespace hpart
