#include "core/report.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

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
    };
    return std::visit(Formatter{}, value);
}

} // namespace hpart
