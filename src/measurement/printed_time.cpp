#include "measurement/printed_time.hpp"

#include "core/error.hpp"

#include <charconv>
#include <iterator>
#include <limits>

namespace hpart
{

namespace
{

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// In "GPU0" and "v1.2" there is no number.
bool is_of_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

std::vector<double> numbers_in(std::string_view line)
{
    std::vector<double> numbers;
    for (std::size_t k = 0; k < line.size();) {
        const bool begins = is_digit(line[k]) || (line[k] == '.' && k + 1 < line.size() && is_digit(line[k + 1]));
        if (!begins || (k > 0 && is_of_word(line[k - 1]))) {
            ++k;
            continue;
        }
        double value = 0;
        const auto end = std::from_chars(line.data() + k, line.data() + line.size(), value);
        // Behind a letter or a digit it is a hyphen.
        const bool is_negative = k > 0 && line[k - 1] == '-' && (k == 1 || !is_of_word(line[k - 2]));
        if (end.ec == std::errc{}) numbers.push_back(is_negative ? -value : value);
        k = static_cast<std::size_t>(end.ptr - line.data());
    }
    return numbers;
}

double number_or_nan(std::string_view text)
{
    text = trim(text);
    if (text.starts_with('+')) text.remove_prefix(1);
    return parse_double(text).value_or(std::numeric_limits<double>::quiet_NaN());
}

} // namespace

PrintedTime::PrintedTime(const std::string &pattern)
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

std::vector<double> PrintedTime::all_in(std::string_view line) const
{
    if (!pattern_) return numbers_in(line);
    using Matches = std::regex_iterator<std::string_view::const_iterator>;
    std::vector<double> all;
    for (Matches match(line.begin(), line.end(), *pattern_); match != Matches(); ++match)
        all.push_back(number_or_nan({(*match)[1].first, (*match)[1].second}));
    return all;
}

std::optional<double> PrintedTime::last_in(std::string_view line) const
{
    const auto all = all_in(line);
    return all.empty() ? std::nullopt : std::optional(all.back());
}

} // namespace hpart
