#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/nvml.hpp"
#include "fake_nvml.hpp"

#include <gtest/gtest.h>

#include <thread>

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
        return open_nvml_of({FAKE_NVML_LIBRARY}, number, settings);
    }
};

TEST_F(Nvidia, CountsOrIntegratesAndSaysWhich)
{
    for (const bool has_energy : {true, false}) {
        fake_nvml::session().has_energy = has_energy;
        Meter meter(open("0", {0.01}));
        meter.start();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        const auto measured = meter.stop();
        EXPECT_NEAR(measured.joules / measured.seconds, 150, 0.5) << has_energy;
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), has_energy ? "counter" : "integrated");
    }
}

TEST_F(Nvidia, IsLostWhileItRuns)
{
    for (const bool has_energy : {true, false}) {
        fake_nvml::reset();
        fake_nvml::session().has_energy = has_energy;
        Meter meter(open("0", {0.005}));
        meter.start();
        fake_nvml::session().failure = 15;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        expect_error(Status::device, {"nvml:0", "GPU is lost"}, [&] { meter.stop(); });
    }
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
    expect_error(Status::unsupported, {"management library", "cannot be loaded"},
                 [] { open_nvml_of({"/no/such/library.so"}, "0", {}); });
}

} // namespace
} // namespace hpart
