#include "interrupt.hpp"

#include <csignal>

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
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
}

int interrupted_by() { return noted_signal; }

} // namespace hpart_command
