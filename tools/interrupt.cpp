#include "interrupt.hpp"

#include "failure.hpp"

#include <csignal>
#include <initializer_list>
#include <string_view>

#include <unistd.h>

namespace hpart_command
{

namespace
{
constexpr unsigned grace_seconds = 1;
volatile std::sig_atomic_t noted_signal = 0, ends_unheard = 0;

extern "C" void note_signal(int signal)
{
    noted_signal = signal;
    if (ends_unheard != 0) ::alarm(grace_seconds);
}

extern "C" void end(int /*signal*/)
{
    constexpr std::string_view message = "hpart: interrupted; nothing was written\n", clear = "\r\033[K";
    if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, clear.data(), clear.size()) < 0) ::_exit(exit_other);
    if (::write(STDERR_FILENO, message.data(), message.size()) < 0) ::_exit(exit_other);
    ::_exit(exit_signal_base + noted_signal);
}
} // namespace

void watch_for_interrupts(Unheard unheard)
{
    ends_unheard = unheard == Unheard::ends ? 1 : 0;
    if (unheard == Unheard::ends) std::signal(SIGALRM, end);
    struct sigaction action {
    };
    action.sa_handler = note_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGINT, SIGTERM}) {
        struct sigaction before {
        };
        sigaction(signal, nullptr, &before);
        // One that is ignored, as in a shell's background, stays so.
        if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

int interrupted_by() { return noted_signal; }

} // namespace hpart_command
