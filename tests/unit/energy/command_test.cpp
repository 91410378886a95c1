#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/live_stream.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace hpart
{
namespace
{

// No child of this process is left, running or dead.
class Command : public testing::Test
{
  protected:
    ~Command() override
    {
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
    }
    // When it is opened or later.
    static void expect_failure(const std::string &command, std::initializer_list<std::string_view> words)
    {
        expect_error(Status::device, words, [&] {
            Meter meter(open_command(command, patient));
            for (;;) {
                meter.start();
                meter.stop();
            }
        });
    }
};

TEST_F(Command, IntegratesWhatItPrints)
{
    Meter meter(open_command("while :; do echo 87.5; sleep 0.002; done", patient));
    meter.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules, 87.5 * measured.seconds, 1e-9);
    EXPECT_GE(measured.seconds, 0.02);
    EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "integrated");
}

TEST_F(Command, WaitsNoLongerThanTheUser)
{
    auto settings = patient;
    settings.look = [] { fail(Status::cancelled, "enough"); };
    expect_error(Status::cancelled, {"enough"}, [&] { open_command("sleep 1000", settings); });
}

TEST_F(Command, Ends)
{
    expect_failure("exit 3", {"exit status 3"});
    expect_failure("no-such-program", {"command:no-such-program", "was not found", "PATH"});
    expect_failure("/etc/passwd", {"command:/etc/passwd", "may not be run"});
    expect_failure("echo 5; kill -9 $$", {"signal 9"});
    support::FakeClock clock(1); // no patience
    expect_failure("echo 5; exec >/dev/null; sleep 60", {"closed its output"});
}

TEST_F(Command, PrintsSeveralSensors)
{
    expect_failure("while :; do printf '300\n100\n'; sleep 0.2; done",
                   {"printed 2 lines at a time: several sensors? lines=2 adds them up", "stdbuf -oL"});
    auto settings = patient;
    settings.lines = 2;
    Meter meter(open_sensor("command:while :; do printf '300\n100\n'; sleep 0.002; done", settings));
    meter.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules, 400 * measured.seconds, 1e-9);
    expect_error(Status::device, {"printed 3 lines at a time: option lines is 2"}, [&] {
        Meter three(open_command("while :; do printf '1\n2\n3\n'; sleep 0.2; done", settings));
        for (;;) {
            three.start();
            three.stop();
        }
    });
    expect_error(Status::invalid_argument, {"option 'lines' belongs to command:PROGRAM"},
                 [&] { open_sensor("estimate:5", settings); });
}

TEST_F(Command, PrintsGarbage)
{
    for (const auto *garbage : {"power.draw", "5 W", "nan", "-1", "1e999"})
        expect_error(Status::device, {garbage}, [&] { command_watts("test", garbage); });
    EXPECT_EQ(command_watts("test", "1e3"), 1000);
    expect_failure("echo; echo 5; echo x; sleep 60", {"'x'"});
}

TEST_F(Command, IsSilent)
{
    support::FakeClock clock;
    expect_error(Status::device, {"no power within", "stdbuf"}, [] { open_command("sleep 60", {1}); });
}

// A program that takes no notice of being asked to end, and what it has started, are killed and reaped.
TEST_F(Command, HangsAtTheEnd)
{
    const support::Folder folder;
    const auto file = folder.file();
    std::optional<support::FakeClock> clock;
    {
        const Meter meter(open_command("trap '' TERM INT HUP PIPE; sleep 1000 & echo $! >" + file +
                                           "; while :; do echo 5; sleep 0.01; done",
                                       patient));
        clock.emplace(1); // no patience
    }
    pid_t started = 0;
    std::ifstream(file) >> started;
    ASSERT_GT(started, 0);
    // Whoever adopted it may take a moment to reap it.
    for (bool is_gone = false; !is_gone; std::this_thread::yield()) {
        std::ifstream stat("/proc/" + std::to_string(started) + "/stat");
        std::string number, name, state;
        is_gone = !(stat >> number >> name >> state) || state == "Z" || state == "X";
    }
}

} // namespace
} // namespace hpart
