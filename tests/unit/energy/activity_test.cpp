// Activity of a played machine: its processors, disks, network, paging and fans.
#include "core/error.hpp"
#include "core/machine.hpp"
#include "energy/activity.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"
#include "support/scratch.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>

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
    // Ticks of two cores, which also are those of this process and of two that it started, one of them by another.
    void set_processors(std::int64_t others, std::int64_t own) const
    {
        const auto user = std::to_string(100 + others + 3 * own);
        tree_.write("proc/stat", "cpu  " + user + " 0 0 9999 0 0 0 0 0 0\ncpu0 " + user +
                                     " 0 0 99 0 0 0 0 0 0\ncpu1 0 0 0 9900 0 0 0 0 0 0\n");
        const auto process = [&](const std::string &folder, const std::string &child) {
            tree_.write(folder + "/stat",
                        "17 (a name) (b) S 1 2 3 4 5 6 7 8 9 10 " + std::to_string(own) + " 11 12 13 14 15\n");
            tree_.write(folder + "/task/17/children", child);
        };
        process("proc/self", "18 ");
        process("proc/18", "19\n");
        process("proc/19", "");
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

TEST_F(ActivityTest, FansMayStandInTheDevicesFolder)
{
    tree_.write("class/hwmon/hwmon3/device/fan2_input", 1000);
    const auto faster = in(1, [&] { tree_.write("class/hwmon/hwmon3/device/fan2_input", 2000); });
    EXPECT_EQ(faster.text(), "fan hwmon3/fan2 ran at 1000 to 2000 turns per minute");
}

double ticks() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

TEST_F(ActivityTest, NamesOtherProcesses)
{
    const auto one_core = std::lround(10 * ticks());
    set_processors(0, 5);
    EXPECT_EQ(in(10, [&] { set_processors(0, one_core); }).text(), "") << "work of this process and those it started";
    set_processors(0, 5);
    EXPECT_EQ(in(10, [&] { set_processors(one_core / 20, 5); }).text(), "") << "a machine at rest";
    set_processors(0, 5);
    EXPECT_EQ(in(10, [&] { set_processors(one_core, 9); }).text(), "other processes used 50 % of the cores");
    set_processors(0, 5);
    EXPECT_EQ(in(0.02, [&] { set_processors(std::lround(0.02 * ticks()), 5); }).text(), "") << "less than the steps";
}

// Steps are 10 ms: windows of 20 ms show a busy core only together.
TEST_F(ActivityTest, NamesOtherProcessesOfManyShortWindows)
{
    ActivityLog log, quiet;
    for (int k = 0; k < 50; ++k) {
        set_processors(0, 0);
        log.add(in(0.02, [&] { set_processors(k % 2 == 0 ? 3 : 1, 0); }));
        set_processors(1, 0);
        quiet.add(in(0.02, [&] { set_processors(k % 2 == 0 ? 2 : 0, 0); }));
    }
    EXPECT_EQ(log.disturbed(), 0);
    EXPECT_EQ(log.text(), "other processes used 50 % of the cores");
    EXPECT_EQ(quiet.text(), "");
}

// One of 128 cores takes a tenth of the power that all take.
TEST_F(ActivityTest, NamesABusyCoreOfManyCores)
{
    const auto write = [&](std::int64_t ticks_of_others) {
        std::string lines = "cpu  " + std::to_string(ticks_of_others) + " 0 0 9 0 0 0 0 0 0\n";
        for (int core = 0; core < 128; ++core) lines += text("cpu", core, " 0 0 0 9 0 0 0 0 0 0\n");
        tree_.write("proc/stat", lines);
    };
    write(0);
    EXPECT_EQ(in(10, [&] { write(std::lround(10 * ticks())); }).text(), "other processes used 0.781 % of the cores");
}

TEST_F(ActivityTest, OfTheBasePowerIsInTheReport)
{
    tree_.write("class/hwmon/hwmon2/power1_input", 50000000);
    Meter meter(open_hwmon("hwmon2/power1_input", {}), std::nullopt, no_look, {}, tree_.path("proc"));
    set_processors(0, 0);
    bool has_run = false;
    const auto base = meter.measure_base_power(10, [&] {
        if (!has_run) set_processors(std::lround(20 * ticks()), 0);
        has_run = true;
    });
    EXPECT_NE(base.busy.find("while the base power was measured, other processes used "), std::string::npos);
    meter.start();
    clock_.advance(1);
    meter.stop();
    EXPECT_EQ(std::get<std::string>(meter.report().get("busy")), base.busy);
}

// A name and the bytes received, of each interface.
std::string interfaces(std::initializer_list<std::pair<std::string, std::int64_t>> received)
{
    std::string lines;
    for (const auto &[name, bytes] : received)
        lines += "  " + name + ": " + std::to_string(bytes) + " 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0\n";
    return lines;
}

// Bonds, VLANs and bridges pass on the bytes of the devices under them.
TEST_F(ActivityTest, CountsBytesOfTheNetworkOnce)
{
    const auto moved = [&](std::int64_t bytes) {
        return in(1,
                  [&] {
                      tree_.write("proc/net/dev", interfaces({{"eth0", 500 + bytes},
                                                              {"eth1", 500},
                                                              {"bond0", 1000 + bytes},
                                                              {"bond0.7", 900 + bytes},
                                                              {"br0", 800 + bytes},
                                                              {"veth1", 700 + bytes}}));
                  })
            .network_bytes;
    };
    moved(0);
    for (const auto *file : {"eth0/device/vendor", "eth1/device/vendor", "bond0/lower_eth0/mtu", "bond0/lower_eth1/mtu",
                             "bond0.7/lower_bond0/mtu", "br0/lower_bond0.7/mtu", "br0/lower_veth1/mtu", "veth1/mtu"})
        tree_.write(text("class/net/", file), 1);
    moved(0);
    EXPECT_EQ(moved(6000000), 6000000);
    // A virtual machine's adapter over the one that it hands on.
    tree_.write("class/net/br0/device/vendor", 1);
    moved(0);
    EXPECT_EQ(moved(5000000), 5000000);
    // A container has no devices: what is over another one does not count.
    tree_.remove("class/net/br0/device");
    tree_.remove("class/net/eth0/device");
    tree_.remove("class/net/eth1/device");
    moved(0);
    EXPECT_EQ(moved(4000000), 2 * 4000000) << "eth0 and veth1";
}

// The paths to a disk stand between it and its partitions, and count its bytes; before Linux 6 the disk itself counts none.
TEST_F(ActivityTest, CountsBytesOfADiskWithSeveralPathsOnce)
{
    const auto write = [&](std::int64_t disk, std::int64_t path) {
        const auto line = [](const std::string &name, std::int64_t sectors) {
            return " 259 0 " + name + " 1 2 " + std::to_string(sectors) + " 4 5 6 7 8 0 0 0\n";
        };
        tree_.write("proc/diskstats", line("nvme1c2n1", 0) + line("nvme0n1", disk) + line("nvme0c0n1", path) +
                                          line("nvme0c1n1", path) + line("nvme0n1p1", disk) + line("nvme0n1p2", 0) +
                                          line("nvme1n1", 0) + line("sda", 0) + line("sda12", disk) +
                                          line("sdab", disk) + line("mmcblk0", 0) + line("mmcblk0p1", disk) +
                                          line("bcache0", disk) + line("zd16", disk));
    };
    write(0, 0);
    const auto moved = [&](std::int64_t disk, std::int64_t path) {
        const auto bytes = in(1, [&] { write(disk, path); }).disk_bytes;
        write(0, 0);
        return bytes;
    };
    EXPECT_EQ(moved(20000, 10000), (20000 + 20000) * 512) << "nvme0n1 and sdab";
    EXPECT_EQ(moved(0, 10000), 20000 * 512);
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

TEST(MachineRoot, HasTheFoldersProcAndSys)
{
    EXPECT_EQ(proc_root(), "/proc");
    const support::Folder folder;
    const support::Variable root("HPART_MACHINE_ROOT", folder.path());
    EXPECT_EQ(proc_root(), folder.file("proc"));
    EXPECT_EQ(sysfs_root(), folder.file("sys"));
    const support::Variable elsewhere("HPART_MACHINE_ROOT", "/elsewhere");
    support::expect_error(Status::io, {"HPART_MACHINE_ROOT is '/elsewhere', which is no folder"}, [] { proc_root(); });
    const support::Variable here("HPART_MACHINE_ROOT", "/");
    EXPECT_EQ(proc_root(), "/proc");
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
