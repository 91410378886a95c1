#include "measurement/printed_time.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::string_view blanks = " \t";

template <std::size_t N> bool is_one_of(const std::array<std::string_view, N> &all, std::string_view word)
{
    return std::find(all.begin(), all.end(), word) != all.end();
}

std::string in_small_letters(std::string_view text)
{
    std::string out(text);
    for (char &c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// In "GPU0" and "v1.2" there is no number.
bool is_of_word(char c) { return is_digit(c) || is_letter(c) || c == '_' || c == '.'; }

// "total: ****": Fortran's number that is too long for its field.
bool is_overflow(std::string_view line, std::size_t k)
{
    constexpr std::size_t fewest = 3;
    const auto name = line.substr(0, k).find_last_not_of(blanks);
    return name != std::string_view::npos && (line[name] == ':' || line[name] == '=') &&
           std::min(line.find_first_not_of('*', k), line.size()) - k >= fewest;
}

// nan, -inf, ****: the end of the word; k if there is another.
std::size_t end_of_no_number(std::string_view line, std::size_t k)
{
    if (line[k] == '*') return std::min(line.find_first_not_of('*', k), line.size());
    constexpr std::string_view around = " \t,;:=";
    constexpr std::array<std::string_view, 3> words = {"nan", "inf", "infinity"};
    if (k > 0 && around.find(line[k - 1]) == std::string_view::npos) return k;
    const auto end = std::min(line.find_first_of(around, k), line.size());
    const auto begin = line[k] == '-' || line[k] == '+' ? k + 1 : k;
    return is_one_of(words, in_small_letters(line.substr(begin, end - begin))) ? end : k;
}

// The place of the next number; the size if there is none. Each byte of long outputs passes here: a table is fast.
std::size_t next_number(std::string_view line, std::size_t k)
{
    static constexpr auto may_begin = [] {
        std::array<bool, 256> bytes{};
        for (const char c : std::string_view("0123456789.nNiI+-*")) bytes[static_cast<unsigned char>(c)] = true;
        return bytes;
    }();
    for (; k < line.size(); ++k) {
        if (!may_begin[static_cast<unsigned char>(line[k])]) continue;
        if (line[k] == '*' && !is_overflow(line, k)) continue;
        const bool is_number = is_digit(line[k]) || (line[k] == '.' && has_digit_at(line, k + 1));
        const bool is_after_dots =
            k > 0 && line[k - 1] == '.' && (k == 1 || !is_of_word(line[k - 2]) || line[k - 2] == '.');
        if (is_number && line[k] == '.' && is_after_dots) continue; // "....5": a line of dots, and 5
        if (is_number ? k == 0 || is_after_dots || !is_of_word(line[k - 1]) : end_of_no_number(line, k) > k) return k;
    }
    return k;
}

// As in "min: 0.5", "min = -3" and "n=100".
bool is_sign_before_number(std::string_view line, std::size_t k)
{
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
std::size_t end_of_word(std::string_view line, std::size_t k)
{
    while (k < line.size() && (is_letter(line[k]) || is_foreign(line[k]))) ++k;
    return k;
}
Word word_at(std::string_view line, std::size_t k)
{
    constexpr std::string_view fixed_blank = "\u00a0";
    auto begin = std::min(line.find_first_not_of(blanks, k), line.size());
    if (line.substr(begin).starts_with(fixed_blank)) begin += fixed_blank.size();
    const bool is_attached = begin == k;
    const bool has_bracket = begin < line.size() && std::string_view("([{").find(line[begin]) != std::string_view::npos;
    if (has_bracket) ++begin;
    auto end = end_of_word(line, begin);
    if (end == begin && end < line.size() && line[end] == '%') ++end;
    if (is_sign_before_number(line, end)) end = begin; // the name of the next number
    const auto text = line.substr(begin, end - begin);
    if (has_bracket && end < line.size() && std::string_view(")]}").find(line[end]) != std::string_view::npos) ++end;
    return {text, is_attached, end};
}

// Longer words may have capitals: Minutes, MIN.
std::optional<double> seconds_of_word(std::string_view word)
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

// A unit of time that is not read: an ambiguous one, one of another language, or one with other letters.
bool is_odd_time(std::string_view word)
{
    constexpr std::array<std::string_view, 12> signs = {"m",  "mn", "M",   "H",   "S",   "d",
                                                        "ps", "fs", "Std", "Sek", "ora", "ore"};
    constexpr std::array<std::string_view, 17> stems = {"minut",  "stund",  "heure",  "hora",   "sekund", "second",
                                                        "segund", "millis", "mikros", "micros", "nanos",  "picos",
                                                        "day",    "week",   "tage",   "woche",  "jour"};
    const auto small = in_small_letters(word);
    return is_one_of(signs, word) ||
           std::any_of(stems.begin(), stems.end(), [&](auto stem) { return small.starts_with(stem); });
}

// 17 GFLOPS, 12 GB, 30 fps, 12 %, 5x: the word is a unit, and not one of time.
bool is_other_unit(const Word &word)
{
    constexpr std::array<std::string_view, 14> short_ones = {"%",  "\u2030", "B", "b", "W", "J", "Wh",
                                                             "Hz", "A",      "V", "K", "C", "x", "\u00b0C"};
    constexpr std::array<std::string_view, 20> long_ones = {
        "flops", "fps",     "byte", "bytes", "bit", "bits", "joule", "joules", "watt", "watts",
        "hertz", "percent", "gups", "iops",  "qps", "rpm",  "mbps",  "gbps",   "ops",  "kelvin"};
    const auto is_one = [&](std::string_view unit) {
        return is_one_of(short_ones, unit) || is_one_of(long_ones, in_small_letters(unit));
    };
    if (word.text.empty()) return false;
    auto unit = word.text;
    if (std::string_view("mkKMGTP").find(unit.front()) != std::string_view::npos) unit.remove_prefix(1);
    if (unit.starts_with('i')) unit.remove_prefix(1);
    return word.is_attached || is_one(word.text) || is_one(unit);
}

// 0.02 s^-1, 0.02 s-1, 3 s**2: another unit than the second.
bool is_power(std::string_view rest)
{
    constexpr std::string_view signs = "^*-";
    if (rest.empty() || signs.find(rest.front()) == std::string_view::npos) return false;
    const auto next = rest.find_first_not_of(signs);
    return next != std::string_view::npos && (is_digit(rest[next]) || rest.front() != '-');
}

// 12 ns/day, 27 ms per token, 17 /s, 40 tokens per second: no time of the run. But 3424 ms / 127 may be.
bool is_per(const Word &word, std::string_view line)
{
    if (!word.text.empty() && is_power(line.substr(word.end))) return true;
    const auto rest = trim(line.substr(word.end));
    if (!rest.starts_with('/')) return word.text == "per" || rest.starts_with("per ");
    const auto below = trim(rest.substr(1));
    return !below.empty() && is_letter(below[0]);
}

// 17 rows/s, 40 tokens per second, 3/ms: how many a second one is; nothing behind other numbers. A word that begins like 3 GB/s, 2 k/s
// and 5 krows/s may count thousands, or not, as 5 keys/s.
std::optional<double> rate_unit(const Word &word, std::string_view line, std::size_t &end)
{
    constexpr std::string_view thousands = "kKMGTPE";
    constexpr std::array<std::string_view, 9> multiples = {"thousand", "thousands", "million", "millions", "billion",
                                                           "billions", "kilo",      "mega",    "giga"};
    if (is_one_of(multiples, in_small_letters(word.text))) return std::nullopt;
    if (!is_per(word, line) || is_odd_time(word.text) || seconds_of_word(word.text)) return std::nullopt;
    if (!word.text.empty() && thousands.find(word.text.front()) != std::string_view::npos) return std::nullopt;
    const auto sign = line.find_first_of("/p", word.text == "per" ? word.end - word.text.size() : word.end);
    const auto below =
        line.find_first_not_of(blanks, line[sign] == '/' ? sign + 1 : sign + std::string_view("per").size());
    end = end_of_word(line, std::min(below, line.size()));
    if (below >= end || (end < line.size() && std::string_view("/^*_").find(line[end]) != std::string_view::npos))
        return std::nullopt;
    const auto seconds = seconds_of_word(line.substr(below, end - below));
    if (trim(line.substr(end)).starts_with("per ")) return std::nullopt; // 37 tokens/s per GPU
    return seconds ? std::optional(1 / *seconds) : std::nullopt;
}

// Calls is(word, rest) with each word of the name's last clause, in small letters, until it returns true.
template <typename Is> bool any_word(std::string_view name, const Is &is)
{
    const auto small = in_small_letters(name.substr(name.find_last_of(",;|") + 1));
    for (std::size_t k = 0; k < small.size(); ++k) {
        const auto end = end_of_word(small, k);
        if (end > k && is(std::string_view(small).substr(k, end - k), std::string_view(small).substr(end))) return true;
        k = end;
    }
    return false;
}

bool has_word(std::string_view name, std::initializer_list<std::string_view> words)
{
    return any_word(name, [&](std::string_view word, std::string_view) {
        return std::find(words.begin(), words.end(), word) != words.end();
    });
}

// "Time per step: 12", "time/step = 12".
bool is_name_of_part(std::string_view name)
{
    return any_word(name, [](std::string_view word, std::string_view rest) {
        const bool is_below = rest.size() > 1 && rest[0] == '/' && is_letter(rest[1]);
        return word == "per" || (is_below && (word.ends_with("time") || seconds_of_word(word)));
    });
}

// "took < 1", "ETA 3", "std 0.1": a time, and none of the run.
bool is_name_of_another_time(std::string_view name)
{
    const auto last = name.find_last_not_of(blanks);
    if (last != std::string_view::npos && (name[last] == '<' || name[last] == '>')) return true;
    return has_word(name,
                    {"eta", "remaining", "left", "overhead", "resolution", "std", "stddev", "deviation", "timeout"});
}

// Mop/s total = 12, memory (kB): 12. name: the text before the number.
bool is_name_of_other(std::string_view name)
{
    if (is_name_of_part(name)) return true;
    const auto slash = name.find("/s");
    if (slash != std::string_view::npos && end_of_word(name, slash + 1) == slash + 2) return true;
    const auto open = name.find_last_of("([");
    return open != std::string_view::npos && is_other_unit({word_at(name, open).text, false, 0});
}

// 2 wall minutes, 2.5-min, 5 core-hours, 6] ms, 3 \u00c2\u00b5s: a unit of time in the words behind a number that ends at k. Returns their end; 0 if
// there is none.
std::size_t end_of_odd_unit(std::string_view line, std::size_t k)
{
    constexpr int words = 3;
    constexpr std::string_view between = " \t-()[]";
    for (int n = 0; n < words; ++n) {
        const auto begin = std::min(line.find_first_not_of(between, k), line.size());
        k = end_of_word(line, begin);
        const auto word = line.substr(begin, k - begin);
        if (word.empty() || is_sign_before_number(line, k)) return 0;
        // Signs, such as a dash or a plus-minus, begin with other bytes than letters do.
        const auto first = static_cast<unsigned char>(word.front());
        const bool is_foreign_word =
            n == 0 && std::any_of(word.begin(), word.end(), is_foreign) &&
            ((first >= 0xc3 && first != 0xe2) || std::any_of(word.begin(), word.end(), is_letter));
        if (is_foreign_word || seconds_of_word(word) || is_odd_time(word)) return k;
    }
    return 0;
}

// 1' 30'' are minutes; '30' is a text.
bool is_minutes_mark(std::string_view line, std::size_t begin, std::size_t end)
{
    if (end >= line.size() || (line[end] != '\'' && line[end] != '"')) return false;
    return begin == 0 || line[begin - 1] != line[end];
}

// "sys" of "sys = ", in small letters.
std::string last_word(std::string_view text)
{
    const auto end = text.find_last_not_of(" \t:=") + 1;
    auto begin = end;
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    return in_small_letters(text.substr(begin, end - begin));
}

// "0.9 s user", "sys 0.1": a part of the processor's time.
bool is_of_processor(std::string_view name, std::string_view rest)
{
    constexpr std::array<std::string_view, 5> parts = {"user", "usr", "sys", "system", "kernel"};
    const auto after = word_at(rest, 0);
    const auto is_time = [](std::string_view word) { return word == "time"; };
    return is_one_of(parts, last_word(name)) ||
           any_word(name,
                    [&](std::string_view word, std::string_view behind) {
                        return is_one_of(parts, word) &&
                               any_word(behind, [&](auto next, auto) { return is_time(next); });
                    }) ||
           (!after.is_attached && is_one_of(parts, in_small_letters(after.text)));
}

// "elapsed 12.3", "walltime: 12": without a unit, and yet a time. name: the text before the number, behind the number before it.
bool is_named_time(std::string_view name, const PrintedNumber &number)
{
    constexpr std::array<std::string_view, 9> names = {"elapsed",  "took",    "wall", "real", "total",
                                                       "duration", "seconds", "secs", "sec"};
    if (number.unit != Unit::none) return false;
    return is_one_of(names, last_word(name)) || any_word(name, [](std::string_view word, std::string_view) {
               constexpr std::array<std::string_view, 7> sure = {"elapsed",  "took",    "wall",    "wallclock",
                                                                 "finished", "seconds", "duration"};
               return word.ends_with("time") || is_one_of(sure, word);
           });
}

// avg 0.021 min 0.020, n 100 seconds 0.5: whether a longer word is the unit of the number before it or the name of the next one.
bool is_name_or_unit(const Word &word, std::string_view line)
{
    constexpr std::size_t longest_sign = 2; // s, ms, us
    const auto rest = trim(line.substr(word.end));
    if (word.text.size() <= longest_sign || rest.empty()) return false;
    auto next = static_cast<std::size_t>(rest.data() - line.data());
    if (line[next] == '-') ++next;
    if (!has_digit_at(line, line.substr(next).starts_with('.') ? next + 1 : next)) return false;
    return !is_other_unit(word_at(line, written_number(line, next).end)); // 0.5 seconds 17 GFLOPS
}

// 0.5 +- 0.02 s: the second number is the error of the first, and has its unit.
bool is_sign_of_error(std::string_view between)
{
    constexpr std::array<std::string_view, 8> signs = {"+-",     "+/-",  "\u00b1",  "\xb1",
                                                       "\u2213", "\\pm", "+\u2212", "\u00b1\u00a0"};
    between = between.substr(0, between.find_last_not_of(" \t(") + 1);
    return std::any_of(signs.begin(), signs.end(), [&](auto sign) { return between.ends_with(sign); });
}

PrintedNumber number_at(std::string_view line, std::size_t begin, std::size_t before, double unit, Printed quantity)
{
    const bool is_word = !is_digit(line[begin]) && line[begin] != '.';
    const auto written =
        is_word ? WrittenNumber{no_number, end_of_no_number(line, begin), 1} : written_number(line, begin);
    auto value = written.value;
    // Behind a letter or a digit it is a hyphen.
    const bool has_sign =
        begin > 0 && (line[begin - 1] == '-' || line[begin - 1] == '+') && (begin == 1 || !is_of_word(line[begin - 2]));
    constexpr std::string_view minus = "\u2212";
    if ((has_sign && line[begin - 1] == '-') || line.substr(0, begin).ends_with(minus)) value = -value;
    const auto word = word_at(line, written.end);
    const auto name = line.substr(before, begin - before);
    PrintedNumber number{value,      has_sign ? begin - 1 : begin, written.end, Unit::sought, unit, written.step,
                         written.end};
    const auto seconds = seconds_of_word(word.text);
    const bool is_time = seconds || is_odd_time(word.text);
    if (quantity == Printed::rate) {
        std::size_t end = 0;
        if (before > 0 && trim(name).empty() && line.substr(begin).starts_with("1/")) { // 40 1/s
            number.unit = Unit::other;
            number.value = no_number;
        } else if (const auto rate = rate_unit(word, line, end)) {
            number.unit_seconds = *rate;
            number.end = end;
        } else if (is_time || end_of_odd_unit(line, written.end) > 0) {
            number.unit = Unit::other;
            number.value = no_number;
            number.end = word.end;
        } else {
            number.unit = is_per(word, line) || is_other_unit(word) ? Unit::other : Unit::none;
        }
        return number;
    }
    if (is_per(word, line) || (!is_time && is_other_unit(word))) {
        number.unit = Unit::other;
        number.end = word.end;
    } else if (seconds) {
        number.unit_seconds = *seconds;
        if (!std::isnan(value)) number.end = word.end;
        if (is_name_or_unit(word, line)) number.value = no_number;
        if (word.text == "min" && has_word(line, {"max", "avg", "ave", "mean", "median"})) number.value = no_number;
    } else if (is_time) {
        number.value = no_number;
        number.end = word.end;
    } else if (const auto end = end_of_odd_unit(line, written.end); end > 0) {
        number.value = no_number;
        number.end = end;
    } else if (is_minutes_mark(line, begin, written.end)) {
        number.value = no_number;
    } else
        number.unit = Unit::none;
    if (is_name_of_other(name) || is_of_processor(name, line.substr(number.end)))
        number.flaw = Flaw::named;
    else if (is_name_of_another_time(name))
        number.flaw = Flaw::unclear;
    if (number.unit == Unit::other) number.value = no_number;
    return number;
}

} // namespace

void join_last_two(std::string_view line, std::vector<PrintedNumber> &numbers, bool has_unit)
{
    constexpr std::size_t thousands = 3;
    if (numbers.size() < 2) return;
    const auto last = numbers.back();
    auto &before = numbers[numbers.size() - 2];
    // 1 h 30, but not 1 h 30 steps
    const auto behind = line.find_first_not_of(blanks, last.end);
    const bool are_hours = before.unit == Unit::sought && before.unit_seconds > 1 && last.unit == Unit::none &&
                           (behind == std::string_view::npos || !is_letter(line[behind]));
    if ((last.unit == Unit::sought) != has_unit && !are_hours) return;
    const auto digits = [&](const auto &number) { return line.substr(number.begin, number.digits_end - number.begin); };
    const auto is_integer = [](std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); };
    const auto first = digits(before), next = digits(last);
    const auto between = line.substr(before.end, last.begin - before.end);
    const bool are_thousands = before.unit == Unit::none && between.size() == 1 && first.size() <= thousands &&
                               std::min(next.find('.'), next.size()) == thousands &&
                               is_integer(next.substr(0, thousands));
    const bool are_parts = before.unit == Unit::sought && before.unit_seconds > last.unit_seconds &&
                           (trim(between) == "and" || between.find_first_not_of(" \t,.;") == std::string_view::npos);
    if (!is_integer(first) || !(are_thousands || are_parts)) return;
    numbers.pop_back();
    numbers.back() = {no_number, before.begin, last.end, last.unit, last.unit_seconds, 1, last.digits_end};
}

std::vector<PrintedNumber> numbers_in(std::string_view line, double unit, bool heeds_names, Printed quantity)
{
    std::vector<PrintedNumber> numbers;
    const auto first = next_number(line, 0);
    if (line.find('\0') != std::string_view::npos && std::any_of(line.begin(), line.end(), is_digit))
        return {{no_number, 0, line.size(), Unit::sought, 1, 1, line.size(), Flaw::zeros}};
    for (auto k = first; k < line.size();) {
        const auto before = numbers.empty() ? 0 : numbers.back().end;
        auto number = number_at(line, k, before, unit, quantity);
        if (!numbers.empty() && is_sign_of_error(line.substr(before, k - before))) {
            auto &value = numbers.back();
            if (value.unit == Unit::none && number.unit == Unit::sought) {
                value.unit = Unit::sought;
                value.unit_seconds = number.unit_seconds;
                if (std::isnan(number.value)) value.value = no_number; // 5 (+- 1) ms
            }
            value.end = number.end;
        } else {
            numbers.push_back(number);
            join_last_two(line, numbers, true);
        }
        k = next_number(line, numbers.back().end);
    }
    for (auto &number : numbers) {
        const auto flaw = std::exchange(number.flaw, Flaw::none);
        if (flaw != Flaw::none && heeds_names) number.value = no_number;
        if (flaw == Flaw::named && heeds_names) number.unit = Unit::other, number.flaw = flaw;
        number.value = in_seconds(number.value, number.unit_seconds);
        number.step *= number.unit_seconds;
    }
    return numbers;
}

std::vector<PrintedNumber> numbers_alone(std::string_view line, double unit, Printed quantity)
{
    const auto first = std::min(line.find_first_not_of(blanks), line.size());
    if (next_number(line.substr(0, first + 4), 0) > first + 3) return {}; // a sign has up to three bytes
    auto numbers = numbers_in(line, unit, true, quantity);
    const auto is_bare = [](std::string_view between) {
        between = trim(between);
        if (between.starts_with('s')) between.remove_prefix(1); // the unit of "nan" or "inf"
        return between.find_first_not_of(" \t,;") == std::string_view::npos;
    };
    if (!numbers.empty() && !trim(line.substr(0, numbers.front().begin)).empty()) return {};
    bool has_bare = false, has_another_unit = false;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        const auto &number = numbers[k];
        const auto next = k + 1 < numbers.size() ? numbers[k + 1].begin : line.size();
        if (number.unit == Unit::other || !is_bare(line.substr(number.end, next - number.end))) return {};
        has_bare = has_bare || number.unit == Unit::none;
        has_another_unit = has_another_unit || number.unit_seconds != unit;
    }
    // 0.1 0.2 300 ms, 500 ms 300: the unit may belong to all numbers.
    if (has_bare && has_another_unit) {
        const auto end = numbers.back().end;
        for (auto &number : numbers) number = {no_number, numbers.front().begin, end};
    }
    return numbers;
}

std::optional<PrintedNumber> time_in(std::string_view line, double unit, Printed quantity)
{
    if (next_number(line, 0) == line.size()) return std::nullopt;
    const auto all = numbers_in(line, unit, true, quantity);
    const auto whole = [&](Flaw flaw) { return PrintedNumber{no_number, 0, line.size(), Unit::sought, 1, 1, 0, flaw}; };
    if (line.ends_with(cut_mark)) return whole(Flaw::cut);
    const PrintedNumber *time = nullptr;
    for (const auto &number : all) {
        if (number.unit != Unit::sought) continue;
        if (time != nullptr && !(time->value == number.value)) return whole(Flaw::several);
        time = &number;
    }
    bool has_named = false;
    std::size_t before = 0;
    for (const auto &number : all) {
        const auto name = line.substr(before, number.begin - before);
        has_named = has_named || (quantity == Printed::time && is_named_time(name, number));
        before = number.end;
    }
    if (time != nullptr) return has_named ? whole(Flaw::several) : *time;
    if (const auto alone = numbers_alone(line, unit, quantity); alone.size() == 1) return alone.front();
    return whole(all.size() > 1 || has_named ? Flaw::unclear : Flaw::unnamed);
}

PrintedNumber parse_seconds(std::string_view text, double unit)
{
    text = trim(text);
    const auto begin = text.starts_with('+') || text.starts_with('-') ? std::size_t{1} : 0;
    PrintedNumber out{no_number, 0, text.size()};
    if (next_number(text, begin) != begin || begin == text.size() || is_letter(text[begin])) return out;
    const auto written = written_number(text, begin);
    if (written.end < text.size()) return out;
    out.value = in_seconds(text.starts_with('-') ? -written.value : written.value, unit);
    out.step = written.step * unit;
    return out;
}

} // namespace hpart
