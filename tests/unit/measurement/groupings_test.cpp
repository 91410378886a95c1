// Groupings of machines in hwloc's synthetic form, and of this one.
#include "host/cores.hpp"

#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hpart;

namespace
{

// "node 0-3; core 0-1 2-3"
std::string listed(const std::vector<Grouping> &groupings)
{
    std::string all;
    for (const auto &[name, groups, other_names] : groupings) {
        all += (all.empty() ? "" : "; ") + name;
        for (const auto &group : groups) all += " " + format_cores(group);
    }
    return all;
}

#ifdef HPART_HAVE_HWLOC

TEST(Groupings, OfSyntheticMachines)
{
    EXPECT_EQ(listed(groupings_of("package:2 l3:2 core:2 pu:1")),
              "node 0-7; socket 0-3 4-7; l3 0-1 2-3 4-5 6-7; core 0 1 2 3 4 5 6 7");
    EXPECT_EQ(listed(groupings_of("package:1 core:2 pu:2")), "node 0-3; core 0-1 2-3; thread 0 1 2 3");
    EXPECT_EQ(listed(groupings_of("package:2 [numa] l3:1 l2:2 core:2 pu:1")),
              "node 0-7; socket 0-3 4-7; l2 0-1 2-3 4-5 6-7; core 0 1 2 3 4 5 6 7");
    EXPECT_EQ(listed(groupings_of("package:1 group:2 [numa] core:2 pu:1")), "node 0-3; numa 0-1 2-3; core 0 1 2 3");
    EXPECT_EQ(listed(groupings_of("package:1 core:1 pu:1")), "node 0");
    // Memory that both nodes reach.
    EXPECT_EQ(listed(groupings_of("package:1 [numa] group:2 [numa] core:2 pu:1")),
              "node 0-3; numa 0-1 2-3; core 0 1 2 3");
}

TEST(Groupings, HaveOtherNamesOfTheSameGroups)
{
    const auto groupings = groupings_of("package:2 [numa] l3:1 l2:2 core:2 pu:1");
    using Names = std::vector<std::string>;
    ASSERT_EQ(groupings.size(), 4U);
    EXPECT_EQ(groupings[0].other_names, Names{"kind"});
    EXPECT_EQ(groupings[1].other_names, (Names{"numa", "l3"}));
    EXPECT_EQ(groupings[3].other_names, Names{"thread"});
}

TEST(Groupings, OfThoseCoresThatMayBeUsed)
{
    const CoreList one{usable_cores().front()};
    EXPECT_EQ(listed(groupings_of_this_machine(one)), "node " + format_cores(one));
}

TEST(Groupings, OfWhatIsNoMachine)
{
    for (const auto *wrong : {"", "nonsense", "package:0", "package:2 core:"})
        support::expect_error(Status::invalid_argument, {}, [&] { groupings_of(wrong); });
}

#endif

TEST(Groupings, OfThisMachineHaveEachCoreOnce)
{
    const auto &cores = usable_cores();
    const auto groupings = groupings_of_this_machine(cores);
    ASSERT_FALSE(groupings.empty());
    EXPECT_EQ(groupings.front().groups, std::vector<CoreList>(1, cores));
    for (const auto &grouping : groupings) {
        CoreList all;
        for (const auto &group : grouping.groups) all.insert(all.end(), group.begin(), group.end());
        std::sort(all.begin(), all.end());
        EXPECT_EQ(all, cores) << grouping.name;
    }
}

} // namespace
