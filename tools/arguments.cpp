#include "arguments.hpp"

#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
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

constexpr auto largest_size = std::numeric_limits<std::int64_t>::max() - 1; // as the library takes them

std::int64_t positive_size(std::string_view argument, std::string_view whole, std::string_view part)
{
    const auto value = hpart::parse_count(part);
    if (!value || *value < 1 || *value > largest_size)
        refuse(
            argument, " is ", in_quotes(whole), ": ", in_quotes(part),
            " must be a whole number, 1 or more and at most 9.2e18, such as 4096, 4k or 4Ki; give A:B:STEP or a list "
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

// The present name of a setting's key.
std::string_view key_of(std::string_view setting)
{
    const auto name = setting.substr(0, setting.find('='));
    const auto *known = hpart::find_option_key(name);
    return known == nullptr ? name : known->name;
}

void set_text_option(const Options &options, const std::string &key, const std::string &value)
{
    check(hpart_options_set_string(options.get(), key.c_str(), value.c_str()));
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

std::optional<std::string> Common::value_of(std::string_view key) const
{
    const auto found = std::ranges::find(options, key, [](const std::string &setting) { return key_of(setting); });
    return found == options.end() ? std::nullopt : std::optional(found->substr(found->find('=') + 1));
}

void Common::settle()
{
    for (std::size_t k = 0; k < options.size(); ++k) {
        const auto key = key_of(options[k]);
        if (key.empty() || options[k].find('=') == std::string::npos)
            refuse("--option is ", in_quotes(options[k]), "; it must be KEY=VALUE, as in --option threads=2");
        for (std::size_t other = 0; other < k; ++other)
            if (key_of(options[other]) == key) refuse("--option ", key, " is given twice; give it once");
    }
    if (!options.empty()) require_options_of(*this, calls_of(subcommand));
    const auto choice = parse_choice("--format", format, {"text", "json", "csv"});
    json = choice == 1;
    csv = choice == 2;
    for (const auto *key : {"trace_file", "samples_file", "checkpoint_file"})
        if (const auto path = value_of(key)) claim_output(text("--option ", key), *path);
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
    common.subcommand = app.get_name();
    app.add_option("--format", common.format,
                   "text for people (the default), json: one object on stdout, or csv: rows under a header")
        ->type_name("text|json|csv");
}

void add_common(CLI::App &app, Common &common)
{
    add_format(app, common);
    add_settings(app, common);
}

void add_settings(CLI::App &app, Common &common)
{
    common.subcommand = app.get_name();
    app.add_option("--option", common.options, "an option of the library, as listed in hpart.h; may be repeated")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
}

void add_copies(CLI::App &app, std::optional<std::string> &copies)
{
    add_optional(app, "--copies", copies, "so many nodes like the file's: names become 0/NAME, 1/NAME, ...")
        ->type_name("N");
}

Platform read_platform(const std::string &path, const std::optional<std::string> &copies)
{
    auto node = read_platform(path);
    if (!copies) return node;
    Platform cluster;
    name_argument("copies", "--copies");
    check(hpart_platform_replicate(node.get(), parse_positive("--copies", *copies), Filled(cluster)));
    return cluster;
}

void add_result_file(CLI::App &app, Common &common)
{
    add_optional(app, "-o,--output", common.output, "write the JSON object to this file too")
        ->type_name("FILE.json")
        ->check([](const std::string &name) {
            if (name == "-")
                return std::string(
                    "'-' must be the name of a file; --format json writes the object to standard output");
            return wrong_ending(name, "the JSON object", ".json");
        });
}

void add_platform_output(CLI::App &app, std::string &output, const std::string &description)
{
    app.add_option("-o,--output", output, description)
        ->required()
        ->type_name("FILE.csv")
        ->check([](const std::string &name) {
            if (name == "-") return std::string("'-' must be the name of a file, which later calls read again");
            return wrong_ending(name, "a platform file", ".csv");
        });
}

std::string wrong_ending(std::string_view name, std::string_view content, std::string_view ending)
{
    const auto file = name.substr(name.rfind('/') + 1);
    const auto dot = file.rfind('.');
    if (name.starts_with("/dev/") || dot == std::string_view::npos || dot == 0 || file.substr(dot) == ending) return {};
    const auto other = file.substr(dot);
    const bool is_drawing = other == ".svg" || other == ".png" || other == ".pdf";
    return text(in_quotes(name), " ends in ", other, ", but -o writes ", content, "; end its name in ", ending,
                is_drawing ? ", and hpart plot draws it" : "");
}

Options make_options(const Common &common, std::initializer_list<std::pair<const char *, const char *>> defaults)
{
    Options options;
    check(hpart_options_create(Filled(options)));
    for (const auto &[key, value] : defaults) check(hpart_options_set_string(options.get(), key, value));
    for (const auto &setting : common.options) {
        const std::string key(key_of(setting));
        set_text_option(options, key, setting.substr(setting.find('=') + 1));
    }
    return options;
}

void set_option(const Options &options, const Common &common, const std::string &key, std::string_view argument,
                const std::optional<std::string> &value)
{
    if (!value) return;
    refuse_twice(common, argument, key);
    name_argument(key, argument);
    set_text_option(options, key, *value);
}

void refuse_twice(const Common &common, std::string_view argument, std::string_view key)
{
    if (common.has_option(key)) refuse(argument, " and --option ", key, " are the same; give only one of them");
}

void add_limits(CLI::App &app, LimitArguments &limits)
{
    add_optional(app, "--deadline", limits.deadline, "longest time of a distribution, with other objectives than time")
        ->type_name("TIME");
    add_optional(app, "--slowdown", limits.slowdown,
                 "longest time of a distribution: at most RATIO times the least time")
        ->type_name("RATIO");
    add_optional(app, "--energy-budget", limits.energy_budget,
                 "largest dynamic energy of a distribution, with objective time")
        ->type_name("JOULES");
    add_optional(app, "--previous", limits.previous,
                 "previous distribution, one size per processor: among equal optima the one that moves least")
        ->type_name("X,...");
}

void LimitArguments::set(const Options &options, const Common &common) const
{
    set_option(options, common, "deadline", "--deadline", deadline);
    set_option(options, common, "slowdown", "--slowdown", slowdown);
    set_option(options, common, "energy_budget", "--energy-budget", energy_budget);
    if (!previous) return;
    const auto sizes = parse_list("--previous", *previous);
    check(hpart_options_set_previous(options.get(), static_cast<std::int64_t>(sizes.size()), sizes.data()));
}

void set_budget(const Options &options, const Common &common, const std::optional<std::string> &budget)
{
    constexpr const char *key = "max_total_seconds", *argument = "--budget";
    if (budget) set_option(options, common, key, argument, text(parse_seconds(argument, *budget)));
    if (common.has_option(key)) return;
    name_argument(key, argument);
}

Common options_of(const Common &common, std::uint32_t calls)
{
    Common own;
    for (const auto &setting : common.options) {
        const auto *key = hpart::find_option_key(key_of(setting));
        if (key != nullptr && (key->calls & calls) != 0) own.options.push_back(setting);
    }
    return own;
}

void require_options_of(const Common &common, std::uint32_t calls)
{
    for (const auto &setting : common.options) {
        const auto name = key_of(setting);
        const auto *key = hpart::find_option_key(name);
        if (key != nullptr && (key->calls & calls) != 0) continue;
        const auto list = text("hpart options ", common.subcommand, " lists its options");
        if (key != nullptr) refuse("option '", name, "' does not belong to hpart ", common.subcommand, "; ", list);
        std::vector<std::string_view> names;
        for (const auto &known : hpart::option_keys())
            if ((known.calls & calls) != 0) names.push_back(known.name);
        const auto nearest = hpart::nearest_name(name, names);
        refuse("option ", in_quotes(name), " is unknown; ",
               nearest.empty() ? list : text("did you mean '", nearest, "'?"));
    }
    make_options(common); // each has a value that it may have
}

namespace
{

std::int64_t whole_number(std::string_view argument, std::string_view text, std::int64_t least, std::int64_t largest)
{
    const auto value = hpart::parse_count(text);
    if (!value || *value < least || *value > largest)
        refuse(argument, " is ", in_quotes(text), "; it must be a whole number, ", least,
               " or more and at most 9.2e18, such as 4096, 4k or 4Ki");
    return *value;
}

} // namespace

std::int64_t parse_size(std::string_view argument, std::string_view text)
{
    return whole_number(argument, text, 0, largest_size);
}

std::int64_t parse_positive(std::string_view argument, std::string_view text)
{
    return whole_number(argument, text, 1, std::numeric_limits<std::int64_t>::max());
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
        const auto value = hpart::parse_count(item);
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
    const auto value = hpart::parse_time(text);
    if (!value || !std::isfinite(*value) || *value <= 0)
        refuse(argument, " is ", in_quotes(text),
               "; it must be a finite time above 0, in seconds or as 5ms, 90s, 5m, 1h");
    return *value;
}

std::size_t parse_choice(std::string_view argument, std::string_view text, std::span<const std::string_view> choices)
{
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
    std::string list;
    for (const auto &choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
    refuse(argument, " is ", in_quotes(text), "; ",
           hpart::did_you_mean(text, {choices.data(), choices.size()}, "it must be one of "), list);
}

std::size_t parse_choice(std::string_view argument, std::string_view text,
                         std::initializer_list<std::string_view> choices)
{
    return parse_choice(argument, text, std::span(choices.begin(), choices.size()));
}

std::vector<std::string_view> objective_names(ObjectiveFits *fits)
{
    std::vector<std::string_view> names;
    for (const auto &kind : hpart::objective_kinds)
        if (fits(kind)) names.push_back(kind.name);
    return names;
}

std::int32_t parse_objective(std::string_view text, ObjectiveFits *fits)
{
    parse_choice("--objective", text, objective_names(fits));
    return static_cast<std::int32_t>(hpart::objective_named(text).objective);
}

std::string choices_text(std::span<const std::string_view> names)
{
    std::string text;
    for (const auto name : names) text += (text.empty() ? "" : "|") + std::string(name);
    return text;
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
