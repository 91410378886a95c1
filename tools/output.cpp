#include "output.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <system_error>

#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hpart_command
{

void print(std::string_view content)
{
    if (const int error = hpart::write_all(STDOUT_FILENO, content); error != 0)
        give_up("cannot write to standard output: ", std::generic_category().message(error));
}

std::string json_text(const Json &object)
{
    const auto dumped = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    // JSON lets control characters beyond ASCII stand as they are; a terminal must not see them.
    std::string out;
    for (std::size_t k = 0; k < dumped.size(); ++k) {
        const auto code = static_cast<unsigned char>(dumped[k]);
        const auto next = k + 1 < dumped.size() ? static_cast<unsigned char>(dumped[k + 1]) : 0U;
        if (code == 0x7F)
            out += "\\u007f";
        else if (code == 0xC2 && next < 0xA0)
            out += text("\\u00", next < 0x90 ? '8' : '9', "0123456789abcdef"[dumped[++k] & 0xF]);
        else
            out += dumped[k];
    }
    return out + "\n";
}

namespace
{

std::string &first_time_doubt()
{
    static std::string doubt;
    return doubt;
}

} // namespace

void note_time_doubt(const std::string &doubt)
{
    if (first_time_doubt().empty()) first_time_doubt() = doubt;
}

void emit(const Common &common, Json result, const std::function<std::string()> &for_people)
{
    const auto &doubt = first_time_doubt();
    if (!doubt.empty() && result.is_object()) result["time_doubt"] = doubt;
    const auto named = [&] { // what plot, report and scripts know a result by
        const auto name = [&](const Json &one) {
            Json all{{"subcommand", common.subcommand}};
            all.update(one);
            return all;
        };
        auto all = name(result);
        if (result.contains("results"))
            for (auto &one : all["results"]) one = name(one);
        return json_text(all);
    };
    const auto show = [&] {
        if (common.json)
            print(named());
        else
            print(hpart::printable(common.csv ? csv_text(result) : (doubt.empty() ? "" : doubt + "\n\n") + for_people(),
                                   '?', "\n"));
    };
    if (common.output) try {
            write_file(*common.output, named());
        } catch (const Failure &failure) { // as on a full disk: what was measured is not lost
            if (failure.exit_status() == exit_other) show();
            throw;
        }
    show();
}

namespace
{

// The first failure of another kind, else one for all sizes without a distribution.
std::optional<Failure> failure_of(const std::vector<Result> &results)
{
    std::size_t infeasible = 0;
    std::optional<Failure> first;
    for (const auto &result : results) {
        if (!result.failure) continue;
        if (result.failure->exit_status() != exit_infeasible) return result.failure;
        if (++infeasible == 1) first = result.failure;
    }
    if (infeasible > 1)
        first.emplace(exit_infeasible,
                      text(infeasible, " of ", results.size(), " sizes have no distribution; ", first->what()));
    return first;
}

} // namespace

void emit_each(const Common &common, const std::vector<std::int64_t> &sizes, Json empty,
               const std::function<Result(std::int64_t)> &solve, const std::vector<std::string> &headings)
{
    std::vector<Result> results;
    for (const auto size : sizes) {
        try {
            results.push_back(solve(size));
        } catch (const Failure &failure) {
            if (failure.exit_status() != exit_infeasible) throw;
            empty["size"] = size;
            empty["reason"] = failure.what();
            results.push_back({empty, text(failure.what(), "\n"), failure});
        }
    }
    const auto failure = failure_of(results);
    const bool is_solved = std::ranges::any_of(
        results, [](const auto &r) { return !r.failure || r.failure->exit_status() != exit_infeasible; });
    if (!is_solved) throw Failure(*results.front().failure);
    const bool is_table = !headings.empty() && results.size() > 1;
    Table table(headings);
    std::string for_people;
    Json all = Json::array();
    for (const auto &result : results) {
        if (is_table && !result.row.empty()) table.add(result.row);
        if (!result.for_people.empty()) for_people += (for_people.empty() ? "" : "\n") + result.for_people;
        all.push_back(result.json);
    }
    if (is_table) for_people = table.text() + (for_people.empty() ? "" : "\n") + for_people;
    emit(common, results.size() == 1 ? results.front().json : Json{{"results", all}}, [&] { return for_people; });
    if (failure) throw Failure(*failure);
}

Json libraries_json()
{
    Json libraries = Json::object();
    for (const auto &[name, what] : linked_libraries(library_info())) libraries[name] = what;
    return libraries;
}

Json budget_needed(double seconds, std::int64_t measured_now, double points)
{
    constexpr double reserve = 1.25;
    if (measured_now <= 0 || points <= 0) return {};
    return reserve * seconds / static_cast<double>(measured_now) * (points + 1);
}

bool is_worth_a_budget(const Json &seconds)
{
    constexpr double a_day = 86400;
    return !seconds.is_null() && seconds.get<double>() <= a_day;
}

namespace
{

void write_note(const std::string &line)
{
    hpart::write_all(STDERR_FILENO, "hpart: " + one_line(line) + "\n"); // the result is complete without it
}

} // namespace

void note_end_of_budget(std::string_view missing, const Json &seconds)
{
    write_note(
        text(missing, ". Run the same command again to continue",
             is_worth_a_budget(seconds) ? text("; ", about_text(seconds.get<double>()), " would measure the rest") : "",
             "."));
}

void note_short_budget(std::string_view missing, std::string_view argument)
{
    write_note(text(missing, ". A longer ", argument, " gives it more time."));
}

namespace
{
constexpr int bar_width = 30;
constexpr std::size_t columns_of_bar = 41, usual_columns = 80; // with the brackets and the percentage

std::size_t columns_of_text()
{
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > columns_of_bar;
    return (is_known ? size.ws_col : usual_columns) - columns_of_bar;
}
} // namespace

ProgressBar::ProgressBar() : visible_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::attach(hpart_options *options)
{
    check(hpart_options_set_progress(options, &ProgressBar::told, this, nullptr));
}

void ProgressBar::set_part(double start, double share, std::string what)
{
    part_start_ = start;
    part_share_ = share;
    part_what_ = std::move(what);
    fraction_ = 0;
}

int ProgressBar::told(double fraction, const char *what, void *self) noexcept
{
    try {
        static_cast<ProgressBar *>(self)->draw(fraction, what);
    } catch (...) {
        return interrupted_by(); // a bar that cannot be drawn stops nothing
    }
    return interrupted_by();
}

void ProgressBar::draw(double fraction, const char *what)
{
    if (const auto warnings = std::exchange(warnings_, {}); !warnings.empty())
        hpart::write_all(STDERR_FILENO, warnings);
    if (!visible_) return;
    if (fraction >= 0) fraction_ = std::clamp(fraction, fraction_, 1.0); // else it is not known; no bar goes back
    const double done = part_start_ + part_share_ * fraction_;
    const auto filled = static_cast<std::size_t>(std::lround(done * bar_width));
    auto line = "\r\033[K[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " +
                std::to_string(std::lround(done * 100)) + " %  ";
    line += one_line(part_what_.empty() ? what : part_what_.c_str()).substr(0, columns_of_text());
    drawn_ = hpart::write_all(STDERR_FILENO, line) == 0;
}

void ProgressBar::clear()
{
    if (drawn_) hpart::write_all(STDERR_FILENO, "\r\033[K");
    drawn_ = false;
}

namespace
{

// timeout(1) sends a signal to the process, then to its group: signals in quick succession are one request.
constexpr std::int64_t moment_nanoseconds = 1'000'000'000;

std::atomic<int> noted_signal{0};
std::atomic<std::int64_t> noted_at{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

std::string words_at_the_end;
unsigned patience = 0;

std::int64_t nanoseconds_now()
{
    struct timespec now {
    };
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void note_signal(int signal)
{
    const int error = errno;
    std::int64_t first = 0;
    const auto now = nanoseconds_now();
    if (noted_at.compare_exchange_strong(first, now)) {
        noted_signal = signal;
        if (patience > 0) ::alarm(patience);
    } else if (now - first > moment_nanoseconds) {
        std::signal(signal, SIG_DFL); // NOLINT(cert-err33-c): the default is always there
        ::raise(signal);
    }
    errno = error;
}

// A repetition that takes minutes, or never ends, does not look.
extern "C" void end_now(int /*signal*/)
{
    // Nobody could be told that it cannot be written.
    constexpr std::string_view clear = "\r\033[K"; // of the progress bar
    if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, clear.data(), clear.size()) < 0) ::_exit(exit_other);
    if (::write(STDERR_FILENO, words_at_the_end.data(), words_at_the_end.size()) < 0) ::_exit(exit_other);
    ::_exit(exit_signal_base + noted_signal);
}

void handle(int signal, void (*handler)(int))
{
    struct sigaction action {
    };
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

} // namespace

void watch_for_interrupts(const std::string &last_words, unsigned patience_seconds)
{
    if (!last_words.empty()) {
        words_at_the_end = "hpart: " + one_line(last_words) + "\n";
        patience = patience_seconds;
        handle(SIGALRM, end_now);
    }
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        struct sigaction before {
        };
        sigaction(signal, nullptr, &before);
        // An ignored signal, as in a shell's background or under nohup, stays ignored.
        if (before.sa_handler != SIG_IGN) handle(signal, note_signal);
    }
}

int interrupted_by() { return noted_signal; }

} // namespace hpart_command

extern "C" char **environ; // NOLINT(readability-redundant-declaration): the header has it for GNU alone

namespace hpart_command
{

namespace
{

// As env(1) and timeout(1) have it.
constexpr int exit_not_found = 127, exit_not_started = 126;
constexpr std::array<int, 4> passed_on = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Signals may arrive on any thread, and before the process id is known: each is noted and then passed on once.
std::atomic<pid_t> child_process = 0;
std::atomic<unsigned> noted = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<unsigned>::is_always_lock_free);

void pass_on_noted()
{
    const pid_t process = child_process;
    if (process == 0) return;
    for (std::size_t k = 0; k < passed_on.size(); ++k)
        if ((noted.fetch_and(~(1U << k)) >> k & 1U) != 0) ::kill(process, passed_on[k]);
}

extern "C" void note(int signal, siginfo_t *information, void * /*context*/)
{
    const int error = errno;
    // The terminal sends its signals to the whole group, and so to a command that has started.
    const bool to_group = information->si_code > 0 && child_process != 0;
    for (std::size_t k = 0; k < passed_on.size(); ++k)
        if (passed_on[k] == signal && !to_group) noted.fetch_or(1U << k);
    pass_on_noted();
    errno = error;
}

// The signals' actions before are back at the end.
class PassingOn
{
  public:
    PassingOn()
    {
        noted = 0;
        struct sigaction action {
        };
        action.sa_sigaction = note;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        for (std::size_t k = 0; k < passed_on.size(); ++k) {
            ::sigaction(passed_on[k], nullptr, &before_[k]);
            // An ignored signal, as under nohup, stays ignored, for the command too.
            if (before_[k].sa_handler != SIG_IGN) ::sigaction(passed_on[k], &action, nullptr);
        }
    }
    PassingOn(const PassingOn &) = delete;
    PassingOn &operator=(const PassingOn &) = delete;
    ~PassingOn()
    {
        for (std::size_t k = 0; k < passed_on.size(); ++k) ::sigaction(passed_on[k], &before_[k], nullptr);
    }

  private:
    std::array<struct sigaction, passed_on.size()> before_{};
};

pid_t start(const std::vector<std::string> &command, bool output_to_stderr)
{
    std::vector<std::string> words = command;
    std::vector<char *> arguments;
    arguments.reserve(words.size() + 1);
    for (auto &word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    if (output_to_stderr) ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    sigset_t pipe_signal;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE); // this process ignores it
    ::posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t process = 0;
    const int error = ::posix_spawnp(&process, arguments.front(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0)
        throw Failure(error == ENOENT ? exit_not_found : exit_not_started,
                      text("cannot run ", in_quotes(command.front()), ": ", std::generic_category().message(error),
                           error == ENOEXEC ? "; a script must begin with a line such as #!/bin/sh, and a program must "
                                              "be one of this machine"
                                            : ""));
    return process;
}

} // namespace

int run_child(const std::vector<std::string> &command, bool output_to_stderr)
{
    const PassingOn signals;
    child_process = start(command, output_to_stderr);
    pass_on_noted();
    int status = 0;
    pid_t ended = -1;
    do {
        ended = ::waitpid(child_process, &status, 0);
    } while (ended < 0 && errno == EINTR);
    child_process = 0;
    if (ended < 0)
        throw Failure(exit_not_started, text("cannot wait for ", in_quotes(command.front()), ": ",
                                             std::generic_category().message(errno)));
    return WIFSIGNALED(status) ? exit_signal_base + WTERMSIG(status) : WEXITSTATUS(status);
}

} // namespace hpart_command
