// The methods of the papers, by name: their worked examples, and random instances against the exact methods.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "models/platform_file.hpp"
#include "partitioners/calls/partition.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include "support/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace
{

using checks::agrees_with_exact;
using checks::front_agrees_with_exact;
using hpart::Objective;
using hpart::Platform;

std::int64_t any_size(instances::Random &random, const Platform &platform)
{
    return instances::between(random, 0, std::min<std::int64_t>(100'000, instances::largest_sum(platform) + 3));
}

hpart::Ties any_ties(instances::Random &random)
{
    return instances::between(random, 0, 9) == 0 ? hpart::Ties::fewest : hpart::Ties::deterministic;
}

// Few points; now and then many, or many processors.
instances::Extent any_extent(instances::Random &random)
{
    switch (instances::between(random, 0, 19)) {
    case 0: return {6, 40};
    case 1: return {25, 5};
    default: return {6, 8};
    }
}

class PapersExamples : public testing::Test
{
  protected:
    static Platform read(const std::string &name) { return hpart::read_platform(folder + name); }
    static inline const std::string folder = support::data("");
};

hpart::Distribution solve(const Platform &platform, Objective objective, std::int64_t n, const char *method)
{
    return checks::solve(platform, objective, n, hpart::Ties::deterministic, method);
}

std::int64_t count_in(const hpart::Distribution &found, const char *key)
{
    return std::get<std::int64_t>(found.report.get(key));
}

TEST_F(PapersExamples, TheTreeOfFigure310IsCutAndRecalled)
{
    const auto found = solve(read("hpopta-fig-3.10.csv"), Objective::time, 16, "hpopta");
    EXPECT_GT(count_in(found, "cuts"), 0);
    EXPECT_GT(count_in(found, "recalled"), 0);
    EXPECT_GT(count_in(found, "nodes"), count_in(found, "cuts") + count_in(found, "recalled"));
}

using Pairs = std::vector<std::pair<double, double>>;

TEST_F(PapersExamples, HepoptaFigure51)
{
    auto platform = read("hepopta-fig-5.1.csv");
    const auto front = checks::compute_front(platform, {4, hpart::FrontEnergy::dynamic, "hepopta"});
    ASSERT_EQ(front.points.size(), 3U);
    EXPECT_EQ(front.points[0].x, (std::vector<std::int64_t>{2, 0, 2, 0}));
    EXPECT_EQ(front.points[1].x, (std::vector<std::int64_t>{2, 1, 0, 1}));
    EXPECT_EQ(front.points[2].x, (std::vector<std::int64_t>{2, 2, 0, 0}));
    for (const auto *method : {"exact", "hepopta"})
        EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::dynamic, method), (Pairs{{2, 5}, {3, 4}, {6, 2}}));
    EXPECT_EQ(solve(platform, Objective::energy, 4, "heopta").joules, 2);
    platform.set_base_power(1);
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::total, "htpopta"), (Pairs{{2, 7}}));
    platform.set_base_power(0.25);
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::total, "htpopta"),
              (Pairs{{2, 5.5}, {3, 4.75}, {6, 3.5}}));
    EXPECT_EQ(solve(platform, Objective::total_energy, 4, "htpopta").joules, 3.5);
}

TEST_F(PapersExamples, AppendixF)
{
    auto platform = read("appendix-f.csv");
    platform.set_base_power(10);
    const auto expected = reference::brute_force(platform, 4);
    checks::against(platform, 4, expected);
    EXPECT_EQ(solve(platform, Objective::time, 4, "hpopta").seconds, expected.least_seconds);
    EXPECT_EQ(solve(platform, Objective::energy, 4, "heopta").joules, expected.least_joules);
    EXPECT_EQ(solve(platform, Objective::total_energy, 4, "htpopta").joules, expected.least_total);
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::dynamic, "hepopta"),
              Pairs(expected.front.begin(), expected.front.end()));
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::total, "htpopta"),
              Pairs(expected.total_front.begin(), expected.total_front.end()));
}

struct TreeSearch {
    const char *method;
    Objective objective;
    double share; // of the random instances
    double tolerance;
};

using TreeSearches = testing::TestWithParam<TreeSearch>;

TEST_P(TreeSearches, AgreeWithExact)
{
    const auto &[method, objective, share, tolerance] = GetParam();
    auto random = support::seeded(1018);
    const auto count = instances::how_many(share);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, any_extent(random));
        const auto n = any_size(random, platform);
        agrees_with_exact(platform, n, objective, method, any_ties(random), tolerance);
        if (tolerance > 0)
            agrees_with_exact(instances::with_whole_energies(platform), n, objective, method, any_ties(random), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, TreeSearches,
                         testing::Values(TreeSearch{"hpopta", Objective::time, 1, 0},
                                         TreeSearch{"heopta", Objective::energy, 1, checks::rounding},
                                         TreeSearch{"htpopta", Objective::total_energy, 0.5, checks::rounding}));

TEST(TreeSearchesOfFronts, AgreeWithExact)
{
    instances::for_each_instance(1021, 1, [&](auto &random, auto) {
        const auto platform = instances::with_whole_energies(instances::any_platform(random, any_extent(random)));
        const auto n = any_size(random, platform);
        if (instances::between(random, 0, 3) == 0)
            front_agrees_with_exact(platform, n, hpart::FrontEnergy::total, "htpopta");
        else
            front_agrees_with_exact(platform, n, hpart::FrontEnergy::dynamic, "hepopta");
    });
}

// Jagged functions, as measured ones are: many nodes are recalled, fronts have tens of points.
TEST(TreeSearchesOfLargeOnes, AgreeWithExact)
{
    instances::Random random(1023);
    const auto count = std::min<std::int64_t>(instances::how_many(0.0015), 30);
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t factor = 0; // another one of each function
        const auto jagged = [&](auto, std::int64_t size) {
            if (size == 1) factor = instances::between(random, 10, 50);
            return static_cast<double>(size * factor + instances::between(random, 0, 10 * factor));
        };
        auto platform = instances::full_platform(10, 100, jagged, jagged);
        platform.set_base_power(2);
        const auto n = instances::between(random, 300, 500);
        agrees_with_exact(platform, n, Objective::time, "hpopta", hpart::Ties::deterministic, 0);
        agrees_with_exact(platform, n, Objective::energy, "heopta", hpart::Ties::deterministic, 0);
        agrees_with_exact(platform, n, Objective::total_energy, "htpopta", hpart::Ties::deterministic, 0);
        front_agrees_with_exact(platform, n, hpart::FrontEnergy::dynamic, "hepopta");
        EXPECT_GT(checks::front_of(platform, n, hpart::FrontEnergy::dynamic, "hepopta").size(), 10U);
        EXPECT_GT(count_in(solve(platform, Objective::energy, n, "heopta"), "recalled"), 0);
    }
}

// So many copies of the platform, one after another.
Platform repeated(const Platform &node, std::int64_t nodes)
{
    Platform platform(node.count() * nodes);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &points = node.points(i % node.count());
        platform.set_time_function(i, points.sizes, points.seconds);
        platform.set_limits(i, node.processor(i % node.count()).limits);
    }
    return platform;
}

TEST(Nodes, HipoptaAgreesWithExact)
{
    auto random = support::seeded(1022);
    const auto count = instances::how_many(0.5);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto node = instances::any_platform(random, {3, 6});
        const auto platform = repeated(node, instances::between(random, node.count() == 1 ? 1 : 2, 6));
        agrees_with_exact(platform, any_size(random, platform), Objective::time, "hipopta", any_ties(random), 0);
    }
}

// c + 1 functions: those of a node, and the node's own.
TEST(Nodes, OneProcessorForAllOfANodeGivesTheOptimumOfTheCluster)
{
    auto random = support::seeded(1023);
    std::int64_t solved = 0;
    const auto count = instances::how_many(0.5);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto node = instances::with_whole_energies(instances::any_platform(random, {3, 6}));
        const auto nodes = instances::between(random, 1, 5);
        const auto n = any_size(random, node.replicate(nodes));
        const auto objective = k % 3 == 0 ? Objective::energy : Objective::time;
        auto control = checks::usual_control();
        const auto whole = hpart::aggregate(node, hpart::PreparedPlatform(), {objective, n}, control);
        ASSERT_EQ(whole.count(), 1);
        const auto best = [&](const Platform &platform, std::int64_t size, const char *method) {
            return checks::unless_infeasible(
                [&] { return checks::solve(platform, objective, size, hpart::Ties::deterministic, method); });
        };
        const auto expected = best(node.replicate(nodes), n, "exact");
        const auto found = best(whole.replicate(nodes), n, objective == Objective::time ? "popta" : "exact");
        SCOPED_TRACE(instances::describe(node, n));
        ASSERT_EQ(found.has_value(), expected.has_value());
        if (!found) continue;
        ASSERT_EQ(checks::value_of(*found, objective), checks::value_of(*expected, objective));
        double longest = 0, joules = 0;
        for (const auto share : found->x) {
            const auto within = checks::solve(node, objective, share);
            longest = std::max(longest, within.seconds);
            joules += within.joules;
        }
        ASSERT_EQ(objective == Objective::time ? longest : joules, checks::value_of(*expected, objective));
        ++solved;
    }
    EXPECT_GT(solved, count / 4);
}

Platform with_times(const std::vector<std::vector<double>> &times)
{
    Platform platform(static_cast<std::int64_t>(times.size()));
    for (std::size_t i = 0; i < times.size(); ++i) {
        std::vector<std::int64_t> sizes(times[i].size());
        std::iota(sizes.begin(), sizes.end(), 1);
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, times[i]);
    }
    return platform;
}

TEST(Nodes, WhatIsNoRepetitionIsRefused)
{
    const auto message_of = [](const Platform &platform) {
        return support::message_of([&] { solve(platform, Objective::time, 3, "hipopta"); });
    };
    EXPECT_EQ(
        message_of(with_times({{1, 2}, {2, 3}, {1, 2}, {2, 4}})),
        "method is hipopta, which is for identical nodes, processors 0 to c - 1 repeated, but the 4 processors are no "
        "such repetition: with c = 2 the usable points of processor[3] are not those of processor[1]; use hpopta or "
        "exact");
    EXPECT_NE(message_of(with_times({{1, 2}, {1, 2}, {1, 3}})).find("with c = 1 the usable points of processor[2] are"),
              std::string::npos);
    EXPECT_EQ(message_of(with_times({{1, 2}, {2, 3}, {1, 2}, {2, 3}})), "no error");
    EXPECT_EQ(message_of(with_times({{1, 2, 3}})), "no error");
}

TEST(NodesLimits, EndTheSearchWithABound)
{
    const auto platform = repeated(instances::hard_platform(9), 2);
    const auto n = instances::hard_size(platform);
    for (const bool by_memory : {false, true}) {
        hpart::Control control(nullptr, by_memory ? checks::no_time_limit : 0.01,
                               by_memory ? 1 << 20 : checks::usual_memory);
        const auto found = hpart::partition(platform, {Objective::time, n, "hipopta"}, control);
        EXPECT_TRUE(found.limit_reached);
        EXPECT_GT(std::get<double>(found.report.get("lower_bound")), 0);
        EXPECT_EQ(count_in(found, "optimal"), 0);
    }
}

// If every processor has the load-equal size, that is the incumbent.
TEST(PapersLimits, TheLoadEqualDistributionIsTheFirstIncumbent)
{
    Platform platform(5);
    const std::vector<double> costs{1, 2, 4, 8, 16, 7};
    for (std::int64_t i = 0; i < 5; ++i) instances::set_functions(platform, i, {1, 2, 3, 4, 5, 6}, costs, costs);
    platform.set_base_power(1);
    const std::pair<const char *, Objective> methods[] = {
        {"hpopta", Objective::time}, {"heopta", Objective::energy}, {"htpopta", Objective::total_energy}};
    for (const auto &[method, objective] : methods) {
        hpart::Control control(nullptr, 0, checks::usual_memory);
        const auto found = hpart::partition(platform, {objective, 16, method}, control);
        EXPECT_TRUE(found.limit_reached) << method;
        EXPECT_EQ(found.x, (std::vector<std::int64_t>{4, 3, 3, 3, 3})) << method;
    }
}

// The memory may end while a better distribution is put together.
TEST(PapersLimits, AtAMemoryLimitTheDistributionIsWhole)
{
    const std::pair<const char *, Objective> methods[] = {{"hpopta", Objective::time}, {"heopta", Objective::energy}};
    instances::for_each_instance(12, 0.5, [&](auto &random, auto) {
        const auto platform = instances::any_platform(random, any_extent(random));
        const auto size = any_size(random, platform);
        for (const auto &[method, objective] : methods)
            for (const auto bytes : {200, 2000, 5000, 10000}) {
                hpart::Control control(nullptr, std::numeric_limits<double>::infinity(), bytes);
                try {
                    const auto found = hpart::partition(platform, {objective, size, method}, control);
                    if (!found.feasible) continue;
                    ASSERT_EQ(std::ssize(found.x), platform.count()) << method;
                    EXPECT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), size) << method;
                } catch (const hpart::Error &error) {
                    EXPECT_EQ(error.status(), hpart::Status::infeasible) << error.what();
                }
            }
    });
}

} // namespace
