#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace hpart_command
{

namespace
{
volatile std::sig_atomic_t noted_signal = 0;

extern "C" void note_signal(int signal) { noted_signal = signal; }
} // namespace

void watch_for_interrupts()
{
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
