// The hpart command: partitions, measures and runs from the shell, through hpart.h alone.
#include "arguments.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "interrupt.hpp"
#include "output.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace
{

using namespace hpart_command;

// A descriptor 0, 1 or 2 that the caller closed would be given to the next file opened, and output would land there. In its
// place stands one that cannot be written.
void keep_standard_descriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(descriptor, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
}

std::string version_text()
{
    std::int32_t major = 0, minor = 0, patch = 0;
    hpart_version(&major, &minor, &patch);
    return text("hpart ", major, ".", minor, ".", patch, "\n");
}

void require_known_subcommand(const CLI::App &app, int argc, char **argv)
{
    std::string names;
    for (const auto *sub : app.get_subcommands(nullptr)) names += (names.empty() ? "" : ", ") + sub->get_name();
    if (argc < 2) refuse("a subcommand is needed, one of ", names, "; hpart --help explains them");
    const std::string_view first = argv[1];
    if (first == "-h" || first == "--help" || first == "--version") return;
    for (const auto *sub : app.get_subcommands(nullptr))
        if (sub->check_name(argv[1])) return;
    refuse(in_quotes(argv[1]), " is not a subcommand; it must be one of ", names, ", or --help or --version");
}

// What `hpart energy` runs is not the parser's business: words after "--" are taken off the line as they are.
std::vector<std::string> take_command(int &argc, char **argv)
{
    if (argc < 2 || std::string_view(argv[1]) != "energy") return {};
    for (int k = 2; k < argc; ++k) {
        if (std::string_view(argv[k]) != "--") continue;
        std::vector<std::string> command(argv + k + 1, argv + argc);
        argc = k;
        return command;
    }
    return {};
}

// After what is wrong with the call: where to read what would be right.
std::string advice_on_call(int argc, char **argv, bool has_command)
{
    const std::string_view first = argc > 1 ? argv[1] : "-";
    if (first.front() == '-') return "; see hpart --help";
    const bool lacks_command = first == "energy" && !has_command;
    return text(lacks_command ? "; the command stands after --, as in hpart energy --meter rapl -- sleep 1" : "",
                "; see hpart ", first, " --help");
}

// Quoted; empty when there is none among the words that were not understood.
std::string unknown_option(const CLI::App &app)
{
    const auto rest = app.remaining(true);
    const auto option =
        std::find_if(rest.begin(), rest.end(), [](const auto &word) { return word.size() > 1 && word.front() == '-'; });
    return option != rest.end() ? in_quotes(*option) : "";
}

// In our words where the parser's are none: "--size: At Most 1 required but received 2", "--size: 1 required N missing".
std::string what_is_wrong(const CLI::App &app, const CLI::ParseError &error)
{
    // An option that is not known takes the words behind it for the call's own, and what is missing was perhaps meant by it.
    const auto option = unknown_option(app);
    if (!option.empty()) return option + " is not an option";
    std::string said = error.what();
    if (dynamic_cast<const CLI::ExtrasError *>(&error) != nullptr) {
        const auto rest = app.remaining(true);
        return (rest.empty() ? "a word" : in_quotes(rest.front())) + " is not expected";
    }
    const auto colon = said.find(": ");
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) == nullptr || colon == std::string::npos) return said;
    return said.substr(0, colon) + (said.find("received") != std::string::npos ? " is given twice" : " needs a value");
}

// The exit status of a command that was run, else 0.
int parse_and_run(int argc, char **argv)
{
    int exit_status = 0;
    const auto command = take_command(argc, argv);
    CLI::App app(
        "Splits a workload optimally over the unlike processors of this machine; computes beyond a device's memory.",
        "hpart");
    app.set_help_flag("-h,--help", "print this help and exit");
    app.set_version_flag("--version", version_text, "print the version and exit");
    app.footer("hpart SUBCOMMAND --help explains each. Exit status: 0 done; 2 the call or its input is wrong; 3 no\n"
               "distribution exists; 1 anything else; 130 interrupted.\n\n"
               "Example: hpart partition --size 4096 --format json platform.csv");
    add_info(app);
    add_profile(app);
    add_group(app);
    add_partition(app);
    add_pareto(app);
    add_schedule(app);
    add_run(app);
    add_plot(app);
    add_shape(app);
    add_slice(app);
    add_gemm(app);
    add_fft(app);
    add_factor(app);
    add_energy(app, command, exit_status);
    app.require_subcommand(1);
    require_known_subcommand(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp &) {
        print(app.help());
    } catch (const CLI::CallForVersion &) {
        print(version_text());
    } catch (const CLI::ParseError &error) {
        refuse(what_is_wrong(app, error), advice_on_call(argc, argv, !command.empty()));
    }
    return exit_status;
}

int report(int exit_status, const char *message)
{
    // The one line on stderr; if that cannot be written there is nobody to tell.
    write_all(STDERR_FILENO, "hpart: " + one_line(message) + "\n");
    return exit_status;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        keep_standard_descriptors();
        // Two units of PoCL, an OpenCL implementation for cores, may share a core unless it binds them; set before it is loaded.
        ::setenv("POCL_AFFINITY", "1", 0);
        std::signal(SIGPIPE, SIG_IGN); // a reader that has gone is an error of write
        return parse_and_run(argc, argv);
    } catch (const Failure &failure) {
        const int signal = interrupted_by();
        return report(signal != 0 ? exit_signal_base + signal : failure.exit_status(), failure.what());
    } catch (const std::bad_alloc &) {
        return report(exit_other, "out of memory");
    } catch (const std::exception &error) {
        return report(exit_other, error.what());
    }
}
