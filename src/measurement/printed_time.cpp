#include "measurement/printed_time.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "measurement/written_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace hpart
{

namespace
{

// In "GPU0" and "v1.2" there is no number.
bool is_of_word(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '.'; }

// As in "min: 0.5", "min = -3" and "n=100".
bool is_sign_before_number(std::string_view line, std::size_t k)
{
    constexpr std::string_view blanks = " \t";
    k = std::min(line.find_first_not_of(blanks, k), line.size());
    if (k == line.size() || (line[k] != ':' && line[k] != '=')) return false;
    k = line.find_first_not_of(blanks, k + 1);
    if (k == std::string_view::npos) return false;
    if (line[k] == '-' || line[k] == '+' || line[k] == '.') ++k;
    return has_digit_at(line, k);
}

// The word behind a number that ends at k: 0.5 s, 0.5s, 0.5 (s), 0.5 [s].
struct Word {
    std::string_view text;
    bool is_attached;
    std::size_t end;
};
Word word_at(std::string_view line, std::size_t k)
{
    auto begin = std::min(line.find_first_not_of(" \t", k), line.size());
    const bool is_attached = begin == k;
    const bool has_bracket = begin < line.size() && (line[begin] == '(' || line[begin] == '[');
    if (has_bracket) ++begin;
    auto end = begin;
    while (end < line.size() && (is_letter(line[end]) || static_cast<unsigned char>(line[end]) >= 0x80)) ++end;
    if (end == begin && end < line.size() && line[end] == '%') ++end;
    if (is_sign_before_number(line, end)) end = begin; // the name of the next number
    const auto text = line.substr(begin, end - begin);
    if (has_bracket && end < line.size() && (line[end] == ')' || line[end] == ']')) ++end;
    return {text, is_attached, end};
}

// 12 ns/day, 27 ms per token: a time of something else than the run. But 3424 ms / 127 is not.
bool is_time_per(const Word &word, std::string_view line)
{
    const auto rest = trim(line.substr(word.end));
    if (!rest.starts_with('/')) return rest.starts_with("per ");
    const auto below = trim(rest.substr(1));
    return !below.empty() && is_letter(below[0]);
}

// 17 /s, 3 GB/s, 40 tokens per second.
bool is_rate(const Word &word, std::string_view line)
{
    auto rest = trim(line.substr(word.text == "per" ? word.end - word.text.size() : word.end));
    if (rest.starts_with('/'))
        rest.remove_prefix(1);
    else if (rest.starts_with("per "))
        rest.remove_prefix(4);
    else
        return false;
    return seconds_of_unit(word_at(rest, 0).text).has_value();
}

std::string in_small_letters(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// Longer words may have capitals: Minutes, MIN.
std::optional<double> seconds_of(std::string_view word)
{
    constexpr std::size_t shortest = 3;
    if (const auto seconds = seconds_of_unit(word); seconds || word.size() < shortest) return seconds;
    auto small = in_small_letters(word);
    if (small.ends_with("secs")) small.pop_back();
    if (small.starts_with("\u00b5sec") || small.starts_with("\u03bcsec") || small.starts_with("microsec")) return 1e-6;
    if (small.starts_with("millisec")) return 1e-3;
    if (small.starts_with("nanosec")) return 1e-9;
    return seconds_of_unit(small);
}

// 17 GFLOPS, 12 GB, 30 fps, 12 %, 5x: the word is a unit, and not one of time, or one that may be another: 2 m.
bool is_other_unit(const Word &word)
{
    constexpr std::array<std::string_view, 16> short_ones = {"%", "\u2030", "B", "b", "W", "J", "Wh", "Hz",
                                                             "A", "V",      "K", "C", "m", "d", "x",  "\u00b0C"};
    constexpr std::array<std::string_view, 22> long_ones = {
        "flops", "fps",  "byte", "bytes", "bit", "bits", "joule", "joules", "watt", "watts", "percent",
        "day",   "days", "gups", "iops",  "qps", "rpm",  "mbps",  "gbps",   "ops",  "hertz", "kelvin"};
    if (word.text.empty()) return false;
    const auto is_one = [&](std::string_view unit) {
        const auto small = in_small_letters(unit);
        return std::find(short_ones.begin(), short_ones.end(), unit) != short_ones.end() ||
               std::find(long_ones.begin(), long_ones.end(), small) != long_ones.end();
    };
    auto unit = word.text;
    if (std::string_view("mkKMGTP").find(unit.front()) != std::string_view::npos) unit.remove_prefix(1);
    if (unit.starts_with('i')) unit.remove_prefix(1);
    return word.is_attached || is_one(word.text) || is_one(unit);
}

// 1 min 5 s, 1 m 5.2 s, 1 s, 200 ms, 2 hours and 3 m: the second is a part of the same time. Integers alone have parts.
bool is_next_part(std::string_view line, const PrintedNumber &before, const Word &word_before, std::size_t begin,
                  const Word &word)
{
    constexpr double minute = 60, day = 86400;
    const auto unit_of = [&](std::string_view name) {
        return name == "m"                                      ? minute
               : name == "d" || name == "day" || name == "days" ? day
                                                                : seconds_of(name).value_or(0);
    };
    if (word_before.end > begin || unit_of(word.text) == 0 || unit_of(word_before.text) <= unit_of(word.text))
        return false;
    const bool is_integer = std::isnan(before.value) || // of several parts
                            line.substr(before.begin, before.end - before.begin).find('.') == std::string_view::npos;
    if (!is_integer) return false;
    auto between = trim(line.substr(word_before.end, begin - word_before.end));
    if (between.starts_with("and")) between.remove_prefix(3);
    return between.find_first_not_of(" \t,.;()s") == std::string_view::npos;
}

// avg 0.021 min 0.020, n 100 seconds 0.5: whether a longer word is the unit of the number before it or the name of the next one.
bool is_name_or_unit(const Word &word, std::string_view line)
{
    constexpr std::size_t longest_sign = 2; // s, ms, us
    const auto rest = trim(line.substr(word.end));
    if (word.text.size() <= longest_sign || rest.empty()) return false;
    auto next = static_cast<std::size_t>(rest.data() - line.data());
    if (line[next] == '-') ++next;
    if (!has_digit_at(line, line[next] == '.' ? next + 1 : next)) return false;
    return !is_other_unit(word_at(line, written_number(line, next).end)); // 0.5 seconds 17 GFLOPS
}

// 0.5 +- 0.02 s: the second number is the error of the first, and has its unit. Returns the end.
bool is_sign_of_error(std::string_view between)
{
    constexpr std::array<std::string_view, 8> signs = {"+-",     "+/-",  "\u00b1",  "\xb1",
                                                       "\u2213", "\\pm", "+\u2212", "\u00b1\u00a0"};
    between = between.substr(0, between.find_last_not_of(" \t(") + 1);
    return std::any_of(signs.begin(), signs.end(), [&](auto sign) { return between.ends_with(sign); });
}
std::size_t take_unit_of_error(std::string_view line, std::size_t end, PrintedNumber &number)
{
    const auto word = word_at(line, end);
    const auto seconds = seconds_of(word.text);
    if (number.unit == Unit::none && seconds)
        number.value = in_seconds(number.value, *seconds), number.unit = Unit::time;
    number.end = std::max(end, word.end);
    return number.end;
}

// 1 234 ms, 1 234.5 ms
bool goes_on_as_thousands(std::string_view line, const PrintedNumber &number, std::size_t begin, std::size_t end)
{
    constexpr std::size_t digits = 3;
    const auto is_integer = [](std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); };
    const auto first = line.substr(number.begin, number.end - number.begin), next = line.substr(begin, end - begin);
    return number.unit == Unit::none && number.end + 1 == begin && first.size() <= digits && is_integer(first) &&
           std::min(next.find('.'), next.size()) == digits && is_integer(next.substr(0, digits));
}

bool is_word_of_no_number(std::string_view word)
{
    constexpr std::array<std::string_view, 3> words = {"nan", "inf", "infinity"};
    if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
    return std::any_of(words.begin(), words.end(), [&](auto one) {
        return one.size() == word.size() && std::equal(one.begin(), one.end(), word.begin(), [](char a, char b) {
                   return a == (b >= 'A' && b <= 'Z' ? static_cast<char>(b - 'A' + 'a') : b);
               });
    });
}

} // namespace

std::vector<PrintedNumber> numbers_in(std::string_view line, double unit)
{
    constexpr std::string_view blanks = " \t,;:=";
    std::vector<PrintedNumber> numbers;
    Word last_word{};
    const auto add = [&](double value, std::size_t begin, std::size_t end) {
        const auto before = std::exchange(last_word, word_at(line, end));
        const auto &word = last_word;
        const bool is_of_rate = is_rate(word, line) || is_time_per(word, line);
        const auto seconds = is_of_rate ? std::nullopt : seconds_of(word.text);
        if (seconds && is_name_or_unit(word, line)) value = no_number;
        if (!numbers.empty() && !is_of_rate && is_next_part(line, numbers.back(), before, begin, word)) {
            numbers.back() = {no_number, numbers.back().begin, word.end, Unit::time}; // a time in parts, as 0m1.5s
            return word.end;
        }
        if (seconds && !numbers.empty() && goes_on_as_thousands(line, numbers.back(), begin, end)) {
            numbers.back() = {no_number, numbers.back().begin, end, Unit::time};
            return word.end;
        }
        if (seconds && std::isnan(value))
            numbers.push_back({value, begin, end, Unit::time});
        else if (seconds)
            numbers.push_back({in_seconds(value, *seconds), begin, word.end, Unit::time, *seconds});
        else if (is_of_rate || is_other_unit(word))
            numbers.push_back({no_number, begin, word.end, Unit::other});
        else
            numbers.push_back({value, begin, end, Unit::none});
        return numbers.back().end;
    };
    for (std::size_t k = 0; k < line.size();) {
        if (k == 0 || blanks.find(line[k - 1]) != std::string_view::npos) {
            const auto end = std::min(line.find_first_of(blanks, k), line.size());
            if (is_word_of_no_number(line.substr(k, end - k))) {
                k = add(no_number, k, end);
                continue;
            }
        }
        const bool begins = is_digit(line[k]) || (line[k] == '.' && has_digit_at(line, k + 1));
        if (!begins || (k > 0 && is_of_word(line[k - 1]))) {
            ++k;
            continue;
        }
        const auto [value, last] = written_number(line, k);
        // Behind a letter or a digit it is a hyphen.
        const bool has_sign =
            k > 0 && (line[k - 1] == '-' || line[k - 1] == '+') && (k == 1 || !is_of_word(line[k - 2]));
        constexpr std::string_view minus = "\u2212";
        const bool is_negative = (has_sign && line[k - 1] == '-') || line.substr(0, k).ends_with(minus);
        if (!numbers.empty() && is_sign_of_error(line.substr(numbers.back().end, k - numbers.back().end)))
            k = take_unit_of_error(line, last, numbers.back());
        else
            k = add(is_negative ? -value : value, has_sign ? k - 1 : k, last);
    }
    for (auto &number : numbers)
        if (number.unit == Unit::none) number.value = in_seconds(number.value, unit);
    return numbers;
}

std::vector<PrintedNumber> numbers_alone(std::string_view line, double unit)
{
    auto numbers = numbers_in(line, unit);
    std::size_t at = 0;
    const auto is_bare = [](std::string_view between) {
        between = trim(between);
        if (between.starts_with('s')) between.remove_prefix(1); // of one that is no number
        return between.find_first_not_of(" \t,;") == std::string_view::npos;
    };
    if (!numbers.empty() && !trim(line.substr(0, numbers.front().begin)).empty()) return {};
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        if (numbers[k].unit == Unit::other) return {};
        at = numbers[k].end;
        const auto next = k + 1 < numbers.size() ? numbers[k + 1].begin : line.size();
        if (!is_bare(line.substr(at, next - at))) return {};
    }
    // 0.1 0.2 300 ms, 500 ms 300: a unit may be that of all.
    const auto is_bare_number = [](const auto &number) { return number.unit == Unit::none; };
    const auto has_another_unit = [&](const auto &number) {
        return number.unit == Unit::time && number.unit_seconds != unit;
    };
    if (std::any_of(numbers.begin(), numbers.end(), is_bare_number) &&
        std::any_of(numbers.begin(), numbers.end(), has_another_unit))
        for (auto &number : numbers) number = {no_number, numbers.front().begin, at, Unit::none};
    return numbers;
}

std::optional<double> parse_seconds(std::string_view text)
{
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    if (const auto d = text.find_first_of("dD");
        d != std::string_view::npos && end_of_exponent(text, d) == text.size()) {
        std::string with_e(text);
        with_e[d] = 'e';
        return parse_double(with_e);
    }
    return parse_double(text);
}

std::string describe_bad_number(std::string_view written)
{
    return text("printed ", in_quotes(written),
                ", which is no number of seconds; it must be one such as 0.53, 1.25e-3 or 1.25D-3");
}

PrintedTime::PrintedTime(const std::string &pattern, double unit) : unit_(unit)
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
        fail_argument(
            "option 'time_pattern' is ", in_quotes(pattern),
            "; it must be a regular expression as in ECMAScript, without references to groups: ", error.what());
    }
    if (pattern_->mark_count() == 0)
        fail_argument("option 'time_pattern' is ", in_quotes(pattern),
                      "; the number must be in parentheses, as in 'took ([0-9.]+) s'");
}

std::vector<PrintedNumber> PrintedTime::all_in(std::string_view line) const
{
    if (!pattern_) return numbers_in(line, unit_);
    using Matches = std::regex_iterator<std::string_view::const_iterator>;
    std::vector<PrintedNumber> all;
    for (Matches match(line.begin(), line.end(), *pattern_); match != Matches(); ++match) {
        const auto end = static_cast<std::size_t>((*match)[1].second - line.begin());
        auto value = parse_seconds({(*match)[1].first, (*match)[1].second}).value_or(no_number);
        const auto word = word_at(line, end);
        const auto seconds = seconds_of(word.text).value_or(unit_);
        if (goes_on(line, end) || (seconds_of(word.text) && is_name_or_unit(word, line))) value = no_number;
        all.push_back(
            {in_seconds(value, seconds), static_cast<std::size_t>((*match)[1].first - line.begin()), end, Unit::none});
    }
    return all;
}

std::optional<PrintedNumber> PrintedTime::last_in(std::string_view line) const
{
    const auto all = all_in(line);
    if (all.empty()) return std::nullopt;
    const auto with_unit =
        std::find_if(all.rbegin(), all.rend(), [](const auto &number) { return number.unit == Unit::time; });
    if (with_unit != all.rend()) return *with_unit;
    auto last = all.back();
    if (!pattern_ && all.size() > 1 && goes_on_as_thousands(line, all[all.size() - 2], last.begin, last.end))
        last.value = no_number; // 1 234
    return last;
}

} // namespace hpart
