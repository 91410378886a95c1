// A signal that comes while the child is being started reaches it: before it exists, and before its process id is known, on any thread.
#include "library.hpp"
#include "output.hpp"

#include <csignal>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <unistd.h>

namespace
{

int signal_before = 0, signal_after = 0;

void raise_on_a_thread(int signal)
{
    if (signal != 0) std::thread([=] { ::raise(signal); }).join();
}

} // namespace

// Replaces the system's.
extern "C" int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[])
{
    static const auto original = reinterpret_cast<decltype(&posix_spawnp)>(::dlsym(RTLD_NEXT, "posix_spawnp"));
    raise_on_a_thread(signal_before);
    const int error = original(process, file, actions, attributes, arguments, environment);
    raise_on_a_thread(signal_after);
    return error;
}

namespace hpart_command
{
namespace
{

TEST(Child, GetsASignalThatComesWhileItStarts)
{
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
        for (auto *const when : {&signal_before, &signal_after}) {
            *when = signal;
            EXPECT_EQ(run_child({"sleep", "1000"}, false), 128 + signal);
            *when = 0;
            EXPECT_EQ(run_child({"sh", "-c", "exit 4"}, false), 4);
        }
}

TEST(Child, GetsNoSignalOfOneThatDidNotStart)
{
    signal_after = SIGINT;
    EXPECT_THROW(run_child({"no-such-command"}, false), Failure);
    signal_after = 0;
    EXPECT_EQ(run_child({"sh", "-c", "exit 5"}, false), 5);
}

// Signals to a process that looks for them, and to one that never does.
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
