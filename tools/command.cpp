// The hpart command: partitions, measures and runs from the shell, through hpart.h alone.

#include "command.hpp"

#include "arguments.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hpart_command
{

namespace
{

// A descriptor 0, 1 or 2 that the caller closed would be given to the next file opened, and output would land there. In its place
// stands /dev/null, opened the wrong way: reads and writes fail.
void keep_standard_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

std::string version_text()
{
    std::int32_t major = 0, minor = 0, patch = 0;
    hpart_version(&major, &minor, &patch);
    return text("hpart ", major, ".", minor, ".", patch, "\n");
}

using CallWords = std::vector<std::string>;

// "help" and "help partition" as "--help" and "partition --help".
CallWords words_of(CallWords words)
{
    if (words.size() == 1 && words.front() == "version") return {"--version"};
    if (words.empty() || words.front() != "help") return words;
    if (words.size() > 2) refuse(in_quotes(words[2]), " is not expected; see hpart --help");
    if (words.size() == 1) return {"--help"};
    return {words[1], "--help"};
}

void require_known_subcommand(const CLI::App &app, const CallWords &words)
{
    std::vector<std::string_view> all;
    std::string names;
    for (const auto *sub : app.get_subcommands(nullptr)) {
        all.emplace_back(sub->get_name());
        names += (names.empty() ? "" : ", ") + sub->get_name();
    }
    if (words.empty()) {
        std::fputs(app.help().c_str(), stderr);
        refuse("a subcommand is needed");
    }
    const auto &first = words.front();
    if (first == "-h" || first == "--help" || first == "-V" || first == "--version") return;
    for (const auto *sub : app.get_subcommands(nullptr))
        if (sub->check_name(first)) return;
#ifdef HPART_CORE_ONLY
    constexpr std::string_view left_out[] = {"additivity", "energy",  "factor",  "fft", "gemm",
                                             "group",      "measure", "profile", "run", "tune"};
    if (std::ranges::find(left_out, first) != std::end(left_out))
        give_up(in_quotes(first),
                " is not in this build of hpart, which only partitions; build hpart without HPART_CORE_ONLY");
#endif
    refuse(in_quotes(first), " is not a subcommand; ", hpart::did_you_mean(first, all, "it must be one of "), names,
           ", or --help or --version");
}

// An example if the subcommand runs a command; else "".
std::string example_of_command(const CallWords &words)
{
    if (words.empty()) return "";
    if (words.front() == "energy") return "hpart energy --meter rapl -- sleep 1";
    return words.front() == "measure" ? "hpart measure -- ./app 1000" : "";
}

// Removes the words after "--" before parsing: the command is not the parser's.
CallWords take_command(CallWords &words)
{
    if (example_of_command(words).empty()) return {};
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes == words.end()) return {};
    CallWords command(dashes + 1, words.end());
    words.erase(dashes, words.end());
    return command;
}

// Appended to an error of the call: where to find help.
std::string advice_on_call(const CallWords &words, bool has_command)
{
    if (words.empty() || words.front().starts_with('-')) return "; see hpart --help";
    const auto example = has_command ? "" : example_of_command(words);
    return text(example.empty() ? "" : "; the command stands after --, as in " + example, "; see hpart ", words.front(),
                " --help");
}

// Empty when there is none among the words that were not understood.
std::string unknown_option(const CLI::App &app)
{
    const auto rest = app.remaining(true);
    const auto option =
        std::find_if(rest.begin(), rest.end(), [](const auto &word) { return word.size() > 1 && word.front() == '-'; });
    return option != rest.end() ? *option : "";
}

// ", but --size is", or nothing when no option of the subcommand is like the word.
std::string suggested_option(const CLI::App &app, std::string_view word)
{
    const auto subs = app.get_subcommands();
    if (subs.empty()) return {};
    std::vector<std::string_view> names;
    for (const auto *option : subs.front()->get_options())
        for (const auto &name : option->get_lnames()) names.emplace_back(name);
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    const auto nearest = hpart::nearest_name(word.substr(0, word.find('=')), names);
    return nearest.empty() ? "" : text(", but --", nearest, " is");
}

// The option that a mismatch names at its beginning, with too many values or too few; "" if there is none.
std::string mismatched_option(const CLI::App &app, std::string_view said)
{
    const auto subs = app.get_subcommands();
    if (subs.empty()) return "";
    for (const auto *option : subs.front()->get_options()) {
        const auto name = option->get_name();
        if (!said.starts_with(name + ":")) continue;
        const bool has_too_many = static_cast<int>(option->count()) > option->get_items_expected_max();
        return name + (has_too_many ? " is given twice" : " needs a value");
    }
    return "";
}

// "5 s" is two words.
bool is_unit(std::string_view word)
{
    constexpr std::array units = {"ns", "us", "ms", "s", "m", "min", "h", "k", "M", "G", "KiB", "MiB", "GiB"};
    return std::ranges::find(units, word) != units.end();
}

// A shell takes an unquoted command apart.
std::string advice_on_quotes(const CLI::App &app)
{
    for (const auto *sub : app.get_subcommands()) {
        const auto *option = sub->get_option_no_throw("--processor");
        if (option == nullptr) continue;
        for (const auto &processor : option->results())
            if (processor.find('=') != std::string::npos && processor.find('{') == std::string::npos)
                return text("; a command with blanks stands in quotes, as --processor ",
                            in_quotes(processor + " {size}"));
    }
    return "";
}

// True if the subcommand takes a platform file, which names the processors of --application.
bool is_named_by_file(const CLI::App &app, std::string_view option)
{
    const auto subs = app.get_subcommands();
    return !subs.empty() && option.substr(0, option.find('=')) == "--processors" &&
           subs.front()->get_option_no_throw("--application") != nullptr;
}

std::string what_is_wrong(const CLI::App &app, const CLI::ParseError &error)
{
    // The words behind an unknown option look like positional arguments; a missing argument was perhaps meant by it.
    const auto option = unknown_option(app);
    if (is_named_by_file(app, option))
        return "'--processors' is not an option here: FILE names the processors, in order; leave it out";
    if (!option.empty()) return in_quotes(option) + " is not an option" + suggested_option(app, option);
    if (dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr) {
        const auto rest = app.remaining(true);
        auto advice = advice_on_quotes(app);
        if (advice.empty() && !rest.empty() && is_unit(rest.front()))
            advice = text("; a unit follows its number without a blank, as 5", rest.front());
        return text(rest.empty() ? "a word" : in_quotes(rest.front()), " is not expected", advice);
    }
    const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch *>(&error) != nullptr;
    const auto mismatched = is_mismatch ? mismatched_option(app, error.what()) : "";
    return mismatched.empty() ? error.what() : mismatched;
}

// OpenBLAS tries without end to get a buffer for each of its threads. Where this process gets none, it has none. A product on the host
// has a thread for each core.
void require_space_for_blas(const CallWords &words)
{
    constexpr std::size_t buffer_bytes = std::size_t{128} << 20, others_bytes = buffer_bytes / 2;
    constexpr std::string_view computing[] = {"additivity", "factor", "gemm",  "group",
                                              "profile",    "run",    "study", "tune"};
    if (std::ranges::find(computing, std::string_view(words.empty() ? "" : words.front())) == std::end(computing) ||
        !has_limited_space())
        return;
    const auto threads = std::max<std::size_t>(1, std::thread::hardware_concurrency());
    const auto bytes = threads * buffer_bytes + others_bytes;
    void *space = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        give_up("out of memory: the address space is limited (ulimit -v), and OpenBLAS needs ", bytes,
                " bytes more of it, ", buffer_bytes, " for each of its threads");
    ::munmap(space, bytes);
}

// command: the words after "--". exit_status: of a command that was run.
void add_subcommands(CLI::App &app, [[maybe_unused]] const CallWords &command, [[maybe_unused]] int &exit_status)
{
    add_info(app);
#ifndef HPART_CORE_ONLY
    add_profile(app);
    add_tune(app);
    add_additivity(app);
    add_group(app);
#endif
    add_partition(app);
    add_pareto(app);
    add_schedule(app);
#ifndef HPART_CORE_ONLY
    add_run(app);
#endif
    add_study(app);
    add_plot(app);
    add_report(app);
    add_slice(app);
#ifndef HPART_CORE_ONLY
    add_gemm(app);
    add_fft(app);
    add_factor(app);
    add_measure(app, command);
    add_energy(app, command, exit_status);
#endif
    add_options(app);
}

// The exit status of a command that was run, else 0.
int parse_and_run(const CallWords &given)
{
    int exit_status = 0;
    auto words = words_of(given);
    const auto command = take_command(words);
    CLI::App app("Splits a workload optimally over the processors of this machine; computes beyond a device's memory.",
                 "hpart");
    app.formatter(help_formatter());
    app.set_help_flag("-h,--help", "print this help and exit");
    app.set_version_flag("-V,--version", version_text, "print the version and exit");
    app.footer("hpart help SUBCOMMAND explains each. FILE may be -, the standard input. Exit status: 0 done; 2 the "
               "call or its input is wrong; 3 no distribution exists; 1 anything else; 130 interrupted.\n\n"
               "Example: hpart partition --size 4096 --format json platform.csv");
    add_subcommands(app, command, exit_status);
    app.require_subcommand(1);
    require_known_subcommand(app, words);
    require_space_for_blas(words);
    try {
        app.parse(CallWords(words.rbegin(), words.rend())); // CLI11 takes them from the end
    } catch (const CLI::CallForHelp &) {
        print(app.help());
    } catch (const CLI::CallForVersion &) {
        print(version_text());
    } catch (const CLI::ParseError &error) {
        refuse(what_is_wrong(app, error), advice_on_call(words, !command.empty()));
    }
    return exit_status;
}

int report(int exit_status, const char *message)
{
    // The one line on stderr; if that cannot be written there is nobody to tell.
    hpart::write_all(STDERR_FILENO, "hpart: " + one_line(message) + "\n");
    return exit_status;
}

} // namespace

bool has_limited_space()
{
    rlimit space{};
    return ::getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY;
}

int run_command(const std::vector<std::string> &words)
{
    try {
        keep_standard_descriptors();
        std::signal(SIGPIPE, SIG_IGN); // a reader that has gone is an error of write
        return parse_and_run(words);
    } catch (const Failure &failure) {
        const int signal = interrupted_by();
        return report(signal != 0 ? exit_signal_base + signal : failure.exit_status(), failure.what());
    } catch (const hpart::Error &error) { // of a part of the library that the command shares
        return report(exit_status_of(static_cast<hpart_status>(error.status())), error.what());
    } catch (const std::bad_alloc &) {
        return report(exit_other, "out of memory");
    } catch (const std::exception &error) {
        return report(exit_other, error.what());
    }
}

namespace
{

constexpr std::size_t narrowest = 60;

// Returns 0 without a terminal, or if the terminal is too narrow to wrap.
std::size_t terminal_columns()
{
    winsize size{};
    if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < narrowest)
        return 0;
    return size.ws_col;
}

// CLI11's versions format differently; the manual pages and the completions are made from this text.
class HelpFormatter : public CLI::FormatterBase
{
  public:
    std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode) const override
    {
        const auto positionals =
            app->get_options([](const CLI::Option *option) { return option->get_positional() && is_shown(option); });
        const auto options =
            app->get_options([](const CLI::Option *option) { return option->nonpositional() && is_shown(option); });
        const auto subcommands = app->get_subcommands([](const CLI::App *sub) { return !sub->get_name().empty(); });
        std::string text = wrapped(app->get_description() + "\n", 0) + "Usage: " + name + " [OPTIONS]";
        for (const auto *positional : positionals) text += " " + usage_of(positional);
        if (!subcommands.empty()) text += " SUBCOMMAND";
        text += "\n";
        if (!positionals.empty()) text += "\nPositionals:\n";
        for (const auto *positional : positionals)
            text += entry(positional->get_name(true, false) + value_of(positional), positional->get_description());
        text += "\nOptions:\n";
        for (const auto *option : options)
            text += entry(option->get_name(false, true) + value_of(option), option->get_description());
        if (!subcommands.empty()) text += "\nSubcommands:\n";
        for (const auto *sub : subcommands) text += entry(sub->get_name(), sub->get_description());
        const auto footer = app->get_footer();
        return text + "\n" + (footer.empty() ? footer : wrapped(footer + "\n", 0));
    }

  private:
    static constexpr std::size_t left_columns = 30;

    static bool is_shown(const CLI::Option *option) { return !option->get_group().empty(); }
    static bool is_list(const CLI::Option *option)
    {
        return option->get_expected_max() >= CLI::detail::expected_max_vector_size;
    }
    static std::string usage_of(const CLI::Option *positional)
    {
        const auto name = positional->get_name(true, false) + (is_list(positional) ? "..." : "");
        return positional->get_required() ? name : "[" + name + "]";
    }
    // " SIZES=64", what stands after the names of an option that takes a value.
    static std::string value_of(const CLI::Option *option)
    {
        std::string text;
        if (option->get_type_size() == 0) return text;
        if (!option->get_type_name().empty()) text += " " + option->get_type_name();
        if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
        if (is_list(option)) text += " ...";
        if (option->get_required()) text += " REQUIRED";
        return text;
    }
    std::string entry(const std::string &names, const std::string &meaning) const
    {
        auto line = "  " + names;
        if (line.size() < left_columns)
            line.resize(left_columns, ' ');
        else
            line += "\n" + std::string(left_columns, ' ');
        return wrapped(line + meaning + "\n", left_columns);
    }
    // Breaks each line at blanks; what follows is indented.
    std::string wrapped(const std::string &text, std::size_t indent) const
    {
        if (columns_ == 0) return text;
        std::string out;
        for (std::size_t begin = 0; begin < text.size();) {
            const auto end = std::min(text.find('\n', begin), text.size());
            auto line = text.substr(begin, end - begin);
            while (line.size() > columns_) {
                const auto blank = line.rfind(' ', columns_);
                if (blank == std::string::npos || blank <= indent || line.find_first_not_of(' ') > blank) break;
                out += line.substr(0, blank) + "\n";
                line = std::string(indent, ' ') + line.substr(blank + 1);
            }
            out += line;
            if (end < text.size()) out += "\n";
            begin = end + 1;
        }
        return out;
    }

    std::size_t columns_ = terminal_columns();
};

} // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

} // namespace hpart_command
