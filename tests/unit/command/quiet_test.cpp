// The check of a quiet machine, on trees of files.
#include "support/scratch.hpp"
#include "team_arguments.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace hpart_command
{
namespace
{

namespace fs = std::filesystem;

class Quiet : public testing::Test
{
  protected:
    Quiet()
    {
        write("proc/stat",
              "cpu  100 0 20 800 0 0 0 10 0 0\ncpu0 50 0 10 400 0 0 0 5 0 0\ncpu1 50 0 10 400 0 0 0 5 0 0\nintr 1\n");
        write("proc/vmstat", "pgfault 7\npswpin 3\npswpout 4\n");
        write("proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 70 10 0 0 20\n");
        write("proc/13/stat", "13 (quiet) S 1 1 1 0 -1 0 0 0 0 0 900 0 0 0 20\n");
        write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
        write("sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
        write("sys/devices/system/cpu/cpufreq/boost", "0\n");
    }

    void write(const std::string &path, const std::string &content) const
    {
        fs::create_directories((root_ / path).parent_path());
        std::ofstream(root_ / path) << content;
    }
    MachineState state() const { return machine_state(root_.string()); }
    // The findings when that line of /proc/stat comes next, 0.25 s later on two cores.
    std::vector<std::string> after(const std::string &times) const
    {
        const auto first = state();
        write("proc/stat", times + "\ncpu0 0 0 0 0 0 0 0 0\n");
        write("proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 80 12 0 0 20\n");
        return disturbances_between(first, state());
    }
    const support::Folder folder_;
    const fs::path &root_ = folder_.path();
};

TEST_F(Quiet, IsAMachineWhereNothingHappens)
{
    EXPECT_EQ(state().times.cores, 2);
    EXPECT_TRUE(disturbances_between(state(), state()).empty());
    EXPECT_TRUE(after("cpu  101 0 21 848 0 0 0 10").empty());
    EXPECT_TRUE(disturbances_between(machine_state("/nowhere"), machine_state("/nowhere")).empty());
}

TEST_F(Quiet, IsAMachineWhereOnlyThisProcessRuns)
{
    write("proc/self/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 70 10 0 0 20\n");
    EXPECT_TRUE(after("cpu  110 0 22 838 0 0 0 10").empty()) << "all of it is its own";
    write("proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 70 10 0 0 20\n");
    write("proc/13/stat", "13 (quiet) S 1 1 1 0 -1 0 0 0 0 0 895 0 0 0 20\n");
    const auto first = state();
    write("proc/stat", "cpu  130 0 22 838 0 0 0 10\ncpu0 0 0 0 0 0 0 0 0\n");
    write("proc/12/stat", "12 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 80 12 0 0 20\n");
    write("proc/13/stat", "13 (quiet) S 1 1 1 0 -1 0 0 0 0 0 903 0 0 0 20\n");
    const auto found = disturbances_between(first, state());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("most of it quiet (process 13)"), std::string::npos) << found[0];
}

TEST_F(Quiet, IsNoMachineWhereOthersRun)
{
    const auto found = after("cpu  112 0 21 837 0 0 0 10");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0], "other processes use 26 % of the cores, most of it a (b) c (process 12): times get longer and "
                        "intervals wider; stop them, or wait");
}

TEST_F(Quiet, IsNoMachineWhoseTimeIsStolen)
{
    const auto found = after("cpu  100 0 20 845 0 0 0 15");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("takes 10 % of the cores"), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("statistic=median"), std::string::npos) << found[0];
}

TEST_F(Quiet, IsNoMachineThatSwaps)
{
    const auto first = state();
    write("proc/vmstat", "pgfault 7\npswpin 3\npswpout 5\n");
    const auto found = disturbances_between(first, state());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].find("swapped"), std::string::npos);
}

TEST_F(Quiet, IsNoMachineWhoseFrequencyChanges)
{
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    const auto found = disturbances_between(state(), state());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NE(found[0].find("core 0 is 'powersave'"), std::string::npos) << found[0];
    EXPECT_NE(found[0].find("cpupower"), std::string::npos);
    EXPECT_NE(found[1].find("echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"), std::string::npos) << found[1];
}

} // namespace
} // namespace hpart_command
