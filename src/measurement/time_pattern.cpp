#include "measurement/printed_time.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "measurement/printed_time.hpp"

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

namespace
{

// A text that each match has; "" if none is sure.
std::string literal_of(std::string_view pattern)
{
    std::string best, now;
    int depth = 0;
    const auto end_run = [&] {
        if (now.size() > best.size()) best = now;
        now.clear();
    };
    for (std::size_t k = 0; k < pattern.size(); ++k) {
        const char c = pattern[k];
        if (c == '|') return "";
        if (std::string_view("*?{").find(c) != std::string_view::npos && !now.empty()) now.pop_back();
        const bool is_plain = depth == 0 && std::string_view("\\^$.*+?()[]{}").find(c) == std::string_view::npos;
        if (is_plain) {
            now += c;
            continue;
        }
        end_run();
        if (c == '\\' &&
            (++k >= pattern.size() || std::string_view("xuc0123456789").find(pattern[k]) != std::string_view::npos))
            return "";
        if (c == '[' || (c == '{' && depth == 0)) {
            const char close = c == '[' ? ']' : '}';
            for (++k; k < pattern.size() && pattern[k] != close; ++k)
                if (pattern[k] == '\\') ++k;
        }
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    end_run();
    return best;
}

// 5 of "2 minutes 5 seconds", "1m 5s" or "1 hour, 30 min, 5 s".
bool is_smaller_part(std::string_view line, const std::vector<PrintedNumber> &numbers, const PrintedNumber &number)
{
    const auto *before = &number == numbers.data() ? nullptr : &number - 1;
    if (before == nullptr || before->unit != Unit::sought || number.unit != Unit::sought) return false;
    const auto between = trim(line.substr(before->end, number.begin - before->end));
    const bool is_larger = before->unit_seconds > number.unit_seconds || std::isnan(before->value);
    return is_larger && (between == "and" || between.find_first_not_of(" \t,.;:") == std::string_view::npos);
}

// "Elapsed (ms): ", "elapsed_ms=": the unit in the name of a number; nothing if there is none.
std::optional<double> unit_in_name(std::string_view name)
{
    name = name.substr(0, name.find_last_not_of(" \t:=)]}") + 1);
    auto begin = name.size();
    while (begin > 0 && (is_letter(name[begin - 1]) || is_foreign(name[begin - 1]))) --begin;
    if (begin == 0 || begin == name.size() || std::string_view("([{_").find(name[begin - 1]) == std::string_view::npos)
        return std::nullopt;
    return seconds_of_unit(name.substr(begin));
}

// The number that the group of a match is; NaN if it is a part of one.
PrintedNumber chosen_number(std::string_view line, const std::vector<PrintedNumber> &numbers, std::ptrdiff_t match,
                            std::ptrdiff_t group, std::ptrdiff_t length, double unit, Printed quantity)
{
    auto begin = static_cast<std::size_t>(group), end = static_cast<std::size_t>(group + length);
    const auto text = trim(line.substr(begin, end - begin));
    if (!text.empty()) begin = static_cast<std::size_t>(text.data() - line.data());
    end = begin + text.size();
    PrintedNumber bad{no_number, begin, end};
    for (const auto &number : numbers) {
        if (end <= number.begin || number.digits_end <= begin) continue;
        bad = number;
        bad.value = no_number;
        if (std::isnan(number.value) && bad.flaw == Flaw::none && begin == number.begin && end == number.digits_end)
            return bad;
        if (bad.flaw == Flaw::none) bad.flaw = Flaw::part;
        const bool is_whole = end == number.digits_end || end == number.end;
        if (begin == number.begin) return is_whole && !is_smaller_part(line, numbers, number) ? number : bad;
        // 'real 0m([0-9.]+)s' names the text before the group; of 1m2.5s the group would be a part.
        const auto before = line.substr(number.begin, begin - std::min(begin, number.begin));
        if (begin < number.begin || match > static_cast<std::ptrdiff_t>(number.begin) || !is_letter(line[begin - 1]) ||
            before.find_first_of("123456789") != std::string_view::npos)
            return bad;
    }
    auto rest = numbers_in(line.substr(begin), unit, false, quantity);
    if (rest.empty() || rest.front().begin > 0) return bad;
    auto &number = rest.front();
    const bool is_whole = end - begin == number.digits_end || end - begin == number.end;
    number.begin += begin;
    number.end += begin;
    if (!is_whole) number.value = no_number, number.flaw = Flaw::part;
    return number;
}

// A pattern that finds the first time or rate of this line, or its last number; "" if there is none so simple.
std::string pattern_for(std::string_view line, Printed quantity)
{
    constexpr std::string_view number = "([-+0-9.eE]+)";
    const auto all = numbers_in(line, 1, true, quantity);
    if (all.empty()) return "";
    const auto of_time = std::ranges::find(all, Unit::sought, &PrintedNumber::unit);
    const auto chosen = of_time != all.end() ? of_time : all.end() - 1;
    constexpr std::size_t longest = 30; // bytes beside the number
    const auto begin = std::max(chosen == all.begin() ? 0 : std::prev(chosen)->digits_end,
                                chosen->begin - std::min(chosen->begin, longest));
    const auto next = std::next(chosen) == all.end() ? line.size() : std::next(chosen)->begin;
    const auto literally = [](std::string_view text) {
        constexpr std::string_view any_digits = "[0-9]+"; // of ranks, which differ from line to line
        std::string out;
        for (const char c : text) {
            if (is_digit(c)) {
                if (!out.ends_with(any_digits)) out += any_digits;
                continue;
            }
            if (std::string_view("\\^$.*+?()[]{}|").find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
        return out;
    };
    const auto before = literally(line.substr(begin, chosen->begin - begin));
    const auto after = literally(line.substr(chosen->digits_end, std::min(next - chosen->digits_end, longest)));
    if (trim(before).empty() && trim(after).empty()) return "";
    const auto pattern = trim(before).empty() ? text(number, after) : text(before, number);
    const auto found = PrintedTime(pattern, 1, quantity).last_in(line);
    return found && !std::isnan(found->value) ? pattern : "";
}

} // namespace

std::string example_pattern(std::string_view line, Printed quantity)
{
    const auto pattern = pattern_for(line, quantity);
    return pattern.empty() ? "" : text(", as ", in_quotes(pattern));
}

std::string describe_bad_number(std::string_view written, Flaw flaw, Printed quantity)
{
    const bool has_example = flaw == Flaw::several || flaw == Flaw::unclear || flaw == Flaw::unnamed;
    const auto example = has_example ? example_pattern(written, quantity) : "";
    const bool is_rate = quantity == Printed::rate;
    const auto *const what = is_rate ? "rate" : "time";
    const auto begin = flaw == Flaw::cut ? text("printed a line of more than ", longest_line, " bytes")
                                         : text("printed ", in_quotes(trim(written)));
    switch (flaw) {
    case Flaw::several:
        return text(begin, ", which has several ", what, "s; print the ", what,
                    " alone on the last line, or give a time pattern", example);
    case Flaw::unclear:
    case Flaw::unnamed:
        return text(begin, ", which does not say what is the ", what,
                    "; print it alone on the last line, or with its unit", is_rate ? " as rows/s" : "",
                    ", or give a time pattern", example);
    case Flaw::part: return begin + ", of which the time pattern takes a part; its group must be the whole number";
    case Flaw::named:
        return text(begin, ", which is no ", what, " of the run by the words beside it; print the ", what,
                    " alone on the last line, or give a time pattern");
    case Flaw::named_unit: return begin + ", whose name has a unit; give the time unit";
    case Flaw::zeros: return begin + ", which has bytes of 0, as UTF-16 has; print UTF-8";
    case Flaw::cut: return begin + text("; print the ", what, " on a line of its own");
    case Flaw::none: break;
    }
    return begin +
           (is_rate ? ", which is no number of units a second; it must be one such as 530, 1.25e3, 1.25D3 or 530 rows/s"
                    : ", which is no number of seconds; it must be one such as 0.53, 1.25e-3, 1.25D-3 or 530 ms");
}

PrintedTime::PrintedTime(const std::string &pattern, double unit, Printed quantity) : unit_(unit), quantity_(quantity)
{
    if (pattern.empty()) return;
    // Without going back, which takes exponential time for some patterns; so without \1, too.
    auto kind = std::regex::ECMAScript;
#ifdef __GLIBCXX__
    kind |= std::regex_constants::__polynomial;
#endif
    try {
        pattern_.emplace(pattern, kind);
    } catch (const std::regex_error &error) {
        fail_option("time_pattern", " is ", in_quotes(pattern),
                    "; it must be a regular expression as in ECMAScript, without references to groups: ", error.what());
    }
    if (pattern_->mark_count() == 0)
        fail_option("time_pattern", " is ", in_quotes(pattern),
                    "; the number must be in parentheses, as in 'took ([0-9.]+) s'");
    literal_ = literal_of(pattern);
}

std::vector<PrintedNumber> PrintedTime::all_in(std::string_view line) const
{
    if (!pattern_) return numbers_in(line, unit_, true, quantity_);
    if (line.ends_with(cut_mark)) return {{no_number, 0, line.size(), Unit::none, 1, 1, 0, Flaw::cut}};
    if (line.find(literal_) == std::string_view::npos) return {};
    using Matches = std::regex_iterator<std::string_view::const_iterator>;
    std::vector<PrintedNumber> all;
    std::optional<std::vector<PrintedNumber>> numbers;
    for (Matches match(line.begin(), line.end(), *pattern_); match != Matches(); ++match) {
        if (!numbers) join_last_two(line, numbers.emplace(numbers_in(line, unit_, false, quantity_)), false);
        all.push_back(
            chosen_number(line, *numbers, match->position(0), match->position(1), match->length(1), unit_, quantity_));
        auto &number = all.back();
        const auto named = unit_in_name(line.substr(0, number.begin));
        if (quantity_ == Printed::time && number.unit == Unit::none && named && *named != unit_)
            number.value = no_number, number.flaw = Flaw::named_unit;
    }
    return all;
}

std::optional<PrintedNumber> PrintedTime::last_in(std::string_view line) const
{
    if (!pattern_) return time_in(line, unit_, quantity_);
    const auto all = all_in(line);
    return all.empty() ? std::nullopt : std::optional(all.back());
}

} // namespace hpart
