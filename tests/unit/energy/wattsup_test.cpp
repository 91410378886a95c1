#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/wattsup.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace hpart
{
namespace
{

std::string row(int tenths)
{
    return "#d,-,18," + std::to_string(tenths) + ",2301,1040,0,0,0,0,0,9999,9999,9999,0,0,0,98,0,500,2390;\r\n";
}

// The meter's side of a pseudo-terminal. When it has been asked to log it sends what `next` says, every 20 ms.
class PlayedMeter
{
  public:
    explicit PlayedMeter(std::function<std::string(int k)> next)
        : next_(std::move(next)), side_(::posix_openpt(O_RDWR | O_NOCTTY))
    {
        if (side_ < 0 || ::grantpt(side_) != 0 || ::unlockpt(side_) != 0)
            throw std::runtime_error("no pseudo-terminal");
        port_ = ::ptsname(side_);
        thread_ = std::thread([this] { run(); });
    }
    PlayedMeter(const PlayedMeter &) = delete;
    PlayedMeter &operator=(const PlayedMeter &) = delete;
    ~PlayedMeter()
    {
        stopping_ = true;
        thread_.join();
        unplug();
    }

    const std::string &port() const { return port_; }
    std::string heard() const
    {
        const std::lock_guard lock(mutex_);
        return heard_;
    }
    void unplug()
    {
        const std::lock_guard lock(mutex_);
        if (side_ >= 0) ::close(side_);
        side_ = -1;
    }

  private:
    void run()
    {
        for (int k = 0; !stopping_; std::this_thread::sleep_for(std::chrono::milliseconds(20))) {
            const std::lock_guard lock(mutex_);
            if (side_ < 0) continue;
            pollfd watched{side_, POLLIN, 0};
            char buffer[256];
            if (::poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0) {
                const auto length = ::read(side_, buffer, sizeof buffer);
                if (length > 0) heard_.append(buffer, static_cast<std::size_t>(length));
            }
            if (heard_.find("#L,W,3,E,,1;") == std::string::npos) continue;
            const auto text = next_(k++);
            if (!text.empty() && ::write(side_, text.data(), text.size()) < 0) continue;
        }
    }

    std::function<std::string(int)> next_;
    int side_;
    std::string port_;
    mutable std::mutex mutex_;
    std::string heard_;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

// Rows come every 20 ms; the meter is content with five a second, so that a busy machine is no failure.

TEST(Wattsup, IntegratesTheRows)
{
    PlayedMeter played([](int) { return row(2345); });
    {
        Meter meter(open_wattsup(played.port(), fast));
        for (int k = 0; k < 2; ++k) {
            meter.start();
            sleep(0.3);
            const auto measured = meter.stop();
            EXPECT_NEAR(measured.joules / measured.seconds, 234.5, 1e-9);
            EXPECT_GE(measured.seconds, 0.3);
            EXPECT_GE(measured.readings, 4);
        }
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "integrated");
    }
    sleep(0.1);
    EXPECT_NE(played.heard().find("#L,R,0;"), std::string::npos);
}

// Power steps from 100 to 300 W, unseen by nobody: the energy of a window is that of its rows, 2 W less or more are told.
TEST(Wattsup, FollowsAStep)
{
    std::atomic<int> tenths = 1000;
    PlayedMeter played([&](int) { return row(tenths); });
    Meter meter(open_wattsup(played.port(), fast));
    meter.start();
    sleep(0.3);
    tenths = 3000;
    sleep(0.3);
    const auto measured = meter.stop();
    EXPECT_GT(measured.joules / measured.seconds, 110);
    EXPECT_LT(measured.joules / measured.seconds, 290);
    meter.start();
    sleep(0.2);
    const auto after = meter.stop();
    EXPECT_NEAR(after.joules / after.seconds, 300, 1e-9);
}

TEST(Wattsup, PassesOverGarbageAndRowsCutOff)
{
    PlayedMeter played([](int k) -> std::string {
        switch (k % 5) {
        case 0: return row(1500);
        case 1: return "#d,-,18,9\r\n";
        case 2: return "\x01\xFF garbage ; 12,\r\n#v,-,3,1,2,3;\r\n";
        case 3: return "#d,-,18,77" + row(1500);
        default: return row(1500) + row(1500);
        }
    });
    Meter meter(open_wattsup(played.port(), fast));
    meter.start();
    sleep(0.4);
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules / measured.seconds, 150, 1e-9);
}

TEST(Wattsup, NotesMissedRows)
{
    std::atomic<bool> misses = false;
    PlayedMeter played([&](int) { return misses ? std::string() : row(1500); });
    Meter meter(open_wattsup(played.port(), fast));
    meter.start();
    sleep(0.1);
    misses = true;
    sleep(0.5); // less than five intervals
    misses = false;
    sleep(0.1);
    const auto measured = meter.stop();
    EXPECT_GE(measured.missed, 1);
    EXPECT_NEAR(measured.joules / measured.seconds, 150, 1e-9);
}

TEST(Wattsup, IsDisconnectedOrFallsSilent)
{
    PlayedMeter unplugged([](int) { return row(1500); });
    Meter first(open_wattsup(unplugged.port(), fast));
    first.start();
    unplugged.unplug();
    sleep(0.1);
    expect_error(Status::device, {"wattsup:", "disconnected"}, [&] { first.stop(); });
    expect_error(Status::device, {"disconnected"}, [&] { first.start(); });

    std::atomic<bool> silent = false;
    PlayedMeter quiet([&](int) { return silent ? std::string() : row(1500); });
    Meter second(open_wattsup(quiet.port(), fast));
    second.start();
    silent = true;
    sleep(1.2);
    expect_error(Status::device, {"sent no power for"}, [&] { second.stop(); });
}

TEST(Wattsup, ASilenceEndsABasePower)
{
    std::atomic<int> left = 30;
    PlayedMeter played([&](int) { return --left < 0 ? std::string() : row(1500); });
    Meter meter(open_wattsup(played.port(), fast));
    expect_error(Status::device, {"sent no power"}, [&] { meter.measure_base_power(3600); });
}

TEST(Wattsup, IsNotThere)
{
    expect_error(Status::unsupported, {"/dev/no-such-tty", "ttyUSB0"}, [] { open_wattsup("/dev/no-such-tty", fast); });
    expect_error(Status::unsupported, {"no serial port"}, [] { open_wattsup("/dev/null", fast); });
    PlayedMeter mute([](int) { return std::string(); });
    expect_error(Status::device, {"sent no power within", "Watts up? PRO"}, [&] { open_wattsup(mute.port(), {0.02}); });
    PlayedMeter endless([](int) { return std::string(500, 'x'); });
    expect_error(Status::device, {"wattsup:"}, [&] { open_wattsup(endless.port(), {0.2}); });
}

TEST(WattsupRow, TakesWholeRowsOnly)
{
    EXPECT_DOUBLE_EQ(wattsup_watts("#d,-,18,1234,1203,1056,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19;").value_or(-1),
                     123.4);
    EXPECT_DOUBLE_EQ(wattsup_watts("#d,-,1,0;").value_or(-1), 0);
    for (const auto *wrong : {"", ";", "#d", "#d;", "#d,-,1,5", "#d,-,2,5;", "#d,-,0;", "#d,-,x,5;", "#d,-,1,x;",
                              "#d,-,1,;", "#d,-,1,-5;", "#d,-,1,5.5;", "#d,-,1,50001;", "#d,-,1,999999999999999999999;",
                              "#c,-,1,5;", "#d,W,1,5;", "#d,-,-1,5;", "#d,-,1,5,;"})
        EXPECT_FALSE(wattsup_watts(wrong)) << wrong;
}

} // namespace
} // namespace hpart
