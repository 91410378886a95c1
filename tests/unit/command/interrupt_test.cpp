// Signals to a process that looks for them, and to one that never does.
#include "failure.hpp"
#include "interrupt.hpp"

#include <array>
#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace hpart_command
{
namespace
{

struct End {
    int status;
    std::string message;
};

// The end of a process that gets these signals, each after so many milliseconds.
End end_of(const std::function<void()> &work, const std::vector<std::pair<int, int>> &signals)
{
    std::array<int, 2> messages{}, ready{};
    EXPECT_EQ(::pipe(messages.data()), 0);
    EXPECT_EQ(::pipe(ready.data()), 0);
    const auto child = ::fork();
    if (child == 0) {
        ::dup2(messages[1], STDERR_FILENO);
        watch_for_interrupts("the last words", 1);
        if (::write(ready[1], "x", 1) != 1) ::_exit(1);
        work();
        ::_exit(0);
    }
    ::close(messages[1]);
    char begun = 0;
    EXPECT_EQ(::read(ready[0], &begun, 1), 1);
    for (const auto &[milliseconds, signal] : signals) {
        ::usleep(static_cast<useconds_t>(milliseconds * 1000));
        ::kill(child, signal);
    }
    End end{};
    std::array<char, 256> buffer{};
    for (ssize_t got = 0; (got = ::read(messages[0], buffer.data(), buffer.size())) > 0;)
        end.message.append(buffer.data(), static_cast<std::size_t>(got));
    EXPECT_EQ(::waitpid(child, &end.status, 0), child);
    for (const int descriptor : {messages[0], ready[0], ready[1]}) ::close(descriptor);
    return end;
}

void until_noted()
{
    while (interrupted_by() == 0) ::usleep(1000);
    ::usleep(300000);
    ::_exit(interrupted_by() == SIGTERM ? 42 : 1);
}

void forever()
{
    for (;;) ::usleep(1000);
}

TEST(Interrupts, InARowAreOneRequest)
{
    for (const auto &signals : std::vector<std::vector<std::pair<int, int>>>{
             {{0, SIGTERM}}, {{0, SIGTERM}, {0, SIGTERM}}, {{0, SIGTERM}, {50, SIGTERM}, {50, SIGINT}}}) {
        const auto end = end_of(until_noted, signals);
        EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 42) << end.status;
        EXPECT_EQ(end.message, "");
    }
}

TEST(Interrupts, EndWorkThatDoesNotLook)
{
    const auto end = end_of(forever, {{0, SIGTERM}, {10, SIGTERM}});
    EXPECT_TRUE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == exit_signal_base + SIGTERM) << end.status;
    EXPECT_EQ(end.message, "hpart: the last words\n");
}

} // namespace
} // namespace hpart_command
