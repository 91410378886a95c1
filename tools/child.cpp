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

std::atomic<pid_t> child_process = 0;
static_assert(std::atomic<pid_t>::is_always_lock_free);

// The terminal has already sent its signals to the whole group, including the command.
extern "C" void pass_on(int signal, siginfo_t *information, void * /*context*/)
{
    const int error = errno;
    const pid_t process = child_process;
    if (process > 0 && information->si_code <= 0) ::kill(process, signal);
    errno = error;
}

// The signals' actions before are back at the end.
class PassingOn
{
  public:
    PassingOn()
    {
        struct sigaction action {
        };
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        for (std::size_t k = 0; k < passed_on.size(); ++k) {
            ::sigaction(passed_on[k], nullptr, &before_[k]);
            // One that is ignored, as under nohup, stays so, for the command too.
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

// Signals to be passed on wait while this lives.
class HeldBack
{
  public:
    HeldBack()
    {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : passed_on) sigaddset(&held, signal);
        ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    HeldBack(const HeldBack &) = delete;
    HeldBack &operator=(const HeldBack &) = delete;
    ~HeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    const sigset_t &before() const { return before_; }

  private:
    sigset_t before_{};
};

// mask: of the signals that the command does not get.
pid_t start(const std::vector<std::string> &command, bool output_to_stderr, const sigset_t &mask)
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
    ::posix_spawnattr_setsigmask(&attributes, &mask);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t process = 0;
    const int error = ::posix_spawnp(&process, arguments.front(), &actions, &attributes, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (error != 0)
        throw Failure(error == ENOENT ? exit_not_found : exit_not_started,
                      text("cannot run ", in_quotes(command.front()), ": ", std::generic_category().message(error)));
    return process;
}

} // namespace

int run_child(const std::vector<std::string> &command, bool output_to_stderr)
{
    const PassingOn signals;
    {
        const HeldBack until_the_child_is_known;
        child_process = start(command, output_to_stderr, until_the_child_is_known.before());
    }
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
