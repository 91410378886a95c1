// A signal that comes while the child is being started reaches it: before it exists, and before its process id is known, on any thread.
#include "child.hpp"
#include "failure.hpp"

#include <csignal>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <spawn.h>

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

} // namespace
} // namespace hpart_command
