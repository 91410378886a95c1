#include "measurement/written_number.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace hpart
{

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool has_digit_at(std::string_view text, std::size_t k) { return k < text.size() && is_digit(text[k]); }

namespace
{

std::size_t end_of_digits(std::string_view line, std::size_t k)
{
    while (has_digit_at(line, k)) ++k;
    return k;
}

// e-03, and D-03 in Fortran; k if there is none.
std::size_t end_of_exponent(std::string_view line, std::size_t k)
{
    if (k >= line.size() || std::string_view("eEdD").find(line[k]) == std::string_view::npos) return k;
    const auto digits = k + 1 < line.size() && (line[k + 1] == '+' || line[k + 1] == '-') ? k + 2 : k + 1;
    const auto end = end_of_digits(line, digits);
    return end > digits ? end : k;
}

// The digits from `begin` on with their exponent.
WrittenNumber read_number(std::string_view line, std::size_t begin)
{
    auto end = end_of_digits(line, begin), point = end;
    if (end < line.size() && line[end] == '.') end = end_of_digits(line, end + 1);
    const auto decimals = end > point ? end - point - 1 : 0, last = end_of_exponent(line, end);
    std::string number(line.substr(begin, last - begin));
    if (last > end) number[end - begin] = 'e';
    auto exponent = line.substr(std::min(end + 1, last), last - std::min(end + 1, last));
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    const double step =
        std::pow(10.0, static_cast<double>(parse_int(exponent).value_or(0)) - static_cast<double>(decimals));
    return {parse_double(number).value_or(no_number), last, std::min(step, 1.0)};
}

// 1,234 and 0,53 go on, and 1.234,5; 0.12,0.34 and 0.123,0.456 are two numbers, as are 8000,0.5 and 1e3,5.
bool joins_comma(std::string_view number, std::string_view line, std::size_t comma)
{
    constexpr std::size_t thousands = 3;
    const auto point = number.find('.'), end = end_of_digits(line, comma + 1);
    const bool is_before_point = end < line.size() && line[end] == '.';
    if (end == comma + 1 || number.find_first_of("eEdD") != std::string_view::npos) return false;
    if (point != std::string_view::npos) return number.size() - point - 1 == thousands && !is_before_point;
    return !is_before_point || end - comma - 1 == thousands;
}

// The end of what goes on behind a number and has digits: 0,53, 0m1.5s, 1'234, 00:01:02, 0.1-101, 1/3, 0x1p-1, 120.53(2); and over blanks
// 1.25 e-3, 2 x 10^2.
std::size_t end_of_rest(std::string_view line, std::size_t begin, std::size_t end)
{
    constexpr std::array<std::string_view, 5> times = {"x", "X", "*", "\u00d7", "\u00b7"};
    const auto number = line.substr(begin, end - begin);
    const auto first = std::min(line.find_first_not_of(" \t", end), line.size());
    auto last = end_of_exponent(line, first) > first ? end_of_exponent(line, first) : end;
    for (const auto sign : times) {
        if (!line.substr(first).starts_with(sign)) continue;
        const auto factor = std::min(line.find_first_not_of(" \t", first + sign.size()), line.size());
        if (has_digit_at(line, factor)) last = end_of_digits(line, factor);
    }
    if (last == end && end < line.size() && line[end] == '(') {
        const auto close = end_of_digits(line, end + 1);
        if (close > end + 1 && close < line.size() && line[close] == ')') return close + 1;
    }
    for (auto k = last; k < line.size(); ++k) {
        const char c = line[k];
        if (is_digit(c)) last = k + 1;
        const bool joins = is_digit(c) || is_letter(c) || is_foreign(c) ||
                           std::string_view("_.':+-/^*").find(c) != std::string_view::npos ||
                           (c == ',' && is_digit(line[k - 1]) && joins_comma(number, line, k));
        if (!joins) break;
    }
    while (last > end && last < line.size() && is_letter(line[last])) ++last; // the unit
    return last;
}

} // namespace

WrittenNumber written_number(std::string_view line, std::size_t begin)
{
    auto number = read_number(line, begin);
    const auto last = end_of_rest(line, begin, number.end);
    if (last > number.end) number = {no_number, last, number.step};
    return number;
}

} // namespace hpart
