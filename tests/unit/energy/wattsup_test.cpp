#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "support/fake_clock.hpp"

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

// The meter's side of a pseudo-terminal. When it has been asked to log it sends what `next` says, again and again.
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

    // Rows sent so far.
    int sent() const { return sent_; }

  private:
    void run()
    {
        for (; !stopping_; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
            const std::lock_guard lock(mutex_);
            if (side_ < 0) continue;
            pollfd watched{side_, POLLIN, 0};
            char buffer[256];
            if (::poll(&watched, 1, 0) > 0 && (watched.revents & POLLIN) != 0) {
                const auto length = ::read(side_, buffer, sizeof buffer);
                if (length > 0) heard_.append(buffer, static_cast<std::size_t>(length));
            }
            if (heard_.find("#L,W,3,E,,1000000;") == std::string::npos) continue;
            const auto text = next_(sent_);
            if (::write(side_, text.data(), text.size()) == static_cast<ssize_t>(text.size())) ++sent_;
        }
    }

    std::function<std::string(int)> next_;
    int side_;
    std::string port_;
    mutable std::mutex mutex_;
    std::string heard_;
    std::atomic<int> sent_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

TEST(Wattsup, AsksForRowsPassesOverGarbageAndAsksForNoMore)
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
    {
        Meter meter(open_wattsup(played.port(), patient));
        meter.start();
        while (played.sent() < 20) std::this_thread::yield();
        const auto measured = meter.stop();
        EXPECT_NEAR(measured.joules, 150 * measured.seconds, 1e-9);
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "integrated");
    }
    while (played.heard().find("#L,R,0;") == std::string::npos) std::this_thread::yield();
}

TEST(Wattsup, IsDisconnected)
{
    PlayedMeter played([](int) { return row(1500); });
    Meter meter(open_wattsup(played.port(), patient));
    played.unplug();
    expect_error(Status::device, {"wattsup:", "disconnected"}, [&] {
        for (;;) {
            meter.start();
            meter.stop();
        }
    });
}

TEST(Wattsup, IsNotThere)
{
    expect_error(Status::unsupported, {"/dev/no-such-tty", "ttyUSB0"},
                 [] { open_wattsup("/dev/no-such-tty", patient); });
    expect_error(Status::unsupported, {"no serial port"}, [] { open_wattsup("/dev/null", patient); });
    PlayedMeter mute([](int) { return std::string(); });
    support::FakeClock clock;
    expect_error(Status::device, {"sent no power within", "Watts up? PRO"}, [&] { open_wattsup(mute.port(), {1}); });
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
