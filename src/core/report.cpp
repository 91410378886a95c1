#include "core/report.hpp"

#include "core/characters.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

std::string json_of(std::int64_t number) { return text(number); }

std::string json_of(double number) { return std::isfinite(number) ? format_double(number) : "null"; }

// Bytes that are not UTF-8 become question marks.
std::string json_of(std::string_view words)
{
    constexpr unsigned char least_printable = 0x20;
    constexpr std::string_view digits = "0123456789abcdef";
    std::string out = "\"";
    for (std::size_t length = 0; !words.empty(); words.remove_prefix(std::max<std::size_t>(length, 1))) {
        length = utf8_length(words);
        const auto code = static_cast<unsigned char>(words.front());
        if (length == 0)
            out += '?';
        else if (code < least_printable)
            out += text("\\u00", std::string(1, digits[code / 16]), std::string(1, digits[code % 16]));
        else
            out += text(code == '"' || code == '\\' ? "\\" : "", words.substr(0, length));
    }
    return out + "\"";
}

template <typename List, typename Of> std::string json_list(const List &list, std::string_view brackets, Of &&of)
{
    std::string out;
    for (const auto &one : list) out += text(out.empty() ? "" : ", ", of(one));
    return text(brackets.substr(0, 1), out, brackets.substr(1));
}

std::string json_of(const std::vector<double> &numbers)
{
    return json_list(numbers, "[]", [](double number) { return json_of(number); });
}

std::string json_of(const Report::Rows &rows)
{
    return json_list(rows, "[]", [](const Report &row) { return row.json(); });
}

} // namespace

void Report::erase(std::string_view key)
{
    std::erase_if(entries_, [&](const auto &entry) { return entry.first == key; });
}

void Report::set(std::string_view key, Value value)
{
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto &entry) { return entry.first == key; });
    if (found != entries_.end())
        found->second = std::move(value);
    else
        entries_.emplace_back(key, std::move(value));
}

const Report::Value *Report::find(std::string_view key) const
{
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const auto &entry) { return entry.first == key; });
    return found == entries_.end() ? nullptr : &found->second;
}

const Report::Value &Report::get(std::string_view key) const
{
    if (const auto *value = find(key)) return *value;
    std::string all;
    for (const auto &[name, value] : entries_) all += text(all.empty() ? "" : ", ", name);
    fail_argument("the report has no key ", in_quotes(key), "; its keys are ", all);
}

std::string Report::format(const Value &value)
{
    struct Formatter {
        std::string operator()(std::int64_t number) const { return text(number); }
        std::string operator()(double number) const { return format_double(number); }
        std::string operator()(const std::string &words) const { return words; }
        std::string operator()(const std::vector<double> &numbers) const
        {
            std::string out;
            for (const double number : numbers) out += text(out.empty() ? "" : " ", number);
            return out;
        }
        std::string operator()(const Rows &) const { return {}; }
    };
    if (const auto *rows = std::get_if<Rows>(&value)) return json_of(*rows);
    return std::visit(Formatter{}, value);
}

std::string Report::json() const
{
    return json_list(entries_, "{}", [](const auto &entry) {
        return text(json_of(entry.first), ": ",
                    std::visit([](const auto &value) { return json_of(value); }, entry.second));
    });
}

} // namespace hpart
