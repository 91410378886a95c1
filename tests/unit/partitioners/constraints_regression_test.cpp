// Instances that were answered wrongly once.
#include "checks.hpp"
#include "instances.hpp"
#include "partitioners/calls/partition.hpp"
#include "partitioners/search/choices.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace
{

using hpart::Objective;
using hpart::Platform;
using instances::set_functions;
using support::options_of;

hpart::Distribution solve(const Platform &platform, Objective objective, std::int64_t n, const hpart::Options &options)
{
    const auto ties = options.get_text("ties") == "fewest" ? hpart::Ties::fewest : hpart::Ties::deterministic;
    return checks::partition(platform, {objective, n, "exact", ties, options});
}

// Slopes of such energies lose their digits, and bounds that were made of them lost the optimum.
TEST(ConstrainedRegressions, EnergiesNearTheSmallestDouble)
{
    constexpr double least = 5e-324;
    Platform platform(4);
    for (std::int64_t i = 0; i < 3; ++i)
        set_functions(platform, i, {8, 14, 18, 30}, {2, 4, 0, 4}, {9 * least, 11 * least, 9 * least, 17 * least});
    set_functions(platform, 3, {2147483646, 2147483649, 2147483650, 2147483652}, {1, 1, 1, 1}, {0, 0, 0, 0});
    platform.set_base_power(0);
    constexpr std::int64_t n = 2147483664;
    const auto fewest = options_of({{"ties", "fewest"}});
    hpart::Options moved;
    moved.set_previous({0, 0, 0, 0});
    for (const auto objective : {Objective::energy, Objective::total_energy})
        for (const auto &options : {hpart::Options{}, fewest, moved}) {
            const auto found = solve(platform, objective, n, options);
            EXPECT_EQ(found.joules, 9 * least);
            EXPECT_TRUE(checks::is_distribution(platform, objective, n, found));
        }
}

// A multiplier that underflows proposes sizes that are not the best of their processors: neither the sum that is sought nor a bound may
// rest on them.
TEST(ConstrainedRegressions, TinyEnergiesOfHugeSizes)
{
    Platform alike(2);
    for (std::int64_t i = 0; i < 2; ++i)
        set_functions(alike, i, {541722243497704348, 547084215240649237}, {1, 1}, {1e-300, 1e-300});
    EXPECT_EQ(solve(alike, Objective::energy, 547084215240649237, {}).joules, 1e-300);

    Platform platform(3);
    for (const std::int64_t i : {0, 2})
        set_functions(platform, i, {50955550164637534, 52819425121955454, 86273092986541560},
                      {6e-305, 5e-305, 1.2e-299}, {6e-320, 4e-320, 6e-300});
    set_functions(platform, 1, {23192309139732966, 174925424693304288, 240482256346552005}, {6e-300, 4e-300, 2.5e-323},
                  {5e-320, 2e-305, 6e-320});
    const auto options = options_of({{"idle_processors", "forbidden"}, {"energy_budget", "1.6e-319"}});
    EXPECT_EQ(solve(platform, Objective::time, 344257231633144993, options).joules, 1.6e-319);
}

// Energies with a large common offset, and nobody idle: a bound that forgot what the offset rounds away left processors without a
// point.
TEST(ConstrainedRegressions, EnergiesWithACommonOffset)
{
    Platform platform(3);
    platform.set_base_power(1);
    set_functions(platform, 0, {4}, {4}, {104});
    set_functions(platform, 1, {1, 6}, {3, 2}, {101, 100});
    set_functions(platform, 2, {3, 4}, {2, 5}, {105, 102});
    const auto options = options_of({{"idle_processors", "forbidden"}});
    const auto found = solve(platform, Objective::total_energy, 9, options);
    EXPECT_EQ(found.x, (std::vector<std::int64_t>{4, 1, 4}));
    EXPECT_EQ(found.seconds, 5);
    EXPECT_EQ(found.joules, 312);
}

TEST(ConstrainedRegressions, AClassWithoutOptionsHasNoSum)
{
    for (const bool at_end : {false, true}) {
        hpart::Choices choices;
        if (!at_end) choices.end_class();
        choices.add(1, 2);
        choices.add(3, 4);
        choices.end_class();
        if (at_end) choices.end_class();
        for (std::int64_t target = 0; target < 5; ++target) EXPECT_FALSE(hpart::reduce(choices, target)) << target;
    }
}

// The front's energies hide differences of the dynamic energy.
TEST(ConstrainedRegressions, TotalFrontsMoveLeast)
{
    Platform platform(2);
    platform.set_base_power(1);
    for (std::int64_t i = 0; i < 2; ++i) set_functions(platform, i, {1, 2}, {1e20, 1e20}, {1, 5});
    hpart::Options options;
    options.set_previous({2, 0});
    const auto front = checks::compute_front(platform, {2, hpart::FrontEnergy::total, "exact", options}).points;
    ASSERT_EQ(front.size(), 1U);
    EXPECT_EQ(front[0].x, (std::vector<std::int64_t>{2, 0}));
}

// The times of a front within rules are those of its distributions.
TEST(ConstrainedRegressions, FrontsOfOneActiveProcessor)
{
    Platform platform(2);
    set_functions(platform, 0, {1, 2}, {1, 2}, {2, 3});
    set_functions(platform, 1, {1, 2}, {3, 1}, {1, 1.5});
    const auto options = options_of({{"max_active", "1"}});
    const auto front = checks::compute_front(platform, {1, hpart::FrontEnergy::dynamic, "exact", options}).points;
    ASSERT_EQ(front.size(), 2U);
    EXPECT_EQ(front[0].seconds, 1);
    EXPECT_EQ(front[0].joules, 2);
    EXPECT_EQ(front[1].seconds, 3);
    EXPECT_EQ(front[1].joules, 1);
}

// The least time is not proved, so the deadline is not known: nothing may be judged by a bound in its place.
TEST(ConstrainedRegressions, SlowdownUnderATimeLimit)
{
    Platform platform(3);
    set_functions(platform, 0, {11, 23, 24}, {0, 7, 3}, {8, 2, 7});
    set_functions(platform, 1, {58, 84, 90}, {1, 7, 4}, {9, 2, 7});
    set_functions(platform, 2, {20, 75, 78}, {5, 9, 1}, {2, 8, 8});
    hpart::PartitionRequest request{Objective::energy, 101};
    request.options.set_double("slowdown", 1.95);
    const auto best = solve(platform, Objective::energy, 101, request.options);
    EXPECT_EQ(best.joules, 10);
    EXPECT_EQ(std::get<double>(best.report.get("deadline")), 1.95 * 4);
    hpart::Control control(nullptr, 1e-9, std::int64_t{1} << 30);
    const auto found = hpart::partition(platform, request, control);
    EXPECT_TRUE(found.limit_reached);
    EXPECT_LE(std::get<double>(found.report.get("lower_bound")), 10);
    EXPECT_EQ(found.report.find("deadline"), nullptr);
    if (found.feasible) {
        EXPECT_TRUE(checks::is_distribution(platform, Objective::energy, 101, found));
        EXPECT_LE(found.seconds, 1.95 * 4);
    }
}

// Differences of sizes that are beyond the range of their type.
TEST(ConstrainedRegressions, SizesNearTheLargestInteger)
{
    constexpr std::int64_t huge = std::int64_t{1} << 62;
    Platform platform(5);
    for (std::int64_t i = 0; i < 5; ++i) set_functions(platform, i, {1, huge, huge + 4}, {1, 1, 1}, {1, 1, 1});
    const auto options = options_of({{"idle_processors", "forbidden"}, {"ties", "fewest"}});
    const auto found = solve(platform, Objective::energy, huge + 4, options);
    EXPECT_EQ(found.joules, 5);
    EXPECT_TRUE(checks::is_distribution(platform, Objective::energy, huge + 4, found));
}

// Proved to be the only optimum but for exchanges among identical processors: the one that keeps the work where it is was lost.
TEST(ConstrainedRegressions, LeastMovedAmongIdenticalProcessors)
{
    Platform platform(4);
    for (std::int64_t i = 0; i < 4; ++i)
        set_functions(platform, i, {1, 3, 5}, {1, 1, 1}, {82962660446428.94, 2.645982998068707e-17, 1205266.259195116});
    hpart::Options options;
    options.set_previous({1, 3, 0, 5});
    const auto found = solve(platform, Objective::energy, 5, options);
    EXPECT_EQ(found.x, (std::vector<std::int64_t>{0, 0, 0, 5}));
}

} // namespace
