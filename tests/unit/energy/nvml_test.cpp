#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "fake_nvml.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

class Nvidia : public testing::Test
{
  protected:
    void SetUp() override { fake_nvml::reset(); }
    void TearDown() override { EXPECT_EQ(fake_nvml::session().sessions, 0); }
    static Sensor open(const std::string &number, const MeterSettings &settings = {})
    {
        return open_nvml_of({{FAKE_NVML_LIBRARY}, {FAKE_NVML_LIBRARY}}, number, settings);
    }
};

TEST_F(Nvidia, CountsOrIntegratesAndSaysWhich)
{
    for (const bool has_energy : {true, false}) {
        fake_nvml::session().has_energy = has_energy;
        support::FakeClock clock;
        clock.on_move = [](double seconds) { fake_nvml::session().joules += 150 * seconds; };
        Meter meter(open("0", {0.01}));
        meter.start();
        clock.advance(0.2);
        EXPECT_NEAR(meter.stop().joules, 30, 1e-2) << has_energy; // the device counts millijoules
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), has_energy ? "counter" : "integrated");
    }
}

TEST_F(Nvidia, HasOneOriginUnderEachOfItsNames)
{
    EXPECT_EQ(open("0").traits.origin, open("00").traits.origin);
    EXPECT_NE(open("0").traits.origin, "");
}

TEST_F(Nvidia, IsLostWhileItRuns)
{
    for (const bool has_energy : {true, false}) {
        support::FakeClock clock;
        fake_nvml::reset();
        fake_nvml::session().has_energy = has_energy;
        Meter meter(open("0", {0.005}));
        meter.start();
        fake_nvml::session().failure = 15;
        clock.advance(0.03);
        expect_error(Status::device, {"nvml:0", "GPU is lost"}, [&] { meter.stop(); });
    }
}

// A device always takes power: a counter that rests is an error, and is none that is half of the energy.
TEST_F(Nvidia, RestsNever)
{
    for (const double stop : {0.0, 1.0, 100.0}) {
        support::FakeClock clock;
        fake_nvml::reset();
        double now = 0;
        clock.on_move = [&](double seconds) {
            if (now < stop) fake_nvml::session().joules += 250 * seconds;
            now += seconds;
        };
        Meter meter(open("0"));
        meter.start();
        for (int k = 0; k < 25; ++k) clock.advance(0.1);
        if (stop > now)
            EXPECT_NEAR(meter.stop().joules, 625, 0.1);
        else
            expect_error(Status::device, {"nvml:0", "device 0", "did not move in 2 s"}, [&] { meter.stop(); });
    }
}

TEST_F(Nvidia, IsTheOneOfCudasNumber)
{
    EXPECT_EQ(open("cuda:3").traits.name, "nvml:cuda:3");
    expect_error(Status::unsupported, {"nvml:cuda:0"}, [] { open("cuda:0"); }); // another bus
    expect_error(Status::unsupported, {"CUDA has no device 4"}, [] { open("cuda:4"); });
    expect_error(Status::invalid_argument, {"nvml:cuda:x"}, [] { open("cuda:x"); });
}

TEST_F(Nvidia, IsRefusedOrNotHere)
{
    for (const auto *number : {"x", "-1", "1.5", "99999999999"})
        expect_error(Status::invalid_argument, {"nvml:", number}, [&] { open(number); });
    expect_error(Status::unsupported, {"nvml:1", "there is 1 device of"}, [] { open("1"); });
    fake_nvml::session().failure = 4;
    expect_error(Status::permission, {"Insufficient Permissions", "/dev/nvidia0"}, [] { open("0"); });
    fake_nvml::session().failure = 3;
    expect_error(Status::unsupported, {"Not Supported"}, [] { open("0"); });
    fake_nvml::session().init_result = 9;
    expect_error(Status::unsupported, {"Driver Not Loaded"}, [] { open("0"); });
    expect_error(Status::unsupported, {"management library", "cannot be loaded"}, [] {
        open_nvml_of({{"/no/such/library.so"}, {}}, "0", {});
    });
}

} // namespace
} // namespace hpart
