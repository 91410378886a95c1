#include "interrupt.hpp"

#include "failure.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <string_view>

#include <unistd.h>

namespace hpart_command
{

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
