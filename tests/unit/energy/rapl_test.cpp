#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>

#include <unistd.h>

namespace hpart
{
namespace
{

constexpr double usual_range = 262143.328850;

// An Intel server: packages, their memory, what is inside them, the same package through memory-mapped registers, and psys.
std::vector<PlayedZone> two_sockets()
{
    return {
        {"intel-rapl:0", "package-0", usual_range - 20, usual_range, 90},
        {"intel-rapl:0:0", "dram", 5, 65712.999613, 11},
        {"intel-rapl:0/intel-rapl:0:1", "core", 5, usual_range, 60},
        {"intel-rapl:1", "package-1", 7, usual_range, 70},
        {"intel-rapl:1/intel-rapl:1:0", "dram", 65712.999613 - 1, 65712.999613, 9},
        {"intel-rapl:1:1", "uncore", 5, usual_range, 20},
        {"intel-rapl:2", "psys", 5, usual_range, 300},
        {"intel-rapl-mmio:0", "package-0", 5, usual_range, 90},
    };
}

std::set<std::string> channels_of(const Meter &meter)
{
    std::set<std::string> names;
    for (const auto &channel : meter.traits().channels) names.insert(channel.name);
    return names;
}

// The meter's joules of a window lie between the files' gains inside it and around it: to the microjoule, so that neither
// a wrap nor a domain counted twice nor one of 2 W more or less goes unseen.
void expect_energy(const PlayedCounters &counters, const std::vector<std::size_t> &zones, double seconds)
{
    const auto sum = [&] {
        double joules = 0;
        for (const auto k : zones) joules += counters.joules(k);
        return joules;
    };
    Meter meter(open_rapl("", {}));
    const double before_start = sum();
    meter.start();
    const double after_start = sum();
    sleep(seconds);
    const double before_stop = sum();
    const auto measured = meter.stop();
    const double after_stop = sum();
    constexpr double rounding = 1e-5;
    // A file is written before its zone's sum is told, by one step of some milliseconds at most, which is told right after.
    const double step = 2e-3 * (after_stop - before_start) + rounding;
    EXPECT_GE(measured.joules, before_stop - after_start - step);
    EXPECT_LE(measured.joules, after_stop - before_start + step);
    EXPECT_GE(measured.seconds, seconds);
}

TEST(Rapl, TwoSocketsWithMemoryAndPsys)
{
    const SysfsTree tree;
    const PlayedCounters counters(tree, two_sockets());
    const Meter meter(open_rapl("", {}));
    EXPECT_EQ(channels_of(meter),
              (std::set<std::string>{"package-0", "package-0/dram", "package-1", "package-1/dram"}));
    EXPECT_EQ(meter.traits().channels.size(), 4U);
    expect_energy(counters, {0, 1, 3, 4}, 0.5); // package-0 and the second memory wrap in it
}

TEST(Rapl, OneSocketOfALaptopWithPsys)
{
    const SysfsTree tree;
    const PlayedCounters counters(tree, {{"intel-rapl:0", "package-0", 3, usual_range, 15},
                                         {"intel-rapl:0:0", "core", 3, usual_range, 9},
                                         {"intel-rapl:0:1", "uncore", 3, usual_range, 2},
                                         {"intel-rapl:1", "psys", 3, usual_range, 30},
                                         {"intel-rapl-mmio:0", "package-0", 8, usual_range, 15}});
    EXPECT_EQ(channels_of(Meter(open_rapl("", {}))), std::set<std::string>{"package-0"});
    expect_energy(counters, {0}, 0.2);
}

TEST(Rapl, AmdZenAndDies)
{
    {
        const SysfsTree tree;
        const PlayedCounters counters(tree, {{"intel-rapl:0", "package-0", 65532, 65532.610987, 120},
                                             {"intel-rapl:0:0", "core", 3, 65532.610987, 40}});
        EXPECT_EQ(channels_of(Meter(open_rapl("", {}))), std::set<std::string>{"package-0"});
        expect_energy(counters, {0}, 0.2);
    }
    const SysfsTree tree;
    const PlayedCounters counters(tree, {{"intel-rapl:0", "package-0-die-0", 3, usual_range, 50},
                                         {"intel-rapl:1", "package-0-die-1", 3, usual_range, 60}});
    EXPECT_EQ(channels_of(Meter(open_rapl("", {}))), (std::set<std::string>{"package-0-die-0", "package-0-die-1"}));
    expect_energy(counters, {0, 1}, 0.2);
}

TEST(Rapl, OnlyThroughMemoryMappedRegistersOrOnlyPsys)
{
    {
        const SysfsTree tree;
        const PlayedCounters counters(tree, {{"intel-rapl-mmio:0", "package-0", 3, usual_range, 50}});
        expect_energy(counters, {0}, 0.1);
    }
    const SysfsTree tree;
    const PlayedCounters counters(tree, {{"intel-rapl:0", "psys", 3, usual_range, 50}});
    expect_energy(counters, {0}, 0.1);
}

// A tree that has the zones inside the control type alone.
TEST(Rapl, ZonesInsideTheControlType)
{
    const SysfsTree tree;
    const PlayedCounters counters(tree, {{"intel-rapl/intel-rapl:0", "package-0", 3, usual_range, 50},
                                         {"intel-rapl/intel-rapl:0/intel-rapl:0:0", "dram", 3, usual_range, 5}});
    expect_energy(counters, {0, 1}, 0.1);
}

TEST(Rapl, WrapsEverySecond)
{
    const SysfsTree tree;
    const PlayedCounters counters(tree, {{"intel-rapl:0", "package-0", 60, 100, 100}});
    expect_energy(counters, {0}, 1.7);
}

TEST(Rapl, RangesThatNobodyKnows)
{
    const SysfsTree tree;
    const PlayedCounters counters(tree,
                                  {{"intel-rapl:0", "package-0", 5, 0, 50}, {"intel-rapl:1", "package-1", 5, 0, 50}});
    tree.write("class/powercap/intel-rapl:1/max_energy_range_uj", 0);
    expect_energy(counters, {0, 1}, 0.2);
}

TEST(Rapl, AWrapOfARangeThatNobodyKnowsIsAnError)
{
    const SysfsTree tree;
    tree.write("class/powercap/intel-rapl:0/name", "package-0\n");
    tree.write("class/powercap/intel-rapl:0/energy_uj", 5000000);
    Meter meter(open_rapl("", {}));
    meter.start();
    tree.write("class/powercap/intel-rapl:0/energy_uj", 1000000);
    expect_error(Status::device, {"package-0", "range", "not known"}, [&] { meter.stop(); });
}

TEST(Rapl, RemovedWhileItRuns)
{
    const SysfsTree tree;
    PlayedCounters counters(tree, two_sockets());
    Meter meter(open_rapl("", {}));
    meter.start();
    counters.freeze();
    sleep(0.05);
    tree.remove("class/powercap/intel-rapl:1");
    expect_error(Status::device, {"intel-rapl:1", "No such file"}, [&] { meter.stop(); });
    expect_error(Status::device, {"intel-rapl:1"}, [&] { meter.start(); });
}

TEST(Rapl, StandsStill)
{
    const SysfsTree tree;
    PlayedCounters counters(
        tree, {{"intel-rapl:0", "package-0", 5, usual_range, 50}, {"intel-rapl:0:0", "dram", 5, usual_range, 0}});
    Meter meter(open_rapl("", {}));
    meter.start();
    sleep(0.15);
    expect_error(Status::device, {"package-0/dram", "did not move"}, [&] { meter.stop(); });
}

TEST(Rapl, IsNotHere)
{
    const SysfsTree tree;
    expect_error(Status::unsupported, {"no RAPL counters", "class/powercap", "intel_rapl_msr"},
                 [] { open_rapl("", {}); });
    EXPECT_EQ(look_for_rapl().status, Status::unsupported);
    tree.write("class/powercap/intel-rapl:0/name", "package-0\n");
    expect_error(Status::unsupported, {"energy_uj"}, [] { open_rapl("", {}); });
    tree.write("class/powercap/intel-rapl:0/energy_uj", "lots\n");
    expect_error(Status::unsupported, {"'lots'", "whole number"}, [] { open_rapl("", {}); });
    tree.write("class/powercap/intel-rapl:0/energy_uj", 5);
    const auto dead = look_for_rapl();
    EXPECT_EQ(dead.status, Status::device);
    // Who asks for a text asks for its length first: it is the same text.
    EXPECT_EQ(dead.text, "meter rapl: package-0 did not move in 0.1 s, 100 times its interval; the counter is dead");
    const PlayedCounters counters(tree, {{"intel-rapl:0", "package-0", 5, 0, 40}});
    const auto alive = look_for_rapl();
    EXPECT_EQ(alive.status, Status::success);
    EXPECT_EQ(alive.text, "package-0");
}

TEST(Rapl, UnreadableHasARemedy)
{
    constexpr uid_t nobody = 65534;
    const SysfsTree tree;
    tree.write("class/powercap/intel-rapl:0/name", "package-0\n");
    tree.write("class/powercap/intel-rapl:0/energy_uj", 5);
    std::filesystem::permissions(tree.path("class/powercap/intel-rapl:0/energy_uj"), std::filesystem::perms::none);
    const bool is_root = ::geteuid() == 0;
    if (is_root) {
        EXPECT_EQ(::seteuid(nobody), 0);
    }
    const auto found = look_for_rapl();
    expect_error(Status::permission, {"energy_uj", "denied", "chmod", "udev"}, [] { open_rapl("", {}); });
    if (is_root) {
        EXPECT_EQ(::seteuid(0), 0);
    }
    EXPECT_EQ(found.status, Status::permission);
    EXPECT_NE(found.text.find("udev"), std::string::npos);
}

} // namespace
} // namespace hpart
