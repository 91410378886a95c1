#include "table.hpp"

#include "library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpart_command
{

namespace
{

// Code points of UTF-8: continuation bytes take no room.
std::size_t width(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string formatted(double value, std::chars_format format, int digits)
{
    std::array<char, 512> buffer{};
    auto *const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, digits).ptr;
    return {buffer.data(), end};
}

// Without zeros behind the last digit; a huge number with its exponent.
std::string shortest_text(double value, int digits)
{
    constexpr double most = 1e9;
    if (!(value < most)) return formatted(value, std::chars_format::general, digits);
    auto out =
        formatted(value, std::chars_format::fixed, std::max(0, digits - 1 - static_cast<int>(std::log10(value))));
    if (out.find('.') == std::string::npos) return out;
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
    return out;
}

std::string with_unit(double value, std::string_view unit, int digits = 4)
{
    if (std::isnan(value)) return "-";
    if (value <= 0) return text("0 ", unit);
    if (unit == "s" && value >= 1) return shortest_text(value, digits) + " s"; // nobody counts in kiloseconds
    const auto scale = scale_for(value * (1 + 5 * std::pow(10, -digits)));     // 999.96 ms are 1 s
    return text(formatted(value * scale.factor, std::chars_format::general, digits), " ", scale.prefix, unit);
}

int decimals_for(double value, int digits)
{
    constexpr int most_decimals = 9;
    if (!(value > 0) || !std::isfinite(value)) return 0;
    return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(value))), 0, most_decimals);
}

// Three digits of the value, or four if the interval's half-width has one there.
std::string with_interval(double value, const Interval &interval, std::string_view unit)
{
    const auto at_most = [&] { return text(" (at most ", with_unit(interval.high, unit, 3), ")"); };
    if (value <= 0) return text("0 ", unit, interval.high > 0 ? at_most() : std::string());
    if (!is_telling(value, interval)) return text(with_unit(value, unit, 3), " ", more_than_itself);
    const auto scale = unit == "s" && value >= 1 ? Scale{1, ""} : scale_for(value);
    const auto at = [&](double number) { return number * scale.factor; };
    constexpr double least = 1e-3, most = 1e6;
    if (at(value) < least || at(value) > most)
        return text(with_unit(value, unit, 3), " (", with_unit(interval.low, unit, 3), " to ",
                    with_unit(interval.high, unit, 3), ")");
    const int decimals = std::clamp(decimals_for(at(interval.high - interval.low) / 2, 1), decimals_for(at(value), 3),
                                    decimals_for(at(value), 4));
    const auto low = fixed_text(at(interval.low), decimals);
    if (low == fixed_text(at(interval.high), decimals)) return with_unit(value, unit);
    const bool is_zero = low.find_first_not_of("0.") == std::string::npos;
    return text(fixed_text(at(value), decimals), " ", scale.prefix, unit,
                is_zero ? at_most() : text(" (", low, " to ", fixed_text(at(interval.high), decimals), ")"));
}

} // namespace

Table::Table(std::vector<std::string> headings) : headings_(std::move(headings))
{
    for (auto &heading : headings_) {
        right_.push_back(!heading.empty() && heading.front() == '>');
        if (right_.back()) heading.erase(0, 1);
    }
}

std::string Table::text() const
{
    std::vector<std::size_t> widths;
    for (const auto &heading : headings_) widths.push_back(width(heading));
    for (const auto &row : rows_)
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width(row[k]));
    std::string out;
    const auto add_line = [&](const std::vector<std::string> &row) {
        std::string line;
        for (std::size_t k = 0; k < row.size(); ++k) {
            const std::string padding(widths[k] - width(row[k]), ' ');
            if (k > 0) line += "  ";
            line += right_[k] ? padding + row[k] : row[k] + padding;
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + '\n';
    };
    add_line(headings_);
    for (const auto &row : rows_) add_line(row);
    return out;
}

Scale scale_for(double value)
{
    if (value < 1e-6) return {1e9, "n"};
    if (value < 1e-3) return {1e6, "u"};
    if (value < 1) return {1e3, "m"};
    if (value < 1e3) return {1, ""};
    if (value < 1e6) return {1e-3, "k"};
    if (value < 1e9) return {1e-6, "M"};
    return {1e-9, "G"};
}

bool is_telling(double value, const Interval &interval)
{
    const double half = (interval.high - interval.low) / 2;
    return std::isfinite(half) && (value <= 0 || (interval.low > 0 && half < value));
}

std::string seconds_text(double seconds) { return with_unit(seconds, "s"); }

std::string joules_text(double joules) { return with_unit(joules, "J"); }

std::string seconds_text(double seconds, const Interval &interval)
{
    return interval.is_known() ? with_interval(seconds, interval, "s") : seconds_text(seconds);
}

std::string joules_text(double joules, const Interval &interval)
{
    return interval.is_known() ? with_interval(joules, interval, "J") : joules_text(joules);
}

std::string signed_joules_text(double joules) { return (joules < 0 ? "-" : "") + joules_text(std::abs(joules)); }

std::string with_error(double value, double error, std::string_view unit)
{
    const auto scale = scale_for(error > std::abs(value) && std::isfinite(error) ? error : std::abs(value));
    if (!(error > 0) || !std::isfinite(error) || !std::isfinite(value))
        return text(formatted(value == 0 ? 0 : value * scale.factor, std::chars_format::general, 4), " ",
                    value == 0 ? "" : scale.prefix, unit);
    constexpr int error_digits = 2;
    const double scaled = error * scale.factor;
    const int decimals = decimals_for(scaled, error_digits);
    return text(fixed_text(value * scale.factor, decimals), " +- ", fixed_text(scaled, decimals), " ", scale.prefix,
                unit);
}

namespace
{

// At most 100 of a unit.
struct Budget {
    double count;
    char unit;
};
Budget budget_of(double seconds)
{
    constexpr double minute = 60, hour = 3600, most = 100;
    if (seconds <= most) return {std::ceil(seconds), 's'};
    if (seconds <= most * minute) return {std::ceil(seconds / minute), 'm'};
    return {std::ceil(seconds / hour), 'h'};
}

} // namespace

std::string budget_text(double seconds)
{
    const auto [count, unit] = budget_of(seconds);
    return fixed_text(count, 0) + unit;
}

std::string about_text(double seconds)
{
    const auto [count, unit] = budget_of(seconds);
    const auto *const name = unit == 's' ? "second" : unit == 'm' ? "minute" : "hour";
    return text("about ", fixed_text(count, 0), " ", name, count == 1 ? "" : "s");
}

std::string fixed_text(double value, int digits) { return formatted(value, std::chars_format::fixed, digits); }

std::string ratio_text(double ratio, const Interval &interval, std::string_view unit)
{
    if (!is_telling(ratio, interval)) return text(fixed_text(ratio, 2), unit, " ", more_than_itself);
    const int decimals = std::clamp(decimals_for((interval.high - interval.low) / 2, 1), 2, 3);
    return text(fixed_text(ratio, decimals), unit, " (", fixed_text(interval.low, decimals), " to ",
                fixed_text(interval.high, decimals), ")");
}

std::string percent_text(double share)
{
    auto number = fixed_text(100 * share, share < 0.1 ? 1 : 0);
    if (number.ends_with(".0")) number.resize(number.size() - 2);
    return number + " %";
}

std::string confidence_text(double level) { return formatted(100 * level, std::chars_format::general, 12) + " %"; }

std::string scientific_text(double value, int digits)
{
    return formatted(value, std::chars_format::scientific, digits - 1);
}

std::string names_text(const std::vector<std::string> &names)
{
    std::string out;
    for (const auto &name : names) out += (out.empty() ? "" : " | ") + name;
    return out;
}

std::string distribution_text(const std::vector<std::int64_t> &x)
{
    std::string out;
    for (const auto size : x) out += (out.empty() ? "" : " | ") + std::to_string(size);
    return out;
}

namespace
{

using IsOfType = bool (Json::*)() const noexcept;

bool is_list_of(const Json &value, IsOfType is_of_type)
{
    return value.is_array() && !value.empty() &&
           std::all_of(value.begin(), value.end(), [&](const Json &item) { return (item.*is_of_type)(); });
}

// The values of a row by column, in order. An ordered object searches for each key from its first one.
class CsvRow
{
  public:
    using Cell = std::pair<std::string, Json>;
    // Null without such a column.
    const Json *find(const std::string &column) const
    {
        const auto found = places_.find(column);
        return found == places_.end() ? nullptr : &cells_[found->second].second;
    }
    void set(const std::string &column, Json value)
    {
        const auto [place, is_new] = places_.try_emplace(column, cells_.size());
        if (is_new)
            cells_.emplace_back(column, std::move(value));
        else
            cells_[place->second].second = std::move(value);
    }
    const std::vector<Cell> &all() const { return cells_; }

  private:
    std::vector<Cell> cells_;
    std::unordered_map<std::string, std::size_t> places_;
};

void add_keys(const Json &value, std::set<std::string> &keys)
{
    if (value.is_object())
        for (const auto &[key, item] : value.items()) keys.insert(key);
    for (const auto &item : value)
        if (item.is_structured()) add_keys(item, keys);
}

// Values by column; lists of one number per processor have a column each. If another column or any key of the result has the name of a
// distribution's column, the distribution's begins with x_, as often as needed.
CsvRow columns_of(const Json &object, const Json &names, std::set<std::string> taken)
{
    const auto is_of_processors = [&](const Json &value) {
        return is_list_of(value, &Json::is_number) && value.size() == names.size();
    };
    for (const auto &[key, value] : object.items()) {
        if (key == "distribution" || !is_of_processors(value)) continue;
        for (const auto &name : names) taken.insert(text(name.get<std::string>(), "_", key));
    }
    CsvRow columns;
    for (const auto &[key, value] : object.items()) {
        const bool has_columns = is_of_processors(value);
        for (std::size_t i = 0; has_columns && i < names.size(); ++i) {
            auto column = names[i].get<std::string>();
            if (key != "distribution")
                column += "_" + key;
            else
                while (!taken.insert(column).second) column = "x_" + column;
            columns.set(column, value[i]);
        }
        // The columns of a distribution are the processors, and an object has none.
        const bool has_no_column = value.is_null() && (key == "distribution" || key == "chosen");
        if (value.is_primitive() && !has_no_column) columns.set(key, value);
    }
    return columns;
}

// A result and its list may have a key in common: the result's text "energy" becomes energy_kind beside the energies of
// points, and the "size" of a task becomes task_size beside the result's.
void add_column(CsvRow &whole, const std::string &list, const std::string &column, const Json &value)
{
    const auto *const before = whole.find(column);
    if (before == nullptr) {
        whole.set(column, value);
    } else if (before->is_string()) {
        whole.set(column + "_kind", *before);
        whole.set(column, value);
    } else {
        const auto one = std::string_view(list).substr(0, list.size() - (list.ends_with('s') ? 1 : 0));
        whole.set(text(one, "_", column), value);
    }
}

std::vector<CsvRow> rows_of(const Json &result, Json names, const std::set<std::string> &keys)
{
    if (result.contains("processors") && is_list_of(result["processors"], &Json::is_string))
        names = result["processors"];
    const auto own = columns_of(result, names, keys);
    std::vector<CsvRow> rows;
    for (const auto &[key, list] : result.items()) {
        if (!is_list_of(list, &Json::is_object)) continue;
        for (const auto &item : list)
            for (const auto &row : rows_of(item, names, keys)) {
                auto whole = own;
                for (const auto &[column, value] : row.all()) add_column(whole, key, column, value);
                rows.push_back(std::move(whole));
            }
    }
    if (rows.empty()) rows.push_back(own);
    return rows;
}

std::string field_of(const Json &value)
{
    if (value.is_null() || (value.is_number_float() && !std::isfinite(value.get<double>()))) return "";
    auto field = value.is_string() ? value.get<std::string>() : value.dump();
    if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
    for (auto at = field.find('"'); at != std::string::npos; at = field.find('"', at + 2)) field.insert(at, 1, '"');
    return '"' + field + '"';
}

} // namespace

std::string csv_text(const Json &result)
{
    // add_column makes another column of a text.
    std::set<std::string> keys;
    add_keys(result, keys);
    for (const auto &key : std::set(keys)) keys.insert(key + "_kind");
    const auto rows = rows_of(result, Json::array(), keys);
    CsvRow titles;
    for (const auto &row : rows)
        for (const auto &[column, value] : row.all()) titles.set(column, {});
    // A first row without a distribution does not have the others' columns.
    auto columns = titles.all();
    std::stable_partition(columns.begin(), columns.end(), [](const auto &title) { return title.first != "reason"; });
    std::string out;
    for (const auto &title : columns) out += (out.empty() ? "" : ",") + field_of(title.first);
    out += '\n';
    for (const auto &row : rows) {
        for (const auto &title : columns) {
            if (&title != &columns.front()) out += ',';
            if (const auto *const value = row.find(title.first)) out += field_of(*value);
        }
        out += '\n';
    }
    return out;
}

} // namespace hpart_command
