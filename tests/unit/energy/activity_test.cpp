// Activity of a played machine: its disks, network, paging and fans.
#include "core/error.hpp"
#include "energy/activity.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "support/fake_clock.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include <unistd.h>

namespace hpart
{
namespace
{

class ActivityTest : public testing::Test
{
  protected:
    ActivityTest()
    {
        set_disk(0);
        set_network(0);
        set_swap(0);
        set_fan(1200);
    }
    // Half of it read, half written; of the partition as of the disk. The others are no disks of their own.
    void set_disk(std::int64_t bytes) const
    {
        const auto half = std::to_string(1000 + bytes / 1024);
        const auto counts = " 7 8 " + half + " 9 10 11 " + half + " 12 0 13 14\n";
        tree_.write("proc/diskstats", "   8       0 sda" + counts + "   8       1 sda1" + counts +
                                          "   7       0 loop0" + counts + " 253       0 dm-0" + counts +
                                          " 259       0 nvme0n1 1 2 3 4 5 6 7 8 9\n");
    }
    void set_network(std::int64_t bytes) const
    {
        const auto half = std::to_string(500 + bytes / 2);
        tree_.write("proc/net/dev", "Inter-|   Receive  |  Transmit\n face |bytes    packets|bytes    packets\n"
                                    "    lo: " +
                                        half + "000 1 0 0 0 0 0 0 " + half + "000 1 0 0 0 0 0 0\n  eth0:" + half +
                                        " 1 0 0 0 0 0 0 " + half + " 1 0 0 0 0 0 0\n");
    }
    void set_swap(std::int64_t pages) const
    {
        tree_.write("proc/vmstat",
                    "pgpgin 99999\npswpin " + std::to_string(3 + pages) + "\npswpout 4\npgfault 88888\n");
    }
    void set_fan(std::int64_t turns) const
    {
        tree_.write("class/hwmon/hwmon2/fan1_input", turns);
        tree_.write("class/hwmon/hwmon2/fan1_min", 7);
        tree_.write("class/hwmon/hwmon2/fan3_input", 900);
    }
    Activity in(double seconds, const std::function<void()> &happens)
    {
        const ActivityWatch watch(tree_.path("proc"));
        happens();
        clock_.advance(seconds);
        return watch.until_now();
    }

    support::FakeClock clock_;
    const SysfsTree tree_;
};

TEST_F(ActivityTest, OfAMachineAtRestIsNone)
{
    const auto quiet = in(2, [&] {
        set_disk(1900000);
        set_network(1900000);
        set_swap(40);
        set_fan(1255);
    });
    EXPECT_EQ(quiet.text(), "");
    EXPECT_NEAR(quiet.seconds, 2, 1e-9);
    EXPECT_EQ(quiet.paged_bytes, 40.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

TEST_F(ActivityTest, CountsADiskOnceAndNoLoopback)
{
    const auto busy = in(2, [&] {
        set_disk(12288000);
        set_network(6000000);
    });
    EXPECT_EQ(busy.disk_bytes, 12288000);
    EXPECT_EQ(busy.network_bytes, 6000000);
    EXPECT_EQ(busy.text(), "6.14 MB/s moved to and from disks; 3 MB/s moved over the network");
    // A short window is no proof: its share of a second's limit moves often.
    EXPECT_EQ(in(0.01, [&] { set_disk(12288000 + 900000); }).text(), "");
}

TEST_F(ActivityTest, NamesPagingAndFans)
{
    EXPECT_EQ(in(1, [&] { set_swap(250); }).text(),
              rounded_text(250 * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6) +
                  " MB/s moved to and from swap space (paging)");
    EXPECT_EQ(in(1, [&] { set_fan(2400); }).text(), "fan hwmon2/fan1 ran at 1200 to 2400 turns per minute");
    EXPECT_EQ(in(1, [&] { tree_.remove("proc"); }).text(), "");
}

TEST_F(ActivityTest, OfSeveralWindows)
{
    ActivityLog log;
    log.add(in(1, [] {}));
    EXPECT_EQ(log.text(), "");
    log.add(in(1, [&] { set_disk(20480000); }));
    log.add(in(1, [&] { set_disk(30720000); }));
    EXPECT_EQ(log.disturbed(), 2);
    EXPECT_EQ(log.text(), "2 of 3 windows were disturbed: 15.4 MB/s moved to and from disks");
    ActivityLog slow; // no window sees it alone
    for (const auto turns : {1200, 1250, 1300}) {
        set_fan(turns);
        slow.add(in(1, [] {}));
    }
    EXPECT_EQ(slow.disturbed(), 0);
    EXPECT_EQ(slow.text(), "fan hwmon2/fan1 ran at 1200 to 1300 turns per minute");
}

TEST_F(ActivityTest, IsInTheReportOfAMeterThatWatches)
{
    tree_.write("class/hwmon/hwmon2/power1_input", 50000000);
    const auto busy = [](const Meter &meter) { return std::get<std::string>(meter.report().get("busy")); };
    for (const bool watches : {true, false}) {
        Meter meter(open_hwmon("hwmon2/power1_input", {}), std::nullopt, no_look, {},
                    watches ? std::optional(tree_.path("proc")) : std::nullopt);
        for (const std::int64_t turns : {1200, 2000}) {
            set_fan(1200);
            meter.start();
            set_fan(turns);
            clock_.advance(1);
            meter.stop();
            EXPECT_EQ(busy(meter),
                      watches && turns > 1200 ? "fan hwmon2/fan1 ran at 1200 to 2000 turns per minute" : "");
        }
    }
}

TEST(ProcRoot, IsNotThisMachinesBesideAnothersTree)
{
    EXPECT_EQ(proc_root(), "/proc");
    const SysfsTree tree;
    EXPECT_EQ(proc_root(), "");
    const support::Variable root("HPART_PROC_ROOT", "/elsewhere");
    EXPECT_EQ(proc_root(), "/elsewhere");
}

TEST(Calibration, CorrectsWindowsAndBasePower)
{
    support::FakeClock clock;
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon0/power1_input", 100000000);
    Meter meter(open_hwmon("hwmon0", {}), std::nullopt, no_look, {1.5, -20});
    meter.start();
    clock.advance(3);
    const auto measured = meter.stop();
    EXPECT_NEAR(measured.joules, (1.5 * 100 - 20) * measured.seconds, 1e-9);
    EXPECT_NEAR(measured.joules_of_channels[0], 150 * measured.seconds, 1e-9);
    EXPECT_EQ(std::get<double>(meter.report().get("meter_scale")), 1.5);
    EXPECT_EQ(std::get<double>(meter.report().get("meter_offset")), -20);
    EXPECT_NEAR(meter.measure_base_power(4).watts, 130, 1e-9);
}

TEST(Calibration, ThatMakesAnEnergyNegativeFails)
{
    support::FakeClock clock;
    const SysfsTree tree;
    tree.write("class/hwmon/hwmon0/power1_input", 100000000);
    Meter meter(open_hwmon("hwmon0", {}), std::nullopt, no_look, {1, -101});
    meter.start();
    clock.advance(1);
    EXPECT_THROW(meter.stop(), Error);
    meter.start(); // the window is closed
    clock.advance(1);
    EXPECT_THROW(meter.stop(), Error);
}

} // namespace
} // namespace hpart
