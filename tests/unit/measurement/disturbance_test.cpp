// Disturbed repetitions on a simulated machine: what is flagged, repeated and said.
#include "core/machine.hpp"
#include "core/text.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/estimator.hpp"

#include "../energy/sysfs_tree.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>

namespace hpart
{
namespace
{

class FakeCounters final : public Counters
{
  public:
    ThreadCounts threads() override
    {
        ++readings;
        return thread_counts;
    }
    MachineCounts machine() override { return machine_counts; }
    double cores() const override { return 2; }
    bool are_unwatched() const override { return unwatched; }
    std::string processor_of_thread(std::size_t k) const override { return names.empty() ? "" : names[k]; }
    std::string processor_of_program(std::size_t k) const override { return processor_of_thread(k); }

    ThreadCounts thread_counts{{0, 0}, {}, {0, 0}, 0};
    MachineCounts machine_counts;
    bool unwatched = true;
    int readings = 0;
    std::vector<std::string> names;
};

class Disturbances : public testing::Test
{
  protected:
    static constexpr double precision = 0.025;

    // One repetition in which that happens; how many are disturbed by what is known then.
    std::int64_t repeat(
        double seconds, const std::function<void()> &happens = [] {})
    {
        counters_.machine_counts.seconds += seconds;
        happens();
        return watch_.after_repetition(seconds);
    }
    FakeCounters counters_;
    DisturbanceWatch watch_{counters_, precision, 0.1};
};

TEST_F(Disturbances, AreLongWaitsForACore)
{
    EXPECT_EQ(repeat(0.1), 0);
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.waited[1] += 0.0026; }), 1);
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.waited[1] += 0.0024; }), 0);
    // Each thread waits a little: none makes its processor much slower.
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.waited = {0.0024, 0.0074}; }), 0);
    EXPECT_NE(watch_.who().find("single"), std::string::npos);
}

// Beside one equal competitor a thread waits as long as it runs, whatever a repetition says that it took.
TEST_F(Disturbances, HaveTheThreadsWaitsInTheirTime)
{
    for (const double seconds : {0.05, 0.1, 0.2, 0.01})
        repeat(seconds, [&] {
            counters_.thread_counts.ran[0] += 0.1;
            counters_.thread_counts.ran[1] += 0.05;
            counters_.thread_counts.waited[0] += 0.01;
            counters_.thread_counts.waited[1] += 0.05;
        });
    watch_.finish();
    EXPECT_EQ(watch_.who(), "the threads waited for a core for 50 % of their time");
}

TEST_F(Disturbances, NameTheProcessorThatWaitedLongest)
{
    counters_.names = {"A", "B"};
    repeat(0.1, [&] { counters_.thread_counts.waited = {0.02, 0}; });
    repeat(0.1, [&] {
        counters_.thread_counts.waited = {0.02, 0.03};
        counters_.thread_counts.ran = {0.18, 0.07};
    });
    EXPECT_EQ(watch_.who(), "the threads of B waited for a core for 41.7 % of their time");
}

// A kernel that tells its own time may wait longer than that: a share of 100 % and more says nothing.
TEST_F(Disturbances, HaveNoShareOfAShorterTime)
{
    counters_.thread_counts.ran = {};
    for (int k = 0; k < 2; ++k) repeat(0.1, [&] { counters_.thread_counts.waited[0] += 0.3; });
    EXPECT_EQ(watch_.who(), "the threads waited for a core for 600 ms in all, in 200 ms of repetitions");
}

TEST_F(Disturbances, AreReadsFromDisk)
{
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.page_reads += 1; }), 0);
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.page_reads += 100; }), 1);
    EXPECT_EQ(watch_.who(), "memory was read from disk 101 times (paging)");
}

TEST_F(Disturbances, OfShortRepetitionsAreJudgedTogether)
{
    DisturbanceWatch watch{counters_, precision, 0.001};
    const auto repeat = [&](double seconds, double waited) {
        counters_.thread_counts.waited[0] += waited;
        return watch.after_repetition(seconds);
    };
    const int before = counters_.readings;
    for (int k = 0; k < 4; ++k) EXPECT_EQ(repeat(0.001, 0.0001), 0);
    EXPECT_EQ(counters_.readings, before);
    EXPECT_EQ(repeat(0.001, 0), 5); // 0.4 of 5 ms
    EXPECT_EQ(counters_.readings, before + 1);
    // The usual time to wake a thread is none.
    for (int k = 0; k < 10; ++k) EXPECT_EQ(repeat(0.001, 3e-5), 0);
    EXPECT_EQ(watch.finish(), 0) << "nothing is left";
    EXPECT_EQ(repeat(0.001, 0.001), 0);
    EXPECT_EQ(repeat(0.001, 0), 0);
    EXPECT_EQ(watch.finish(), 2);
    EXPECT_EQ(watch.finish(), 0);
}

TEST_F(Disturbances, OfTheMachineAreJudgedInWindows)
{
    for (int k = 0; k < 4; ++k) EXPECT_EQ(repeat(0.1, [&] { counters_.machine_counts.stolen += 0.02; }), 0);
    EXPECT_EQ(repeat(0.101), 5); // 80 ms of 1 s on two cores
    for (int k = 0; k < 5; ++k) EXPECT_EQ(repeat(0.101, [&] { counters_.machine_counts.stolen += 0.004; }), 0);
    const auto window = [&](const std::function<void()> &change) {
        for (int k = 0; k < 4; ++k) EXPECT_EQ(repeat(0.12), 0);
        return repeat(0.12, change);
    };
    EXPECT_EQ(window([&] { counters_.machine_counts.throttles += 1; }), 5);
    EXPECT_EQ(window([&] { counters_.machine_counts.others += 0.3; }), 5);
    EXPECT_EQ(window([&] { counters_.machine_counts.others += 0.05; }), 0);
    const auto who = watch_.who();
    EXPECT_NE(who.find("other processes used 6.2 % of the cores"), std::string::npos) << who;
    EXPECT_NE(who.find("throttled 1 time"), std::string::npos) << who;
    EXPECT_EQ(window([&] { counters_.machine_counts.quota_stops += 1; }), 5);
    EXPECT_NE(watch_.who().find("the quota of processor time stopped the processes 1 time"), std::string::npos);
    // Threads that can be watched would have waited.
    counters_.unwatched = false;
    EXPECT_EQ(window([&] { counters_.machine_counts.others += 0.5; }), 0);
}

// A wait every half second would else hide steal.
TEST_F(Disturbances, OfTheMachineAreJudgedBeforeADisturbedGroup)
{
    counters_.unwatched = false;
    for (int k = 0; k < 3; ++k) EXPECT_EQ(repeat(0.1, [&] { counters_.machine_counts.stolen += 0.05; }), 0);
    EXPECT_EQ(repeat(0.1, [&] { counters_.thread_counts.waited[0] += 0.05; }), 4);
    // The time of others is the disturbed repetition's own.
    counters_.unwatched = true;
    EXPECT_EQ(repeat(0.1), 0);
    EXPECT_EQ(repeat(0.1,
                     [&] {
                         counters_.thread_counts.waited[0] += 0.05;
                         counters_.machine_counts.others += 0.1;
                     }),
              1);
    EXPECT_NE(watch_.who().find("(steal)"), std::string::npos);
}

TEST_F(Disturbances, AreWaitsOfProgramsForOthers)
{
    counters_.machine_counts.programs_waited = {0, 0};
    counters_.unwatched = false;
    DisturbanceWatch watch{counters_, precision, 0.1};
    const auto window = [&](double waited, double others) {
        for (int k = 0; k < 4; ++k) {
            counters_.machine_counts.seconds += 0.12;
            EXPECT_EQ(watch.after_repetition(0.12), 0);
        }
        counters_.machine_counts.seconds += 0.12;
        counters_.machine_counts.programs_waited[1] += waited;
        counters_.machine_counts.others += others;
        return watch.after_repetition(0.12);
    };
    EXPECT_EQ(window(0.04, 0.6), 0);
    EXPECT_EQ(window(0.3, 0.02), 0) << "for its own processes";
    EXPECT_EQ(window(0.06, 0.6), 5);
    EXPECT_EQ(window(0.5, 0.6), 5);
    counters_.names = {"A", "B"};
    const auto who = watch.who();
    EXPECT_NE(who.find("the programs of B waited for a core for 37.5 % of their time"), std::string::npos) << who;
}

// Repetitions of three lengths at random lose equally much: the share of each length that is dropped. lose: adds a loss to the counts.
std::array<double, 3> dropped_shares(FakeCounters &counters, double scale, const std::function<void(double)> &lose)
{
    DisturbanceWatch watch(counters, 0.05, 2 * scale);
    std::mt19937_64 random(7);
    std::vector<std::size_t> newest;
    std::array<double, 3> all{}, disturbed{};
    for (int r = 0; r < 30000; ++r) {
        const auto kind = random() % 3;
        const double seconds = scale * static_cast<double>(1 + kind);
        lose(scale * 0.2 * static_cast<double>(random() % 1000) / 1000);
        counters.machine_counts.seconds += seconds;
        newest.push_back(kind);
        ++all.at(kind);
        const auto count = watch.after_repetition(seconds);
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) ++disturbed.at(newest[newest.size() - 1 - k]);
    }
    for (const std::size_t kind : {0, 1, 2}) disturbed.at(kind) /= all.at(kind);
    return disturbed;
}

// Were a group or its threshold a matter of its own times, the short ones would be dropped.
TEST(DisturbedLoop, DropsFastRepetitionsAsOftenAsSlowOnes)
{
    for (const double scale : {0.002, 0.1, 1.0}) {
        FakeCounters counters;
        counters.unwatched = false;
        const auto shares =
            dropped_shares(counters, scale, [&](double lost) { counters.thread_counts.waited[0] += lost; });
        EXPECT_GT(shares[1], 0.1);
        for (const std::size_t kind : {0, 2}) EXPECT_NEAR(shares.at(kind), shares[1], 0.03) << scale << " " << kind;
    }
}

// The same of the machine's counts.
TEST(DisturbedLoop, DropsFastRepetitionsAsOftenAsSlowOnesInWindows)
{
    for (const bool is_steal : {true, false}) {
        FakeCounters counters;
        counters.unwatched = !is_steal;
        auto &count = is_steal ? counters.machine_counts.stolen : counters.machine_counts.others;
        const auto shares = dropped_shares(counters, 0.3, [&](double lost) { count += 4 * lost * counters.cores(); });
        EXPECT_GT(shares[1], 0.1);
        EXPECT_LT(shares[1], 0.95);
        for (const std::size_t kind : {0, 2}) EXPECT_NEAR(shares.at(kind), shares[1], 0.03) << is_steal << " " << kind;
    }
}

TEST(DisturbedLoop, DoesNotJudgeTheFirstRepetitionWithoutAnEarlierTime)
{
    FakeCounters counters;
    DisturbanceWatch watch(counters, 0.05, 0);
    counters.thread_counts.waited[0] += 1;
    EXPECT_EQ(watch.after_repetition(0.1), 0);
    counters.thread_counts.waited[0] += 1;
    EXPECT_EQ(watch.after_repetition(0.1), 1);
}

// It has so many decimals that no step of a clock shows.
constexpr double undisturbed = 0.1000001;

// A disturbed repetition takes twice the time.
Measurement measure_disturbed(const StopRule &rule, const std::function<bool(int)> &is_disturbed)
{
    FakeCounters counters;
    DisturbanceWatch watch(counters, rule.precision, 0.1);
    int repetition = 0;
    double now = 0;
    return mean_using_t_test(
        rule, 2,
        [&](std::span<double> seconds) {
            const bool disturbed = is_disturbed(repetition++);
            seconds[0] = undisturbed;
            seconds[1] = disturbed ? 2 * undisturbed : undisturbed;
            if (disturbed) counters.thread_counts.waited[1] += 0.1;
            counters.machine_counts.seconds += seconds[1];
            counters.machine_counts.others += disturbed ? 0.1 : 0;
            now += seconds[1];
        },
        [&] { return now; }, &watch);
}

TEST(DisturbedLoop, RepeatsWhatWasDisturbed)
{
    const auto found = measure_disturbed({}, [](int r) { return r == 0 || r == 4; });
    EXPECT_EQ(found.repetitions, 10);
    EXPECT_EQ(found.samples, std::vector<double>(20, undisturbed));
    EXPECT_EQ(found.contaminated, 2);
    EXPECT_NEAR(found.estimates[1].value, undisturbed, 1e-12);
    EXPECT_TRUE(found.precise);
    EXPECT_EQ(found.busy, "");
}

TEST(DisturbedLoop, KeepsMoreThanAThirdAndSaysWhoDisturbs)
{
    const StopRule rule{.max_repetitions = 60};
    const auto found = measure_disturbed(rule, [](int r) { return r % 2 == 1; });
    EXPECT_EQ(found.repetitions, 60);
    EXPECT_EQ(found.contaminated, 44); // of 89, 29 of which were repeated
    EXPECT_FALSE(found.precise);
    EXPECT_NE(found.busy.find("44 of 89 repetitions were disturbed: other processes used "), std::string::npos)
        << found.busy;
    EXPECT_NE(found.busy.find("the threads waited for a core for "), std::string::npos) << found.busy;
}

TEST(DisturbedLoop, KeepsAllWhenAsked)
{
    const StopRule rule{.max_repetitions = 20, .repeats_contaminated = false};
    const auto found = measure_disturbed(rule, [](int r) { return r % 4 == 1; });
    EXPECT_EQ(found.repetitions, 20);
    EXPECT_EQ(found.contaminated, 5);
    EXPECT_EQ(found.busy, "");
}

TEST(DisturbedLoop, EndsWhenTimeIsUp)
{
    const StopRule rule{.max_seconds = 0};
    const auto found = measure_disturbed(rule, [](int) { return true; });
    EXPECT_EQ(found.reason, StopReason::max_seconds);
    EXPECT_EQ(found.repetitions, 2);
    EXPECT_EQ(found.contaminated, 2);
    EXPECT_NE(found.busy, "");
}

constexpr std::string_view stat = "cpu  30 1 70 800 50 2 3 100 7 0\n"
                                  "cpu0 10 1 20 400 30 2 3 40 7 0\n"
                                  "cpu3 20 0 50 400 20 0 0 60 0 0\n"
                                  "intr 5 6 7\n";

TEST(SystemCounters, ReadTheTimesOfTheirCores)
{
    const auto tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto all = parse_core_times(stat, {});
    EXPECT_EQ(all.cores, 2);
    EXPECT_NEAR(all.busy, 106 * tick, 1e-12);
    EXPECT_NEAR(all.stolen, 100 * tick, 1e-12);
    const auto one = parse_core_times(stat, {3, 7});
    EXPECT_EQ(one.cores, 1);
    EXPECT_NEAR(one.busy, 70 * tick, 1e-12);
    EXPECT_NEAR(one.stolen, 60 * tick, 1e-12);
    EXPECT_EQ(parse_core_times("", {}).cores, 0);
    EXPECT_EQ(parse_core_times("cpu0 1 2", {}).stolen, 0);
}

TEST(SystemCounters, ReadATreeOfFiles)
{
    const SysfsTree tree;
    tree.write("stat", std::string(stat));
    tree.write("devices/system/cpu/cpu3/thermal_throttle/core_throttle_count", std::int64_t{4});
    tree.write("self/task/17/schedstat", "5000 2500000 3\n");
    SystemCounters counters({17, 18}, {3}, true, tree.path(), {}, {{{17, "B"}}, {"P"}});
    EXPECT_EQ(counters.processor_of_thread(0) + counters.processor_of_thread(1), "B");
    EXPECT_EQ(counters.processor_of_program(0) + counters.processor_of_program(1), "P");
    EXPECT_EQ(counters.cores(), 1);
    EXPECT_TRUE(counters.are_unwatched());
    EXPECT_NEAR(counters.threads().waited.at(0), 0.0025, 1e-12);
    EXPECT_NEAR(counters.threads().ran.at(0), 5e-6, 1e-12);
    tree.write("self/task/17/schedstat", "5000 4500000 3\n");
    EXPECT_NEAR(counters.threads().waited.at(0), 0.0045, 1e-12);
    EXPECT_EQ(counters.machine().throttles, 4);
    EXPECT_GT(counters.machine().stolen, 0);
    // Its other thread shows the same count.
    tree.write("devices/system/cpu/cpu7/thermal_throttle/core_throttle_count", std::int64_t{4});
    EXPECT_EQ(SystemCounters({}, {3, 7}, true, tree.path()).machine().throttles, 8);
    for (const auto *core : {"3", "7"})
        tree.write(text("devices/system/cpu/cpu", core, "/topology/thread_siblings_list"), "3,7\n");
    EXPECT_EQ(SystemCounters({}, {3, 7}, true, tree.path()).machine().throttles, 4);
}

// Their own threads on other cores take nothing from these.
TEST(SystemCounters, KnowTheOwnTimeOnTheirCores)
{
    const SysfsTree tree;
    const auto tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
    const std::string behind = " S 1 1 1 0 -1 0 0 0 0 0 ";
    tree.write("self/stat", "17 (a name)" + behind + "40 20 7 3 20 0\n");
    tree.write("self/task/17/stat", "17 (a name)" + behind + "10 5 0 0 20 0\n");
    tree.write("self/task/17/status", "Cpus_allowed_list:\t0-3\n");
    tree.write("self/task/18/stat", "18 (a) b)" + behind + "20 5 0 0 20 0\n");
    tree.write("self/task/18/status", "Cpus_allowed_list:\t1\n");
    EXPECT_NEAR(own_core_seconds(tree.path(), {}), 70 * tick, 1e-12);
    EXPECT_NEAR(own_core_seconds(tree.path(), {0, 3}), 45 * tick, 1e-12);
    EXPECT_NEAR(own_core_seconds(tree.path(), {1}), 70 * tick, 1e-12);
}

TEST(FamilyWaits, AreThoseOfTheThreadThatWaitedLongest)
{
    const SysfsTree tree;
    const auto waits = [&](const char *thread, int nanoseconds) {
        tree.write(std::string(thread) + "/schedstat", text("5 ", nanoseconds, " 3\n"));
    };
    waits("17/task/17", 1000);
    waits("17/task/18", 9000);
    tree.write("17/task/18/children", "20 \n");
    waits("20/task/20", 3000);
    FamilyWaits family(17, tree.path());
    family.look();
    EXPECT_NEAR(family.seconds(), 9e-6, 1e-12);
    family.begin();
    EXPECT_EQ(family.seconds(), 0);
    waits("17/task/18", 9500);
    waits("20/task/20", 7000);
    waits("20/task/21", 2000);
    family.look();
    EXPECT_NEAR(family.seconds(), 4e-6, 1e-12);
    EXPECT_EQ(FamilyWaits(19, tree.path()).seconds(), 0);
}

// The lines of thousands of cores are longer than 64 KiB.
TEST(SystemCounters, ReadTheLastOfManyCores)
{
    constexpr int count = 4000;
    std::string lines = "cpu  1 1 1 1 1 1 1 1 0 0\n";
    for (int core = 0; core < count; ++core) lines += text("cpu", core, " 10 1 20 400 30 2 3 40 0 0\n");
    const SysfsTree tree;
    tree.write("stat", lines);
    SystemCounters counters({}, {count - 2, count - 1}, false, tree.path());
    EXPECT_EQ(counters.cores(), 2);
    EXPECT_GT(counters.machine().stolen, 0);
}

// The host's part of a GPU may be two threads on one core.
TEST(SystemCounters, KnowThreadsThatWaitForEachOther)
{
    const SysfsTree tree;
    tree.write("stat", std::string(stat));
    const auto thread = [&](int id, const char *cores, const char *schedule) {
        const auto folder = "self/task/" + std::to_string(id);
        tree.write(folder + "/status",
                   std::string("Name:\thpart\nCpus_allowed_list:\t") + cores + "\nvoluntary_ctxt_switches:\t7\n");
        tree.write(folder + "/schedstat", std::string(schedule));
    };
    thread(17, "3", "2000000 5000000 3\n");
    thread(18, "3", "4000000 6000000 3\n");
    thread(19, "0-1,5", "8000000 1000000 3\n");
    SystemCounters counters({17, 18, 19}, {3}, true, tree.path());
    const auto counts = counters.threads();
    ASSERT_EQ(counts.mates.size(), 3U);
    EXPECT_NEAR(counts.mates[0], 0.004, 1e-12);
    EXPECT_NEAR(counts.mates[1], 0.002, 1e-12);
    EXPECT_EQ(counts.mates[2], 0);
    // 18 is the driver's: older than what is measured.
    const auto of_two = SystemCounters({17, 19}, {3}, true, tree.path()).threads();
    EXPECT_EQ(of_two.waited.size(), 2U);
    ASSERT_EQ(of_two.mates.size(), 2U);
    EXPECT_NEAR(of_two.mates[0], 0.004, 1e-12);
    EXPECT_TRUE(SystemCounters({19}, {3}, true, tree.path()).threads().mates.empty());
    // 20 starts the work of a device, whose driver runs on core 1; 21 is another processor's. Both keep 20 waiting.
    thread(20, "0-1", "1000000 9000000 3\n");
    thread(21, "0", "8000000 0 3\n");
    thread(22, "1", "6000000 0 3\n");
    const auto of_device = SystemCounters({20, 21}, {0, 1}, true, tree.path()).threads();
    ASSERT_EQ(of_device.mates.size(), 2U);
    EXPECT_NEAR(of_device.mates[0], 0.007, 1e-12);
    EXPECT_EQ(of_device.mates[1], 0);
}

TEST(DisturbancesOfMates, AreNoWaitsForEachOther)
{
    FakeCounters counters;
    counters.thread_counts.mates = {0, 0};
    DisturbanceWatch watch(counters, 0.025, 0.1);
    const auto repeat = [&](double waited, double mate) {
        counters.machine_counts.seconds += 0.1;
        counters.thread_counts.waited[1] += waited;
        counters.thread_counts.mates[1] += mate;
        return watch.after_repetition(0.1);
    };
    EXPECT_EQ(repeat(0.05, 0.06), 0);
    EXPECT_EQ(repeat(0.05, 0.048), 0);
    EXPECT_EQ(repeat(0.05, 0.047), 1);
}

TEST(SystemCounters, KnowTheQuotasOfControlGroups)
{
    const SysfsTree tree;
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0);
    tree.write("self/cgroup", "0::/slice/job\n");
    tree.write("fs/cgroup/cpu.stat", "usage_usec 7\nnr_throttled 100\n"); // without a limit
    tree.write("fs/cgroup/slice/cpu.max", "150000 100000\n");
    tree.write("fs/cgroup/slice/cpu.stat", "usage_usec 7\nnr_throttled 5\n");
    tree.write("fs/cgroup/slice/job/cpu.max", "max 100000\n");
    EXPECT_EQ(cpu_quota(tree.path()).cores, 1.5);
    tree.write("fs/cgroup/slice/job/cpu.max", "20000 100000\n");
    tree.write("fs/cgroup/slice/job/cpu.stat", "nr_periods 9\nnr_throttled 8\n");
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0.2);
    SystemCounters counters({}, {}, false, tree.path());
    EXPECT_EQ(counters.machine().quota_stops, 13);
    tree.write("fs/cgroup/slice/job/cpu.stat", "nr_throttled 9\n");
    EXPECT_EQ(counters.machine().quota_stops, 14);
}

// Version 1, in a container that does not see its group by the name that it has outside.
TEST(SystemCounters, KnowTheQuotaOfAContainer)
{
    const SysfsTree tree;
    tree.write("self/cgroup", "9:memory:/m\n4:cpu,cpuacct:/docker/17\n0::/\n");
    tree.write("fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", std::int64_t{-1});
    tree.write("fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", std::int64_t{100000});
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0);
    tree.write("fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", std::int64_t{50000});
    tree.write("fs/cgroup/cpu,cpuacct/cpu.stat", "nr_throttled 2\n");
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0.5);
    EXPECT_EQ(cpu_quota(tree.path()).stops(), 2);
    tree.write("self/cgroup", "4:cpuacct,cpu:/docker/17\n");
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0.5) << "in another order";
    tree.write("fs/cgroup/cpu/cpu.cfs_quota_us", std::int64_t{25000});
    tree.write("fs/cgroup/cpu/cpu.cfs_period_us", std::int64_t{100000});
    EXPECT_EQ(cpu_quota(tree.path()).cores, 0.25) << "by its own name";
}

// The tightest of the groups, less what is used without the pages of files.
TEST(ControlGroups, LeaveMemory)
{
    const SysfsTree tree;
    const auto unlimited = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(group_memory_left(tree.path()), unlimited);
    tree.write("self/cgroup", "0::/slice/job\n");
    tree.write("fs/cgroup/slice/job/memory.max", "max\n");
    tree.write("fs/cgroup/slice/job/memory.current", "300\n");
    EXPECT_EQ(group_memory_left(tree.path()), unlimited);
    tree.write("fs/cgroup/slice/memory.max", "1000\n");
    tree.write("fs/cgroup/slice/memory.current", "700\n");
    tree.write("fs/cgroup/slice/memory.stat", "anon 400\ninactive_file 100\nactive_file 150\n");
    EXPECT_EQ(group_memory_left(tree.path()), 550);
    tree.write("fs/cgroup/slice/job/memory.max", "320\n");
    EXPECT_EQ(group_memory_left(tree.path()), 20);
    tree.write("fs/cgroup/slice/job/memory.current", "330\n");
    EXPECT_EQ(group_memory_left(tree.path()), 0);
    tree.write("self/cgroup", "9:memory:/m\n");
    tree.write("fs/cgroup/memory/m/memory.limit_in_bytes", "1000\n");
    tree.write("fs/cgroup/memory/m/memory.usage_in_bytes", "900\n");
    tree.write("fs/cgroup/memory/m/memory.stat", "cache 5\ntotal_inactive_file 20\ntotal_active_file 30\n");
    EXPECT_EQ(group_memory_left(tree.path()), 150);
}

TEST(SystemCounters, WorkOnThisMachine)
{
    const auto ids = thread_ids();
    SystemCounters counters(ids, {}, false);
    const auto first = counters.threads();
    const auto second = counters.threads();
    ASSERT_EQ(first.waited.size(), second.waited.size());
    for (std::size_t k = 0; k < first.waited.size(); ++k) EXPECT_GE(second.waited[k], first.waited[k]);
    EXPECT_GE(counters.machine().seconds, 0);
}

} // namespace
} // namespace hpart
