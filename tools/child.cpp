#include "child.hpp"

#include "failure.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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
