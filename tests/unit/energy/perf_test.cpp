#include "checks.hpp"
#include "energy/backends.hpp"
#include "energy/meter.hpp"
#include "energy/sensor.hpp"
#include "support/fake_clock.hpp"
#include "sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <map>
#include <set>
#include <thread>

#include <unistd.h>

namespace hpart
{
namespace
{

// A kernel with any number of packages, whose events are told from one another by what was asked for.
class FakePerfCalls final : public PerfCalls
{
  public:
    struct Opened {
        std::uint32_t type;
        std::uint64_t config;
        int processor;
    };
    int open_event(std::uint32_t type, std::uint64_t config, int processor) override
    {
        if (open_error != 0) {
            errno = open_error;
            return -1;
        }
        live.insert(next);
        opened[next] = {type, config, processor};
        return next++;
    }
    bool read_count(int descriptor, std::uint64_t &count) override
    {
        errno = read_error;
        const auto &[type, config, processor] = opened.at(descriptor);
        count = counts[{config, processor == shared_with_first ? 0 : processor}]++; // as if time had gone by
        return read_error == 0 && live.count(descriptor) == 1;
    }
    void close_event(int descriptor) noexcept override { EXPECT_EQ(live.erase(descriptor), 1U); }

    int open_error = 0, read_error = 0, next = 100;
    int shared_with_first = -1; // a processor that shows the counter of processor 0
    std::set<int> live;
    std::map<int, Opened> opened;
    std::map<std::pair<std::uint64_t, int>, std::uint64_t> counts;
};

constexpr double scale = 2.3283064365386962890625e-10;

void write_event(const SysfsTree &tree, const std::string &name, const std::string &config)
{
    const auto event = "bus/event_source/devices/power/events/" + name;
    tree.write(event, config + "\n");
    tree.write(event + ".scale", "2.3283064365386962890625e-10\n");
    tree.write(event + ".unit", "Joules\n");
}

void write_unit(const SysfsTree &tree, const std::string &processors)
{
    tree.write("bus/event_source/devices/power/type", 21);
    tree.write("bus/event_source/devices/power/cpumask", processors + "\n");
    write_event(tree, "energy-pkg", "event=0x02");
    write_event(tree, "energy-cores", "event=0x01");
    write_event(tree, "energy-psys", "event=0x05");
}

TEST(Perf, SumsPackagesAndTheirMemory)
{
    const SysfsTree tree;
    write_unit(tree, "0,24");
    write_event(tree, "energy-ram", "event=0x03");
    const auto kernel = std::make_shared<FakePerfCalls>();
    {
        Meter meter(open_perf_by(kernel, {}));
        ASSERT_EQ(kernel->live.size(), 4U);
        for (const auto &[descriptor, opened] : kernel->opened) EXPECT_EQ(opened.type, 21U);
        std::uint64_t joules = 1;
        for (const int processor : {0, 24})
            for (const std::uint64_t config : {1, 2, 3, 5}) kernel->counts[{config, processor}] = 1000;
        meter.start();
        double expected = 0;
        for (const int processor : {0, 24})
            for (const std::uint64_t config : {1, 2, 3, 5}) {
                kernel->counts[{config, processor}] += joules << 32U; // one joule is 2^32 of them
                if (config == 2 || config == 3) expected += static_cast<double>(joules << 32U) * scale;
                joules *= 2;
            }
        const auto measured = meter.stop();
        EXPECT_NEAR(measured.joules, expected, 1e-6);
        EXPECT_EQ(measured.joules_of_channels.size(), 4U);
        meter.start();
        kernel->read_error = ENODEV;
        expect_error(Status::device, {"energy-pkg", "No such device"}, [&] { meter.stop(); });
    }
    EXPECT_TRUE(kernel->live.empty());
}

TEST(Perf, ThatIsBusyIsReadAgain)
{
    support::FakeClock clock;
    const SysfsTree tree;
    write_unit(tree, "0");
    const auto kernel = std::make_shared<FakePerfCalls>();
    Meter meter(open_perf_by(kernel, {}));
    meter.start();
    kernel->read_error = EBUSY;
    double seconds = 0;
    clock.on_move = [&](double passed) {
        seconds += passed;
        if (seconds > 0.004) kernel->read_error = 0;
    };
    EXPECT_GT(meter.stop().seconds, 0.004);
    kernel->read_error = EAGAIN;
    clock.on_move = nullptr;
    expect_error(Status::device, {"energy-pkg", "temporarily unavailable"}, [&] { meter.start(); });
}

// Processors 0 and 24 are dies of one package, and share its counter.
TEST(Perf, CountsAPackageOfSeveralDiesOnce)
{
    support::FakeClock clock;
    const SysfsTree tree;
    write_unit(tree, "0,24,48");
    for (const int processor : {0, 24, 48})
        tree.write(text("devices/system/cpu/cpu", processor, "/topology/physical_package_id"), processor == 48 ? 1 : 0);
    for (const bool shares : {true, false}) {
        const auto kernel = std::make_shared<FakePerfCalls>();
        clock.on_move = [&](double seconds) {
            for (const int processor : {0, 24, 48})
                kernel->counts[{2, processor}] +=
                    static_cast<std::uint64_t>((shares || processor != 24 ? 50 : 60) * seconds / scale);
        };
        kernel->shared_with_first = shares ? 24 : -1;
        Meter meter(open_perf_by(kernel, {}));
        EXPECT_EQ(meter.traits().channels.size(), shares ? 2U : 3U);
        meter.start();
        clock.advance(1);
        EXPECT_NEAR(meter.stop().joules, shares ? 100 : 160, 1e-3);
        clock.on_move = nullptr;
    }
}

// The system's own calls, on the one counter that every machine has: the clock of a processor, a joule a second.
TEST(Perf, ReadsTheKernel)
{
    const SysfsTree tree;
    write_unit(tree, "0");
    write_event(tree, "energy-pkg", "event=0x00");        // PERF_COUNT_SW_CPU_CLOCK
    tree.write("bus/event_source/devices/power/type", 1); // PERF_TYPE_SOFTWARE
    tree.write("bus/event_source/devices/power/events/energy-pkg.scale", "1e-9\n");
    const auto found = look_for_perf();
    if (found.status != Status::success) GTEST_SKIP() << found.text;
    Meter meter(open_perf("", {}));
    const auto before = Clock::now();
    meter.start();
    const auto begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double least = seconds_since(begin);
    const double joules = meter.stop().joules;
    EXPECT_GE(joules, 0.99 * least);
    EXPECT_LE(joules, 1.01 * seconds_since(before));
}

TEST(Perf, RangesOfProcessors)
{
    const SysfsTree tree;
    write_unit(tree, "0-1,8");
    const auto kernel = std::make_shared<FakePerfCalls>();
    open_perf_by(kernel, {});
    std::set<int> processors;
    for (const auto &[descriptor, opened] : kernel->opened) processors.insert(opened.processor);
    EXPECT_EQ(processors, (std::set<int>{0, 1, 8}));
    EXPECT_TRUE(kernel->live.empty());
}

TEST(Perf, RefusedHasARemedy)
{
    const SysfsTree tree;
    write_unit(tree, "0");
    const auto kernel = std::make_shared<FakePerfCalls>();
    kernel->open_error = EACCES;
    expect_error(Status::permission, {"energy-pkg", "PERFMON"}, [&] { open_perf_by(kernel, {}); });
    for (const int error : {ENOSYS, EPERM}) { // at a level that allows it, or as root: a container's filter
        if (error == EPERM && ::geteuid() != 0) continue;
        kernel->open_error = error;
        expect_error(Status::permission, {"energy-pkg", "filter", "--cap-add PERFMON", "seccomp"},
                     [&] { open_perf_by(kernel, {}); });
    }
    kernel->open_error = ENODEV;
    expect_error(Status::unsupported, {"No such device"}, [&] { open_perf_by(kernel, {}); });
    kernel->open_error = EMFILE;
    expect_error(Status::device, {"Too many"}, [&] { open_perf_by(kernel, {}); });
}

// Virtual machines may have counters that stay at 0: hpart info does not offer them.
TEST(Perf, ADeadCounter)
{
    support::FakeClock clock;
    const SysfsTree tree;
    write_unit(tree, "0");
    write_event(tree, "energy-pkg", "event=0x09"); // PERF_COUNT_SW_DUMMY: a counter of the kernel's that never moves
    tree.write("bus/event_source/devices/power/type", 1);
    tree.write("bus/event_source/devices/power/events/energy-pkg.scale", "1e-9\n");
    if (const auto error = support::error_of([] { open_perf("", {}); }); error.status() != Status::success)
        GTEST_SKIP() << error.what();
    const auto found = look_for_perf();
    EXPECT_EQ(found.status, Status::device) << found.text;
    EXPECT_NE(found.text.find("did not move"), std::string::npos) << found.text;
}

TEST(Perf, IsNotHereOrNotUnderstood)
{
    const SysfsTree tree;
    const auto kernel = std::make_shared<FakePerfCalls>();
    expect_error(Status::unsupported, {"no energy counters"}, [&] { open_perf_by(kernel, {}); });
    EXPECT_EQ(look_for_perf().status, Status::unsupported);
    const std::string unit = "bus/event_source/devices/power/";
    for (const auto &[file, content] : std::map<std::string, std::string>{{"type", "x"},
                                                                          {"cpumask", "0-"},
                                                                          {"cpumask ", ""},
                                                                          {"events/energy-pkg", "umask=1"},
                                                                          {"events/energy-pkg.scale", "none"},
                                                                          {"events/energy-pkg.scale ", "-1"},
                                                                          {"events/energy-pkg.unit", "Watts"}}) {
        write_unit(tree, "0");
        tree.write(unit + file.substr(0, file.find(' ')), content + "\n");
        expect_error(Status::unsupported, {}, [&] { open_perf_by(kernel, {}); });
    }
    write_unit(tree, "0");
    tree.remove(unit + "events/energy-pkg");
    open_perf_by(kernel, {});
    EXPECT_EQ(kernel->opened.at(kernel->next - 1).config, 5U); // psys, where there is nothing else
    tree.remove(unit + "events/energy-psys");
    expect_error(Status::unsupported, {"none of the events"}, [&] { open_perf_by(kernel, {}); });
    EXPECT_TRUE(kernel->live.empty());
}

} // namespace
} // namespace hpart
