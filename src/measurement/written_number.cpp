#include "measurement/written_number.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

namespace hpart
{

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has_digit_at(std::string_view text, std::size_t k) { return k < text.size() && is_digit(text[k]); }

std::size_t end_of_exponent(std::string_view line, std::size_t k)
{
    if (k >= line.size() || (line[k] != 'd' && line[k] != 'D')) return k;
    auto end = k + 1;
    if (end < line.size() && (line[end] == '+' || line[end] == '-')) ++end;
    if (!has_digit_at(line, end)) return k;
    while (has_digit_at(line, end)) ++end;
    return end;
}

namespace
{

// The digits from `begin` on with their exponent; sets the end.
double read_number(std::string_view line, std::size_t begin, std::size_t &end)
{
    double value = no_number;
    const auto plain = std::from_chars(line.data() + begin, line.data() + line.size(), value);
    end = static_cast<std::size_t>(plain.ptr - line.data());
    const bool has_letter = line.substr(begin, end - begin).find_first_of("eE") != std::string_view::npos;
    if (const auto last = has_letter ? end : end_of_exponent(line, end); last > end) {
        std::string with_e(line.substr(begin, last - begin));
        with_e[end - begin] = 'e';
        end = last;
        return parse_double(with_e).value_or(no_number);
    }
    return plain.ec == std::errc{} ? value : no_number;
}

// The end of what goes on behind a number without a blank and has digits, as in 0,53, 0m1.5s, 1'234, 00:01:02, 0.1-101, 1/3 and 0x1p-1. A
// comma that follows a decimal point separates two numbers.
std::size_t end_of_rest(std::string_view line, std::size_t end, bool is_integer)
{
    auto last = end;
    for (auto k = end; k < line.size();) {
        const char c = line[k];
        const bool is_foreign = static_cast<unsigned char>(c) >= 0x80;
        const bool joins = is_letter(c) || is_foreign ||
                           std::string_view("_.':+-/").find(c) != std::string_view::npos ||
                           (c == ',' && is_integer && is_digit(line[k - 1]));
        if (!joins && !is_digit(c)) break;
        if (is_digit(c)) last = k + 1;
        ++k;
    }
    while (last > end && last < line.size() && is_letter(line[last])) ++last; // the unit
    return last;
}

// 1.234,5: a point and a comma, each of which may part thousands or decimals. A comma and a number with a point begin another number.
std::size_t end_with_comma(std::string_view line, std::size_t begin, std::size_t end)
{
    constexpr std::size_t thousands = 3;
    const auto point = line.substr(begin, end - begin).find('.');
    if (point == std::string_view::npos || end - begin - point - 1 != thousands) return end;
    if (end >= line.size() || line[end] != ',' || !has_digit_at(line, end + 1)) return end;
    auto last = end + 1;
    while (has_digit_at(line, last)) ++last;
    return last < line.size() && line[last] == '.' ? end : last;
}

// 1.25 e-3, 1.25 D+03: the exponent is apart.
std::size_t end_with_exponent_apart(std::string_view line, std::size_t end)
{
    auto k = line.find_first_not_of(' ', end);
    if (k == std::string_view::npos || k == end || std::string_view("eEdD").find(line[k]) == std::string_view::npos)
        return end;
    if (++k < line.size() && (line[k] == '+' || line[k] == '-')) ++k;
    if (!has_digit_at(line, k)) return end;
    while (has_digit_at(line, k)) ++k;
    return k;
}

// 1.5 x 10^2, 1.5*10**2, and 120.53(2), whose last digit is known to 2.
std::size_t end_with_power_or_error(std::string_view line, std::size_t end)
{
    constexpr std::array<std::string_view, 5> times = {"x", "X", "*", "\u00d7", "\u00b7"};
    constexpr std::array<std::string_view, 2> powers = {"10^", "10**"};
    const auto digits_from = [&](std::size_t k) {
        while (has_digit_at(line, k)) ++k;
        return k;
    };
    if (end < line.size() && line[end] == '(') {
        const auto last = digits_from(end + 1);
        return last > end + 1 && last < line.size() && line[last] == ')' ? last + 1 : end;
    }
    auto rest = trim(line.substr(end));
    for (const auto sign : times) {
        if (!rest.starts_with(sign)) continue;
        rest = trim(rest.substr(sign.size()));
        for (const auto power : powers)
            if (rest.starts_with(power)) {
                auto k = static_cast<std::size_t>(rest.data() - line.data()) + power.size();
                k = std::min(line.find_first_of("0123456789", k), line.size());
                return digits_from(k);
            }
    }
    return end;
}

} // namespace

WrittenNumber written_number(std::string_view line, std::size_t begin)
{
    std::size_t end = begin;
    const auto value = read_number(line, begin, end);
    auto last = end_with_power_or_error(line, end);
    const bool is_integer = line.substr(begin, end - begin).find_first_of(".eEdD") == std::string_view::npos;
    if (last == end) last = end_of_rest(line, end, is_integer);
    if (last == end) last = end_with_comma(line, begin, end);
    if (last == end) last = end_with_exponent_apart(line, end);
    return {last > end ? no_number : value, last};
}

bool goes_on(std::string_view line, std::size_t k)
{
    if (k == 0 || !is_digit(line[k - 1]) || k >= line.size()) return false;
    const bool is_exponent = (line[k] == 'e' || line[k] == 'E') && end_of_rest(line, k, false) > k;
    return is_exponent || is_digit(line[k]) || (line[k] == '.' && has_digit_at(line, k + 1));
}

} // namespace hpart
