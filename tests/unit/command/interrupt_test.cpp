// Signals to a process that looks for them, and to one that never does.
#include "failure.hpp"
#include "interrupt.hpp"

#include <csignal>
#include <vector>

#include <unistd.h>

#include <gtest/gtest.h>

namespace hpart_command
{
namespace
{

constexpr int found_status = 42;

void receive(const std::vector<int> &signals)
{
    watch_for_interrupts("the last words", 1000);
    for (const int signal : signals) ::raise(signal);
}

TEST(Interrupts, InARowAreOneRequest)
{
    for (const auto &signals :
         std::vector<std::vector<int>>{{SIGTERM}, {SIGTERM, SIGTERM}, {SIGTERM, SIGTERM, SIGINT}}) {
        const auto look = [&] {
            receive(signals);
            ::_exit(interrupted_by() == SIGTERM ? found_status : 1);
        };
        EXPECT_EXIT(look(), testing::ExitedWithCode(found_status), "^$");
    }
}

TEST(Interrupts, EndWorkThatDoesNotLook)
{
    const auto run_out_of_patience = [] {
        receive({SIGTERM, SIGTERM});
        if (::alarm(0) > 0) ::raise(SIGALRM);
        ::_exit(1);
    };
    EXPECT_EXIT(run_out_of_patience(), testing::ExitedWithCode(exit_signal_base + SIGTERM),
                "^hpart: the last words\n$");
}

} // namespace
} // namespace hpart_command
