#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "expect_error.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace hpart
{
namespace
{

void sleep(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

constexpr MeterSettings fast{0.2};

// No child of this process is left, running or dead.
void expect_no_children()
{
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
}

TEST(Command, IntegratesWhatItPrints)
{
    {
        Meter meter(open_command("while :; do echo 87.5; sleep 0.02; done", fast));
        meter.start();
        sleep(0.3);
        const auto measured = meter.stop();
        EXPECT_NEAR(measured.joules / measured.seconds, 87.5, 1e-9);
        EXPECT_GE(measured.readings, 4);
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "integrated");
    }
    expect_no_children();
}

TEST(Command, Ends)
{
    expect_error(Status::device, {"exit status 3"}, [] { open_command("exit 3", fast); });
    expect_error(Status::device, {"command:no-such-program", "exit status 127"},
                 [] { open_command("no-such-program", fast); });
    {
        Meter meter(open_command("echo 5; sleep 0.1; kill -9 $$", fast));
        meter.start();
        sleep(0.6);
        expect_error(Status::device, {"signal 9"}, [&] { meter.stop(); });
        expect_error(Status::device, {"signal 9"}, [&] { meter.start(); });
    }
    {
        Meter meter(open_command("echo 5; exec >/dev/null; sleep 60", fast));
        sleep(0.4);
        expect_error(Status::device, {"closed its output"}, [&] { meter.start(); });
    }
    expect_no_children();
}

TEST(Command, PrintsGarbage)
{
    for (const auto *garbage : {"power.draw", "5 W", "nan", "-1", "1e999"})
        expect_error(Status::device, {"printed", garbage, "watts"},
                     [&] { open_command(std::string("echo '") + garbage + "'; sleep 60", fast); });
    {
        Meter meter(open_command("echo; echo 5; sleep 0.1; echo x; sleep 60", fast));
        meter.start();
        sleep(0.3);
        expect_error(Status::device, {"'x'"}, [&] { meter.stop(); });
    }
    expect_error(Status::device, {"without the end of a row"}, [] { open_command("yes | tr -d '\\n'", {1}); });
    expect_no_children();
}

TEST(Command, IsSilent)
{
    expect_error(Status::device, {"no power within", "stdbuf"}, [] { open_command("sleep 60", fast); });
    expect_no_children();
}

// A program that takes no notice of being asked to end, and what it has started, are killed and reaped.
TEST(Command, HangsAtTheEnd)
{
    const auto file =
        (std::filesystem::temp_directory_path() / ("hpart-command." + std::to_string(::getpid()))).string();
    {
        const Meter meter(open_command("trap '' TERM INT HUP PIPE; sleep 1000 & echo $! >" + file +
                                           "; echo 5; while :; do sleep 0.05; echo 5; done",
                                       {0.2}));
        sleep(0.2);
    }
    expect_no_children();
    pid_t started = 0;
    std::ifstream(file) >> started;
    std::filesystem::remove(file);
    ASSERT_GT(started, 0);
    // Whoever adopted it may take a moment to reap it.
    bool is_gone = false;
    for (int k = 0; k < 100 && !is_gone; ++k) {
        std::ifstream stat("/proc/" + std::to_string(started) + "/stat");
        std::string number, name, state;
        is_gone = !(stat >> number >> name >> state) || state == "Z" || state == "X";
        sleep(0.02);
    }
    EXPECT_TRUE(is_gone);
}

} // namespace
} // namespace hpart
