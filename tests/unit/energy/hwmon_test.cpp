#include "checks.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "hpart.h"
#include "support/fake_clock.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <tuple>

namespace hpart
{
namespace
{

TEST(Hwmon, IntegratesMicrowatts)
{
    support::FakeClock clock;
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon2/power1_input", 123456789);
    tree.write("class/hwmon/hwmon2/update_interval", 20);
    for (const auto &spec : {std::string("hwmon2"), std::string("hwmon2/power1_input"),
                             tree.path("class/hwmon/hwmon2/power1_input"), std::string("/sys/class/hwmon/hwmon2"),
                             std::filesystem::relative(tree.path("class/hwmon/hwmon2/power1_input")).string()}) {
        Meter meter(open_hwmon(spec, {}));
        EXPECT_EQ(meter.traits().interval, 0.02);
        meter.start();
        clock.advance(0.1);
        EXPECT_NEAR(meter.stop().joules, 12.3456789, 1e-9);
        EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "integrated");
    }
}

TEST(Hwmon, CountsMicrojoules)
{
    support::FakeClock clock;
    const SysfsTree tree;
    double joules = 5;
    const auto write = [&] { tree.write("class/hwmon/hwmon0/energy1_input", static_cast<std::int64_t>(joules * 1e6)); };
    write();
    clock.on_move = [&](double seconds) {
        joules += 25 * seconds;
        write();
    };
    Meter meter(open_hwmon("hwmon0", {}));
    meter.start();
    clock.advance(0.1);
    EXPECT_NEAR(meter.stop().joules, 2.5, 1e-5);
    EXPECT_EQ(std::get<std::string>(meter.report().get("method")), "counter");
    meter.start();
    tree.write("class/hwmon/hwmon0/energy1_input", 100);
    expect_error(Status::device, {"energy1_input", "not known"}, [&] { meter.stop(); });
    clock.on_move = nullptr;
}

TEST(Hwmon, GoesAwayOrIsNotHere)
{
    support::FakeClock clock;
    const SysfsTree tree;
    EXPECT_EQ(look_for_hwmon().status, Status::unsupported);
    expect_error(Status::unsupported, {"no sensor", "hwmon7"}, [] { open_hwmon("hwmon7", {}); });
    expect_error(Status::unsupported, {"power1_input"}, [] { open_hwmon("hwmon7/power1_input", {}); });
    tree.write("class/hwmon/hwmon0/temp1_input", 40000);
    EXPECT_EQ(look_for_hwmon().status, Status::unsupported);
    tree.write("class/hwmon/hwmon0/power1_average", 40000);
    tree.write("class/hwmon/hwmon0/energy1_input", 40000);
    EXPECT_EQ(look_for_hwmon().text,
              "hwmon:hwmon0/power1_average; hwmon:hwmon0/energy1_input did not move: a sleeping device?");
    expect_error(Status::invalid_argument, {"several", "power1_average", "energy1_input"},
                 [] { open_hwmon("hwmon0", {}); });
    Meter meter(open_hwmon("hwmon0/power1_average", {0.005}));
    meter.start();
    tree.remove("class/hwmon/hwmon0");
    clock.advance(0.05);
    expect_error(Status::device, {"power1_average"}, [&] { meter.stop(); });
}

// A counter that stands still is watched for 20 intervals: all at once, and once for the length of the text and the text.
TEST(Hwmon, CountersThatStandStillAreWatchedTogether)
{
    support::FakeClock clock;
    const SysfsTree tree;
    for (int k = 0; k < 8; ++k) tree.write(text("class/hwmon/hwmon", k, "/energy1_input"), 40000);
    const double begin = clock.seconds();
    std::array<char, 1000> line{};
    hpart_status works = HPART_SUCCESS;
    std::int64_t kind = 0, needed = 0;
    while (meter_kinds()[static_cast<std::size_t>(kind)].name != "hwmon") ++kind;
    ASSERT_EQ(hpart_meter_describe(kind, nullptr, 0, &needed, nullptr), HPART_SUCCESS);
    ASSERT_EQ(hpart_meter_describe(kind, line.data(), needed, &needed, &works), HPART_SUCCESS);
    EXPECT_LT(clock.seconds() - begin, 2.5);
    EXPECT_EQ(works, HPART_ERR_DEVICE);
    EXPECT_TRUE(std::string(line.data()).ends_with("hwmon:hwmon7/energy1_input did not move: a sleeping device?"))
        << line.data();
    // Another call looks again.
    tree.write("class/hwmon/hwmon7/power1_input", 40000);
    ASSERT_EQ(hpart_meter_describe(kind, line.data(), line.size(), &needed, &works), HPART_SUCCESS);
    EXPECT_EQ(works, HPART_SUCCESS);
    EXPECT_TRUE(
        std::string(line.data()).starts_with("hwmon:PATH hwmon:hwmon7/power1_input; hwmon:hwmon0/energy1_input"))
        << line.data();
}

// Numbers of chips change from start to start; those of drivers and labels do not.
TEST(Hwmon, SensorsHaveNamesByDriverAndLabel)
{
    const SysfsTree tree;
    for (const auto *chip : {"hwmon0", "hwmon3"}) {
        const auto folder = text("class/hwmon/", chip, "/");
        tree.write(folder + "name", std::string(chip) == "hwmon0" ? "zenpower\n" : "amdgpu\n");
        tree.write(folder + "power1_average", 30000000);
        tree.write(folder + "power1_input", 31000000);
        tree.write(folder + "power1_label", std::string(chip) == "hwmon0" ? "SVI2_P_Core\n" : "PPT\n");
    }
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon0/power1_average (SVI2_P_Core), hwmon:hwmon3/power1_average (PPT)");
    for (const auto *spec : {"amdgpu/PPT", "amdgpu/power1_average", "hwmon3"})
        EXPECT_EQ(open_hwmon(spec, {}).traits.channels[0].name, "power1_average") << spec;
    expect_error(Status::unsupported, {"amdgpu/sPPT"}, [] { open_hwmon("amdgpu/sPPT", {}); });
    tree.write("class/hwmon/hwmon0/name", std::string("amdgpu\n"));
    tree.write("class/hwmon/hwmon0/power1_label", std::string("PPT\n"));
    expect_error(Status::invalid_argument, {"several", "hwmon:hwmon0/power1_average", "hwmon:hwmon3/power1_average"},
                 [] { open_hwmon("amdgpu/PPT", {}); });
}

// NVIDIA Grace, power meters of ACPI, older boards.
TEST(Hwmon, SensorsMayStandInTheDevicesFolder)
{
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon1/name", std::string("power_meter\n"));
    tree.write("class/hwmon/hwmon1/device/power1_average", 61000000);
    tree.write("class/hwmon/hwmon1/device/power1_average_interval", 50);
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon1/device/power1_average");
    for (const auto *spec : {"hwmon1", "hwmon1/device", "hwmon1/device/power1_average"})
        EXPECT_EQ(open_hwmon(spec, {}).traits.interval, 0.05) << spec;
    tree.write("class/hwmon/hwmon1/device/power1_oem_info", std::string("Module Power Socket 0\n"));
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon1/device/power1_average (Module Power Socket 0)");
    EXPECT_EQ(open_hwmon("power_meter/Module Power Socket 0", {}).traits.interval, 0.05);
    tree.write("class/hwmon/hwmon1/device/power1_label", std::string("CPU\n"));
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon1/device/power1_average (CPU)") << "the label goes before";
    tree.remove("class/hwmon/hwmon1/device/power1_label");
    tree.remove("class/hwmon/hwmon1/device/power1_oem_info");
    // A driver that has them in both has each once.
    tree.write("class/hwmon/hwmon1/power1_average", 61000000);
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon1/power1_average");
}

// INA3221 on Jetson boards: millivolts and milliamperes of three rails, whose label is the voltage's.
TEST(Hwmon, VoltsTimesAmperesArePower)
{
    support::FakeClock clock;
    const SysfsTree tree;
    const std::string folder = "class/hwmon/hwmon4/";
    tree.write(folder + "name", std::string("ina3221\n"));
    for (const auto &[rail, label, volts, amperes] : {std::tuple(1, "VDD_IN", 5000, 1500), {2, "VDD_CPU", 4984, 304}}) {
        tree.write(text(folder, "in", rail, "_label"), text(label, "\n"));
        tree.write(text(folder, "in", rail, "_input"), volts);
        tree.write(text(folder, "curr", rail, "_input"), amperes);
    }
    // Shunts, their sum, and a current without a voltage.
    tree.write(folder + "in4_input", 2);
    tree.write(folder + "curr4_input", 1804);
    tree.write(folder + "in7_label", std::string("sum of shunt voltages\n"));
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon4/curr1_input (VDD_IN), hwmon:hwmon4/curr2_input (VDD_CPU)");
    for (const auto *spec : {"ina3221/VDD_IN", "ina3221/curr1_input", "hwmon4/curr1_input"}) {
        Meter meter(open_hwmon(spec, {}));
        meter.start();
        clock.advance(2);
        EXPECT_NEAR(meter.stop().joules, 15, 1e-9) << spec;
    }
    expect_error(Status::invalid_argument, {"several", "curr1_input", "curr2_input"}, [] { open_hwmon("hwmon4", {}); });
    expect_error(Status::unsupported, {"no sensor", "curr4_input"}, [] { open_hwmon("hwmon4/curr4_input", {}); });
    // The driver's own power goes before; labels of two things are two things.
    tree.write(folder + "power2_input", 1515136);
    tree.write(folder + "curr1_label", std::string("CPU\n"));
    EXPECT_EQ(look_for_hwmon().text, "hwmon:hwmon4/power2_input");
}

// An interval beyond all reason would make each base power take a thousand years.
TEST(Hwmon, AnIntervalThatIsNone)
{
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon0/power1_input", 40000);
    for (const auto *interval : {"9223372036854775807", "-5", "0", "x"}) {
        tree.write("class/hwmon/hwmon0/update_interval", std::string(interval) + "\n");
        EXPECT_EQ(open_hwmon("hwmon0", {}).traits.interval, 0.1) << interval;
    }
    tree.write("class/hwmon/hwmon0/update_interval", 2000);
    EXPECT_EQ(open_hwmon("hwmon0", {}).traits.interval, 2);
}

TEST(Hwmon, PowerThatNoDeviceTakesIsNone)
{
    support::FakeClock clock;
    const SysfsTree tree;
    const std::string file = "class/hwmon/hwmon0/power1_input";
    tree.write(file, 100000000);
    Meter meter(open_hwmon("hwmon0", {}));
    for (const auto value : {std::numeric_limits<std::int64_t>::max(), std::int64_t{0xffffffff} * 1000}) {
        meter.start();
        tree.write(file, value);
        expect_error(Status::device, {"hwmon0", "W from power1_input, more than any device takes"}, [&] {
            clock.advance(1);
            meter.stop();
        });
        tree.write(file, 100000000);
    }
    meter.start();
    clock.advance(1);
    EXPECT_NEAR(meter.stop().joules, 100, 1e-6);
}

TEST(Hwmon, NegativePowerIsNone)
{
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon0/power1_input", -4);
    Meter meter(open_hwmon("hwmon0", {}));
    expect_error(Status::device, {"power1_input", "not negative"}, [&] { meter.start(); });
}

} // namespace
} // namespace hpart
