// Arguments that several subcommands share, and texts of the command line as values.
#pragma once

#include "core/objectives.hpp"
#include "library.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart_command
{

struct Common {
    std::string format = "text";
    std::optional<std::string> output; // a file for the JSON result, besides stdout
    std::vector<std::string> options;
    std::string subcommand;
    bool json = false, csv = false;

    // The value of --option key=value, under any name of the key.
    std::optional<std::string> value_of(std::string_view key) const;
    bool has_option(std::string_view key) const { return value_of(key).has_value(); }
    // After the arguments are known: checks them, before the subcommand does any work, and sets json and csv.
    void settle();
};

// An option whose absence is not the same as an empty text.
CLI::Option *add_optional(CLI::App &app, const std::string &names, std::optional<std::string> &value,
                          const std::string &description);
void add_format(CLI::App &app, Common &common);
// --option, which takes the options of calls_of the subcommand.
void add_settings(CLI::App &app, Common &common);
// --format and --option.
void add_common(CLI::App &app, Common &common);
void add_result_file(CLI::App &app, Common &common);
// -o FILE.csv of a platform file, required.
void add_platform_output(CLI::App &app, std::string &output, const std::string &description);
// For the parser: why a file of this content must not have this name, from its ending; "" if it may.
std::string wrong_ending(std::string_view name, std::string_view content, std::string_view ending);
// The bounds of distributions, of partition and pareto.
struct LimitArguments {
    std::optional<std::string> deadline, slowdown, energy_budget, previous;
    bool are_given() const { return deadline || slowdown || energy_budget || previous; }
    void set(const Options &options, const Common &common) const;
};
void add_limits(CLI::App &app, LimitArguments &limits);
// --size, one or several.
void add_workloads(CLI::App &app, std::vector<std::string> &sizes);

// --copies
void add_copies(CLI::App &app, std::optional<std::string> &copies);
// The platform of a file, or of so many nodes like it.
Platform read_platform(const std::string &path, const std::optional<std::string> &copies);

// The library's options: the command's own defaults, then the options of --option key=value.
Options make_options(const Common &common, std::initializer_list<std::pair<const char *, const char *>> defaults = {});

// Sets an option of the library by an argument of the command, which messages then name.
void set_option(const Options &options, const Common &common, const std::string &key, std::string_view argument,
                const std::optional<std::string> &value);
// Refuses --option of a key that the argument sets.
void refuse_twice(const Common &common, std::string_view argument, std::string_view key);
// --budget of profile and group.
void set_budget(const Options &options, const Common &common, const std::optional<std::string> &budget);
// The options that belong to one of the calls, a mask of hpart::Call.
Common options_of(const Common &common, std::uint32_t calls);
// Refuses every other one, unknown ones among them.
void require_options_of(const Common &common, std::uint32_t calls);
// The calls whose options a subcommand takes; 0 if it takes none.
std::uint32_t calls_of(std::string_view subcommand);
// Options of partitions that hpart study, which compares all methods, refuses.
constexpr std::array<std::string_view, 7> not_of_study = {"method",  "deadline",  "slowdown",       "energy_budget",
                                                          "compare", "max_moved", "backtrack_limit"};

std::vector<std::string_view> split(std::string_view text, char separator);

// Each names the argument, the value given and what would be right when the text is none.
std::int64_t parse_size(std::string_view argument, std::string_view text);
std::int64_t parse_positive(std::string_view argument, std::string_view text); // not 0
// Each "4096", "0,64Ki" or "64:2048:64".
std::vector<std::int64_t> parse_workloads(const std::vector<std::string> &texts);
// "64,0,32", one per processor.
std::vector<std::int64_t> parse_list(std::string_view argument, std::string_view text);
double parse_watts(std::string_view argument, std::string_view text, std::string_view or_what = "");
double parse_seconds(std::string_view argument, std::string_view text);
std::size_t parse_choice(std::string_view argument, std::string_view text, std::span<const std::string_view> choices);
std::size_t parse_choice(std::string_view argument, std::string_view text,
                         std::initializer_list<std::string_view> choices);
// The objectives of the table that fit a command.
using ObjectiveFits = bool(const hpart::ObjectiveKind &);
std::vector<std::string_view> objective_names(ObjectiveFits *fits);
// HPART_OBJECTIVE_*, by --objective.
std::int32_t parse_objective(std::string_view text, ObjectiveFits *fits);
// "time|sum-time": the choices in a help text.
std::string choices_text(std::span<const std::string_view> names);
// More sizes than anybody measures: a slip must not fill the memory.
constexpr std::int64_t most_sizes = 1000000;

// "64:2048:64", "64,128,256" or both, joined with commas.
std::vector<std::int64_t> parse_sizes(std::string_view argument, std::string_view text);

// Subcommands, one file each.
void add_info(CLI::App &app);
void add_profile(CLI::App &app);
void add_tune(CLI::App &app);
void add_additivity(CLI::App &app);
void add_group(CLI::App &app);
void add_partition(CLI::App &app);
void add_pareto(CLI::App &app);
void add_schedule(CLI::App &app);
void add_slice(CLI::App &app);
void add_run(CLI::App &app);
void add_study(CLI::App &app);
void add_plot(CLI::App &app);
void add_report(CLI::App &app);
void add_gemm(CLI::App &app);
void add_fft(CLI::App &app);
void add_factor(CLI::App &app);
void add_options(CLI::App &app);
void add_measure(CLI::App &app, const std::vector<std::string> &command);
// command: what stands after "--"; exit_status becomes the command's.
void add_energy(CLI::App &app, const std::vector<std::string> &command, int &exit_status);

} // namespace hpart_command
