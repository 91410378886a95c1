#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"

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

TEST(Command, TellsAFailureBeforeTheWindowIsClosed)
{
    Meter meter(open_command("for k in 1 2 3; do echo 5; sleep 0.02; done", fast));
    EXPECT_EQ(meter.report().find("failure"), nullptr);
    meter.start();
    for (int k = 0; k < 500 && meter.report().find("failure") == nullptr; ++k) sleep(0.01);
    EXPECT_NE(meter.report().find("failure"), nullptr);
    EXPECT_THROW(meter.stop(), Error);
    EXPECT_EQ(meter.report().find("failure"), nullptr);
}

double resident_megabytes()
{
    std::ifstream file("/proc/self/statm");
    double size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// Millions of rows a second: what is kept does not grow with them, neither in a window nor in a base power.
TEST(Command, AFloodOfRowsTakesNoMemory)
{
    Meter meter(open_command("yes 5", {0.02}));
    const double before = resident_megabytes();
    meter.start();
    sleep(1);
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules, 5 * measured.seconds, 1e-6);
    EXPECT_GE(measured.seconds, 1);
    EXPECT_GT(measured.readings, 2); // two a read, of which a busy machine makes few
    EXPECT_NEAR(meter.measure_base_power(0.6).watts, 5, 1e-9);
    EXPECT_LT(resident_megabytes() - before, 50);
}

// Rows that come at once are one moment: the line before goes to the first of them, and the last is held.
TEST(Command, RowsThatComeTogether)
{
    Meter meter(open_command("echo 100; sleep 0.4; printf '100\\n7\\n20\\n'; sleep 60", {1}));
    meter.start();
    sleep(0.8);
    const auto measured = meter.stop();
    const double held = (100 * measured.seconds - measured.joules) / (100 - 20); // seconds at 20 W
    EXPECT_GT(held, 0.2);
    EXPECT_LT(held, measured.seconds - 0.2);
}

// A window that is left early takes no more rows; one that goes wrong is not the next one's business.
TEST(Command, AWindowThatIsLeft)
{
    Meter meter(open_command("while :; do echo 9; sleep 0.02; done", fast));
    int looks = 0;
    const auto stop_at_third = [&] {
        if (++looks == 3) fail(Status::cancelled, "enough");
    };
    expect_error(Status::cancelled, {"enough"}, [&] { meter.measure_base_power(100, stop_at_third); });
    EXPECT_EQ(looks, 3);
    meter.start();
    sleep(0.1);
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules, 9 * measured.seconds, 1e-9);
    Meter pausing(open_command("echo 9; sleep 0.2; echo 9; sleep 0.62; while :; do echo 9; sleep 0.01; done", {0.02}));
    pausing.start();
    sleep(1.1);
    expect_error(Status::device, {"no power for 0.6", "while it measured"}, [&] { pausing.stop(); });
    pausing.start();
    sleep(0.1);
    EXPECT_GT(pausing.stop().joules, 0);
}

TEST(Command, WaitsNoLongerThanTheUser)
{
    MeterSettings settings{1e6}; // silence would be told after 58 days
    settings.look = [] { fail(Status::cancelled, "enough"); };
    expect_error(Status::cancelled, {"enough"}, [&] { open_command("sleep 1000", settings); });
    expect_no_children();
}

TEST(Command, Ends)
{
    expect_error(Status::device, {"exit status 3"}, [] { open_command("exit 3", fast); });
    expect_error(Status::device, {"command:no-such-program", "was not found", "PATH"},
                 [] { open_command("no-such-program", fast); });
    expect_error(Status::device, {"command:/etc/passwd", "may not be run"}, [] { open_command("/etc/passwd", fast); });
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
