#include "arguments.hpp"

#include "core/checked.hpp"
#include "failure.hpp"
#include "file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace hpart_command
{

namespace
{

template <typename Number> std::optional<Number> parse_number(std::string_view text)
{
    Number value{};
    const auto *end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
    return value;
}

std::int64_t positive_size(std::string_view argument, std::string_view whole, std::string_view part)
{
    const auto value = parse_count(part);
    if (!value || *value < 1)
        refuse(
            argument, " is ", in_quotes(whole), ": ", in_quotes(part),
            " must be a whole number from 1 to 9223372036854775807, such as 4096, 4k or 4Ki; give A:B:STEP or a list "
            "A,B,C");
    return *value;
}

void add_range(std::string_view argument, std::string_view whole, const std::vector<std::string_view> &parts,
               std::vector<std::int64_t> &sizes)
{
    const auto first = positive_size(argument, whole, parts[0]);
    const auto last = positive_size(argument, whole, parts[1]);
    const auto step = positive_size(argument, whole, parts[2]);
    if (last < first) refuse(argument, " is ", in_quotes(whole), ": the last size must not be below the first");
    const auto steps = (last - first) / step;
    if (steps >= most_sizes - static_cast<std::int64_t>(sizes.size()))
        refuse(argument, " is ", in_quotes(whole), ": these are more than ", most_sizes, " sizes; take a larger step");
    for (std::int64_t k = 0; k <= steps; ++k) sizes.push_back(first + k * step);
}

} // namespace

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto at = text.find(separator);
        parts.push_back(text.substr(0, at));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::optional<std::int64_t> parse_count(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 9> suffixes = {{{"", 1},
                                                                                    {"k", 1000},
                                                                                    {"K", 1000},
                                                                                    {"M", 1000000},
                                                                                    {"G", 1000000000},
                                                                                    {"T", 1000000000000},
                                                                                    {"Ki", std::int64_t{1} << 10},
                                                                                    {"Mi", std::int64_t{1} << 20},
                                                                                    {"Gi", std::int64_t{1} << 30}}};
    const auto digits = std::min(text.find_last_of("0123456789") + 1, text.size());
    const auto value = parse_number<std::int64_t>(text.substr(0, digits));
    const auto *const suffix = std::find_if(suffixes.begin(), suffixes.end(),
                                            [&](const auto &one) { return one.first == text.substr(digits); });
    if (!value || suffix == suffixes.end()) return std::nullopt;
    return hpart::checked_mul(*value, suffix->second);
}

void Common::settle()
{
    const auto choice = parse_choice("--format", format, {"text", "json", "csv"});
    json = choice == 1;
    csv = choice == 2;
    if (output) require_writable(*output);
}

CLI::Option *add_optional(CLI::App &app, const std::string &names, std::optional<std::string> &value,
                          const std::string &description)
{
    return app.add_option_function<std::string>(
        names, [&value](const std::string &text) { value = text; }, description);
}

void add_format(CLI::App &app, Common &common)
{
    app.add_option("--format", common.format,
                   "text for people (the default), json: one object on stdout, or csv: rows under a header")
        ->type_name("text|json|csv");
}

void add_common(CLI::App &app, Common &common)
{
    add_format(app, common);
    app.add_option("--option", common.options, "an option of the library, as listed in hpart.h; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_result_file(CLI::App &app, Common &common)
{
    add_optional(app, "-o,--output", common.output, "write the JSON object to this file too")
        ->type_name("FILE.json")
        ->check([](const std::string &name) {
            return name.ends_with(".csv")
                       ? "the result is JSON, so the file's name must not end in .csv: '" + name + "'"
                       : std::string();
        });
}

Options make_options(const Common &common, std::initializer_list<std::pair<const char *, const char *>> defaults)
{
    Options options;
    check(hpart_options_create(Filled(options)));
    for (const auto &[key, value] : defaults) check(hpart_options_set_string(options.get(), key, value));
    for (const auto &setting : common.options) {
        const auto equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            refuse("--option is ", in_quotes(setting), "; it must be KEY=VALUE, as in --option threads=2");
        check(hpart_options_set_string(options.get(), setting.substr(0, equals).c_str(),
                                       setting.substr(equals + 1).c_str()));
    }
    return options;
}

namespace
{

std::int64_t whole_number(std::string_view argument, std::string_view text, std::int64_t least)
{
    const auto value = parse_count(text);
    if (!value || *value < least)
        refuse(argument, " is ", in_quotes(text), "; it must be a whole number from ", least,
               " to 9223372036854775807, such as 4096, 4k or 4Ki");
    return *value;
}

} // namespace

std::int64_t parse_size(std::string_view argument, std::string_view text) { return whole_number(argument, text, 0); }

std::int64_t parse_positive(std::string_view argument, std::string_view text)
{
    return whole_number(argument, text, 1);
}

std::vector<std::int64_t> parse_workloads(const std::vector<std::string> &texts)
{
    std::vector<std::int64_t> sizes;
    for (const auto &text : texts) {
        if (text.find_first_of(":,") == std::string::npos) {
            sizes.push_back(parse_size("--size", text));
            continue;
        }
        const auto several = parse_sizes("--size", text);
        sizes.insert(sizes.end(), several.begin(), several.end());
    }
    return sizes;
}

std::vector<std::int64_t> parse_list(std::string_view argument, std::string_view text)
{
    std::vector<std::int64_t> values;
    for (const auto item : split(text, ',')) {
        const auto value = parse_count(item);
        if (!value || *value < 0)
            refuse(argument, " is ", in_quotes(text), ": ", in_quotes(item),
                   " must be a whole number, 0 or more; give one a processor, joined with commas");
        values.push_back(*value);
    }
    return values;
}

void add_workloads(CLI::App &app, std::vector<std::string> &sizes)
{
    app.add_option("--size", sizes,
                   "the workload, in the unit of the file's sizes; several: a list, a range, or --size again")
        ->required()
        ->type_name("N|A,B,C|A:B:STEP")
        ->allow_extra_args(false);
}

double parse_watts(std::string_view argument, std::string_view text, std::string_view or_what)
{
    const auto value = parse_number<double>(text);
    if (!value || !std::isfinite(*value) || *value < 0)
        refuse(argument, " is ", in_quotes(text), "; it must be a finite number of watts, 0 or more", or_what);
    return *value;
}

double parse_seconds(std::string_view argument, std::string_view text)
{
    const double unit = text.ends_with('h') ? 3600 : text.ends_with('m') ? 60 : 1;
    const bool has_unit = unit > 1 || text.ends_with('s');
    const auto value = parse_number<double>(text.substr(0, text.size() - (has_unit ? 1 : 0)));
    if (!value || !std::isfinite(*value * unit) || *value <= 0)
        refuse(argument, " is ", in_quotes(text), "; it must be a finite time above 0, in seconds or as 90s, 5m, 1h");
    return *value * unit;
}

std::size_t parse_choice(std::string_view argument, std::string_view text,
                         std::initializer_list<std::string_view> choices)
{
    const auto *found = std::find(choices.begin(), choices.end(), text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    std::string list;
    for (const auto &choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
    refuse(argument, " is ", in_quotes(text), "; it must be one of ", list);
}

std::vector<std::int64_t> parse_sizes(std::string_view argument, std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (const auto item : split(text, ',')) {
        const auto parts = split(item, ':');
        if (parts.size() == 3)
            add_range(argument, text, parts, sizes);
        else
            sizes.push_back(positive_size(argument, text, item));
    }
    auto sorted = sizes;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) refuse(argument, " is ", in_quotes(text), ": size ", *twice, " is there twice");
    return sizes;
}

} // namespace hpart_command
