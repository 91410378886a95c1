#include "checks.hpp"
#include "core/file.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
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

class Rapl : public testing::Test
{
  protected:
    // To the microjoules of the files, so that neither a wrap nor a domain counted twice nor one of 2 W goes unseen.
    void expect_power(double watts, double seconds)
    {
        Meter meter(open_rapl("", {}));
        meter.start();
        clock_.advance(seconds);
        const auto measured = meter.stop();
        EXPECT_NEAR(measured.joules, watts * seconds, 1e-5);
        EXPECT_NEAR(measured.seconds, seconds, 1e-9);
    }

    support::FakeClock clock_;
    const SysfsTree tree_;
};

TEST_F(Rapl, TwoSocketsWithMemoryAndPsys)
{
    const PlayedCounters counters(clock_, tree_, two_sockets());
    const Meter meter(open_rapl("", {}));
    EXPECT_EQ(channels_of(meter),
              (std::set<std::string>{"package-0", "package-0/dram", "package-1", "package-1/dram"}));
    EXPECT_EQ(meter.traits().channels.size(), 4U);
    expect_power(90 + 11 + 70 + 9, 0.5); // package-0 and the second memory wrap in it
}

TEST_F(Rapl, MemoryThatStandsStillIsLeftOut)
{
    auto zones = two_sockets();
    zones[1].watts = 0;
    const PlayedCounters counters(clock_, tree_, zones);
    EXPECT_EQ(channels_of(Meter(open_rapl("", {}))),
              (std::set<std::string>{"package-0", "package-1", "package-1/dram"}));
    expect_power(90 + 70 + 9, 0.5);
}

TEST_F(Rapl, OtherMachines)
{
    struct Machine {
        std::set<std::string> channels;
        double watts;
        std::vector<PlayedZone> zones;
    };
    const std::string mmio = "intel-rapl-mmio:0", inside = "intel-rapl/intel-rapl:0";
    const std::vector<Machine> machines = {
        // A laptop with psys, an AMD Zen, one of two dies.
        {{"package-0"},
         15,
         {{"intel-rapl:0", "package-0", 3, usual_range, 15},
          {"intel-rapl:0:0", "core", 3, usual_range, 9},
          {"intel-rapl:0:1", "uncore", 3, usual_range, 2},
          {"intel-rapl:1", "psys", 3, usual_range, 30},
          {mmio, "package-0", 8, usual_range, 15}}},
        {{"package-0"},
         120,
         {{"intel-rapl:0", "package-0", 65532, 65532.610987, 120}, {"intel-rapl:0:0", "core", 3, 65532.610987, 40}}},
        {{"package-0-die-0", "package-0-die-1"},
         50 + 60,
         {{"intel-rapl:0", "package-0-die-0", 3, usual_range, 50},
          {"intel-rapl:1", "package-0-die-1", 3, usual_range, 60}}},
        // Memory that the memory-mapped registers alone have.
        {{"package-0", "package-0/dram"},
         15 + 4,
         {{"intel-rapl:0", "package-0", 3, usual_range, 15},
          {mmio, "package-0", 8, usual_range, 15},
          {mmio + "/" + mmio + ":0", "dram", 8, usual_range, 4}}},
        {{"package-0", "package-0/dram"},
         15 + 4,
         {{"intel-rapl:0", "package-0", 3, usual_range, 15},
          {"intel-rapl:0:0", "dram", 5, usual_range, 4},
          {mmio, "package-0", 8, usual_range, 15},
          {mmio + ":0", "dram", 8, usual_range, 4}}},
        // Through memory-mapped registers only, psys only, and zones inside the control type alone.
        {{"package-0"}, 50, {{mmio, "package-0", 3, usual_range, 50}}},
        {{"psys"}, 50, {{"intel-rapl:0", "psys", 3, usual_range, 50}}},
        {{"package-0", "package-0/dram"},
         50 + 5,
         {{inside, "package-0", 3, usual_range, 50}, {inside + "/intel-rapl:0:0", "dram", 3, usual_range, 5}}},
        // ARM's zones contain one another.
        {{"SOC", "DDR"},
         30 + 4,
         {{"arm-scmi:0", "SOC", 3, usual_range, 30},
          {"arm-scmi:0:0", "CPU_CLUSTER0", 3, usual_range, 20},
          {"arm-scmi:1", "DDR", 3, usual_range, 4}}},
    };
    for (const auto &[channels, watts, zones] : machines) {
        const PlayedCounters counters(clock_, tree_, zones);
        EXPECT_EQ(channels_of(Meter(open_rapl("", {}))), channels);
        expect_power(watts, 0.2);
        tree_.remove("class/powercap");
    }
}

TEST_F(Rapl, RangesThatNobodyKnows)
{
    const PlayedCounters counters(clock_, tree_,
                                  {{"intel-rapl:0", "package-0", 5, 0, 50}, {"intel-rapl:1", "package-1", 5, 0, 50}});
    tree_.write("class/powercap/intel-rapl:1/max_energy_range_uj", 0);
    expect_power(100, 2.5);
}

TEST_F(Rapl, AWrapOfARangeThatNobodyKnowsIsAnError)
{
    tree_.write("class/powercap/intel-rapl:0/name", "package-0\n");
    tree_.write("class/powercap/intel-rapl:0/energy_uj", 5000000);
    Meter meter(open_rapl("", {}));
    meter.start();
    tree_.write("class/powercap/intel-rapl:0/energy_uj", 1000000);
    expect_error(Status::device, {"package-0", "range", "not known"}, [&] { meter.stop(); });
}

TEST_F(Rapl, RemovedWhileItRuns)
{
    Meter meter = [&] {
        const PlayedCounters counters(clock_, tree_, two_sockets());
        return Meter(open_rapl("", {}));
    }();
    meter.start();
    tree_.remove("class/powercap/intel-rapl:1");
    expect_error(Status::device, {"intel-rapl:1", "No such file"}, [&] { meter.stop(); });
    expect_error(Status::device, {"intel-rapl:1"}, [&] { meter.start(); });
}

// The second package's counter stays at its value after 3 s of 4: the energy would be too low.
TEST_F(Rapl, StopsInTheMiddleOfAWindow)
{
    for (const double stop : {0.0, 3.0, 3.95, 5.0}) {
        double now = 0, second = 5;
        const auto path = [](int package) { return text("class/powercap/intel-rapl:", package, "/"); };
        const auto write = [&] {
            tree_.write(path(0) + "energy_uj", static_cast<std::int64_t>((5 + 68 * now) * 1e6));
            tree_.write(path(1) + "energy_uj", static_cast<std::int64_t>(second * 1e6));
        };
        for (const int package : {0, 1}) {
            tree_.write(path(package) + "name", text("package-", package, "\n"));
            tree_.write(path(package) + "max_energy_range_uj", 65532610987);
        }
        write();
        clock_.on_move = [&](double seconds) {
            second += 50 * std::clamp(stop - now, 0.0, seconds);
            now += seconds;
            write();
        };
        Meter meter(open_rapl("", {}));
        now = 0;
        second = 5;
        write();
        meter.start();
        clock_.advance(4);
        if (stop > 4)
            EXPECT_NEAR(meter.stop().joules, (68 + 50) * 4, 1);
        else
            expect_error(Status::device, {"package-1", stop == 0 ? "dead" : "has stopped"}, [&] { meter.stop(); });
        clock_.on_move = nullptr;
    }
}

TEST_F(Rapl, DiesThatShowOneCounterAreOne)
{
    const auto power_of = [&](double joules, double watts) {
        const PlayedCounters counters(clock_, tree_,
                                      {{"intel-rapl:0", "package-0-die-0", 3, usual_range, 68},
                                       {"intel-rapl:1", "package-0-die-1", joules, usual_range, watts},
                                       {"intel-rapl:2", "package-1-die-0", 3, usual_range, 68}});
        Meter meter(open_rapl("", {}));
        meter.start();
        clock_.advance(0.5);
        return std::pair(meter.stop().joules / 0.5, channels_of(meter));
    };
    const auto mirrored = power_of(3, 68);
    EXPECT_NEAR(mirrored.first, 2 * 68, 1e-3) << "the other package is another one";
    EXPECT_EQ(mirrored.second, (std::set<std::string>{"package-0-die-0", "package-1-die-0"}));
    EXPECT_NEAR(power_of(3, 50).first, 2 * 68 + 50, 1e-3);
    // Its memory, at each die.
    for (const double watts : {10.0, 7.0}) {
        const PlayedCounters counters(clock_, tree_,
                                      {{"intel-rapl:0", "package-0-die-0", 3, usual_range, 68},
                                       {"intel-rapl:0:0", "dram", 2, usual_range, 10},
                                       {"intel-rapl:1", "package-0-die-1", 3, usual_range, 68},
                                       {"intel-rapl:1:0", "dram", 2, usual_range, watts},
                                       {"intel-rapl:2", "package-1-die-0", 3, usual_range, 68},
                                       {"intel-rapl:2:0", "dram", 2, usual_range, 10}});
        Meter meter(open_rapl("", {}));
        std::set<std::string> names = {"package-0-die-0", "package-0-die-0/dram", "package-1-die-0",
                                       "package-1-die-0/dram"};
        if (watts != 10) names.insert("package-0-die-1/dram");
        EXPECT_EQ(channels_of(meter), names);
    }
    for (const auto *zone : {"0:0", "1:0", "2:0"}) tree_.remove(text("class/powercap/intel-rapl:", zone));
    EXPECT_NEAR(power_of(4, 68).first, 3 * 68, 1e-3);
}

// Docker hides the folder that the links lead to.
TEST_F(Rapl, IsHiddenByAContainer)
{
    tree_.write("class/powercap/uevent", "\n");
    expect_error(Status::unsupported, {"no RAPL counters", "virtual machine"}, [] { open_rapl("", {}); });
    for (const auto *zone : {"intel-rapl", "intel-rapl:0"})
        std::filesystem::create_symlink(text("../../devices/virtual/powercap/", zone),
                                        tree_.path(text("class/powercap/", zone)));
    expect_error(Status::unsupported, {"no RAPL counters", "a container hides /sys/devices/virtual/powercap: mount it"},
                 [] { open_rapl("", {}); });
    EXPECT_NE(look_for_rapl().text.find("a container hides"), std::string::npos);
}

// The kernel's driver of ARM's zones has their mean power, and no counter.
TEST_F(Rapl, ArmsZonesMayHavePower)
{
    const std::string folder = "class/powercap/arm-scmi";
    tree_.write(folder + ":0/name", "SOC\n");
    tree_.write(folder + ":0/power_uw", 30000000);
    tree_.write(folder + ":1/name", "DDR\n");
    tree_.write(folder + ":1/power_uw", 4500000);
    tree_.write(folder + "/arm-scmi:0/arm-scmi:0:0/name", "CPU_CLUSTER0\n");
    tree_.write(folder + "/arm-scmi:0/arm-scmi:0:0/power_uw", 20000000);
    tree_.write(folder + "/arm-scmi:0/name", "SOC\n");
    tree_.write(folder + "/arm-scmi:0/power_uw", 30000000);
    expect_power(34.5, 2);
    tree_.remove(folder + ":1/power_uw");
    expect_error(Status::unsupported, {"cannot read", "arm-scmi:1/power_uw"}, [] { open_rapl("", {}); });
}

// The energy without one package would be half the energy.
TEST_F(Rapl, BrokenTreesNameTheFile)
{
    const std::string folder = "class/powercap/";
    for (const auto *zone : {"intel-rapl:0", "intel-rapl:1"}) {
        tree_.write(folder + zone + "/name", text("package-", zone + 11, "\n"));
        tree_.write(folder + zone + "/energy_uj", 5000000);
    }
    EXPECT_EQ(open_rapl("", {}).traits.channels.size(), 2U);
    tree_.remove(folder + "intel-rapl:1/name");
    expect_error(Status::unsupported, {"not whole", "cannot read", "intel-rapl:1/name'"}, [] { open_rapl("", {}); });
    tree_.write(folder + "intel-rapl:1/name", "\n");
    expect_error(Status::unsupported, {"intel-rapl:1/name': it is empty"}, [] { open_rapl("", {}); });
    tree_.remove(folder + "intel-rapl:1");
    std::filesystem::create_symlink("../../devices/virtual/powercap/intel-rapl:1", tree_.path(folder + "intel-rapl:1"));
    expect_error(Status::unsupported, {"intel-rapl:1' leads nowhere", "mount it"}, [] { open_rapl("", {}); });
    // Whole at another place.
    tree_.write(folder + "intel-rapl/intel-rapl:1/name", "package-1\n");
    tree_.write(folder + "intel-rapl/intel-rapl:1/energy_uj", 5000000);
    EXPECT_EQ(open_rapl("", {}).traits.channels.size(), 2U);
    tree_.remove(folder + "intel-rapl:0/energy_uj");
    expect_error(Status::unsupported, {"cannot read", "intel-rapl:0/energy_uj"}, [] { open_rapl("", {}); });
    tree_.remove("class/powercap");
    std::filesystem::create_symlink("../devices/powercap", tree_.path("class/powercap"));
    expect_error(Status::unsupported, {"no RAPL counters", "class/powercap' leads nowhere"}, [] { open_rapl("", {}); });
}

// A firmware that is busy says so for a moment.
TEST_F(Rapl, ThatIsBusyIsReadAgain)
{
    const std::string folder = "class/powercap/intel-rapl:0/";
    tree_.write(folder + "name", "package-0\n");
    tree_.write(folder + "energy_uj", 5000000);
    Meter meter(open_rapl("", {}));
    meter.start();
    tree_.remove(folder + "energy_uj");
    // A pipe without a word is EAGAIN to its reader.
    const auto path = tree_.path(folder + "energy_uj");
    ASSERT_EQ(::mkfifo(path.c_str(), S_IRUSR | S_IWUSR), 0);
    const Descriptor pipe(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    double seconds = 0;
    clock_.on_move = [&](double passed) {
        seconds += passed;
        if (seconds < 0.003) return;
        const auto joules = std::to_string(5000000 + std::llround(50e6 * seconds)) + "\n";
        ASSERT_EQ(::write(pipe.get(), joules.data(), joules.size()), static_cast<ssize_t>(joules.size()));
    };
    const auto measured = meter.stop();
    EXPECT_GE(measured.seconds, 0.003);
    EXPECT_NEAR(measured.joules, 50 * measured.seconds, 1e-6);
    clock_.on_move = nullptr;
    const double before = clock_.seconds();
    expect_error(Status::device, {"energy_uj", "temporarily unavailable"}, [&] { meter.start(); });
    EXPECT_LT(clock_.seconds() - before, 0.1) << "is not waited for much longer than an interval";
}

TEST_F(Rapl, IsNotHere)
{
    expect_error(Status::unsupported, {"no RAPL counters", "class/powercap", "intel_rapl_msr"},
                 [] { open_rapl("", {}); });
    EXPECT_EQ(look_for_rapl().status, Status::unsupported);
    tree_.write("class/powercap/intel-rapl:0/name", "package-0\n");
    expect_error(Status::unsupported, {"energy_uj"}, [] { open_rapl("", {}); });
    tree_.write("class/powercap/intel-rapl:0/energy_uj", "lots\n");
    expect_error(Status::unsupported, {"'lots'", "whole number"}, [] { open_rapl("", {}); });
    tree_.write("class/powercap/intel-rapl:0/energy_uj", 5);
    const auto dead = look_for_rapl();
    EXPECT_EQ(dead.status, Status::device);
    // Who asks for a text asks for its length first: it is the same text.
    EXPECT_EQ(dead.text, "meter rapl: package-0 did not move in 0.02 s, 20 times its interval; the counter is dead. "
                         "If it moves once a second only, set --option interval=1");
    const PlayedCounters counters(clock_, tree_, {{"intel-rapl:0", "package-0", 5, 0, 40}});
    const auto alive = look_for_rapl();
    EXPECT_EQ(alive.status, Status::success);
    EXPECT_EQ(alive.text, "package-0");
}

TEST_F(Rapl, UnreadableHasARemedy)
{
    constexpr uid_t nobody = 65534;
    tree_.write("class/powercap/intel-rapl:0/name", "package-0\n");
    tree_.write("class/powercap/intel-rapl:0/energy_uj", 5);
    std::filesystem::permissions(tree_.path("class/powercap/intel-rapl:0/energy_uj"), std::filesystem::perms::none);
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
