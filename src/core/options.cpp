#include "core/options.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

const OptionKey &known_key(std::string_view name)
{
    if (const auto *key = find_option_key(name)) return *key;
    std::vector<std::string_view> names;
    for (const auto &key : option_keys()) names.push_back(key.name);
    const auto nearest = nearest_name(name, names);
    fail_argument("option ", in_quotes(name), " is unknown; ",
                  nearest.empty() ? text("options are ", option_names(~0U)) : text("did you mean '", nearest, "'?"));
}

void check_range(const OptionKey &key, double value)
{
    if (value >= key.smallest && value <= key.largest) return;
    constexpr double beyond_integers = 0x1p63;
    if (key.largest >= beyond_integers)
        fail_option(key.name, " is ", value, "; it must be a number of at least ", key.smallest);
    fail_option(key.name, " is ", value, "; it must be a number from ", key.smallest, " to ", key.largest);
}

bool is_choice(std::string_view choices, std::string_view value)
{
    for (auto rest = choices; !rest.empty();) {
        const auto bar = std::min(rest.find('|'), rest.size());
        if (rest.substr(0, bar) == value) return true;
        rest.remove_prefix(std::min(bar + 1, rest.size()));
    }
    return choices.empty();
}

void check_choice(const OptionKey &key, std::string_view value)
{
    if (is_choice(key.choices, value)) return;
    if (key.choices.find('|') == std::string_view::npos) {
        const auto wanted = 1 + std::count(key.choices.begin(), key.choices.end(), 'x');
        const auto sizes = parse_sizes(value);
        if (value.empty() || (sizes && std::ssize(*sizes) == wanted)) return;
        fail_option(key.name, " is ", in_quotes(value), "; it must be ", key.choices, ", ", wanted, " sizes above 0");
    }
    fail_option(key.name, " is ", in_quotes(value), "; it must be one of ", key.choices);
}

// Fails for options whose value is a text.
void require_number(const OptionKey &key, const char *given, auto value)
{
    if (key.type != OptionType::text) return;
    fail_option(key.name, " takes a text, not the ", given, " ", value, key.choices.empty() ? "" : ": ", key.choices);
}

} // namespace

void Options::set_text(std::string_view name, std::string_view value)
{
    const auto &key = known_key(name);
    switch (key.type) {
    case OptionType::text:
        check_choice(key, value);
        values_.insert_or_assign(std::string(key.name), std::string(value));
        return;
    case OptionType::integer:
        if (const auto number = parse_count(value)) return set_int(name, *number);
        fail_option(key.name, " is ", in_quotes(value), "; it must be an integer, such as 4096, 4k or 4Ki");
    case OptionType::real:
        if (const auto number = key.is_time ? parse_time(value) : parse_double(value)) return set_double(name, *number);
        fail_option(key.name, " is ", in_quotes(value), "; it must be a number",
                    key.is_time ? " of seconds, or a time such as 5ms, 90s or 2min" : "");
    }
}

void Options::set_int(std::string_view name, std::int64_t value)
{
    const auto &key = known_key(name);
    require_number(key, "integer", value);
    if (key.type == OptionType::real) return set_double(name, static_cast<double>(value));
    check_range(key, static_cast<double>(value));
    check_choice(key, text(value));
    values_.insert_or_assign(std::string(key.name), value);
}

void Options::set_double(std::string_view name, double value)
{
    const auto &key = known_key(name);
    require_number(key, "number", value);
    if (key.type == OptionType::integer) fail_option(key.name, " takes an integer, not the real ", value);
    if (std::isnan(value)) fail_option(key.name, " is not a number (NaN)");
    check_range(key, value);
    values_.insert_or_assign(std::string(key.name), value);
}

void Options::set_previous(std::vector<std::int64_t> x)
{
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] < 0) fail_argument("x[", i, "] is ", x[i], "; a size must not be negative");
    previous_ = std::move(x);
}

void Options::check_belongs(Call call) const
{
    if (!previous_.empty() && (call & (call_partition | call_front | call_adaptive)) == 0)
        fail_argument("a previous distribution does not belong to ", call_name(call),
                      "; it belongs to partition, front and adaptive");
    for (const auto &[name, value] : values_) {
        const auto &key = *find_option_key(name);
        if (const auto *const words = std::get_if<std::string>(&value))
            if (const auto choices = key.in(call).choices; choices != key.choices && !is_choice(choices, *words))
                fail_option(name, " is ", in_quotes(*words), "; in ", call_name(call), " it must be ",
                            choices.find('|') == std::string_view::npos ? "" : "one of ", choices);
        if ((key.calls & call) != 0) continue;
        const bool is_several = call == call_gemm;
        fail_option(name, " does not belong to ",
                    is_several ? "gemm and the other products; their" : text(call_name(call), "; its"), " options are ",
                    option_names(call));
    }
}

bool Options::agrees_with(const Options &other, std::string_view key) const
{
    const auto here = values_.find(key), there = other.values_.find(key);
    return here != values_.end() && there != other.values_.end() && here->second == there->second;
}

void Options::take_missing(const Options &other, Call call)
{
    for (const auto &[name, value] : other.values_)
        if ((find_option_key(name)->calls & call) != 0) values_.emplace(name, value);
}

void Options::unset(std::string_view key)
{
    const auto found = values_.find(key);
    if (found != values_.end()) values_.erase(found);
}

std::string Options::get_text(std::string_view name, std::uint32_t call) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? std::string(known_key(name).default_in(call))
                                  : std::get<std::string>(found->second);
}

std::int64_t Options::get_int(std::string_view name, std::uint32_t call) const { return find_int(name, call).value(); }

std::optional<std::int64_t> Options::find_int(std::string_view name, std::uint32_t call) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? parse_count(known_key(name).default_in(call))
                                  : std::get<std::int64_t>(found->second);
}

std::optional<double> Options::find_double(std::string_view name, std::uint32_t call) const
{
    const auto found = values_.find(name);
    return found == values_.end() ? parse_double(known_key(name).default_in(call)) : std::get<double>(found->second);
}

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
