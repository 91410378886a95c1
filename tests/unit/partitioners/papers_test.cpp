// The methods of the papers, by name: their worked examples, and random instances against the exact methods.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "models/platform_file.hpp"
#include "support/random.hpp"

#include "support/data.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace
{

using hpart::Objective;
using hpart::Platform;

std::int64_t any_size(instances::Random &random, const Platform &platform)
{
    return instances::between(random, 0, std::min<std::int64_t>(100'000, instances::largest_sum(platform) + 3));
}

// The method's optimum is that of `exact` within a relative tolerance, and it claims so if it is; or both find that there is none.
void agrees_with_exact(const Platform &platform, std::int64_t n, Objective objective, const char *method,
                       hpart::Ties ties, double tolerance)
{
    const auto where = [&] { return hpart::text(method, " ", instances::describe(platform, n)); };
    std::optional<hpart::Distribution> expected;
    try {
        expected = checks::solve(platform, objective, n, ties);
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << where();
    }
    try {
        const auto found = checks::solve(platform, objective, n, ties, method);
        ASSERT_TRUE(expected.has_value()) << where();
        ASSERT_TRUE(checks::is_distribution(platform, objective, n, found)) << where();
        const auto value = checks::value_of(found, objective);
        const auto least = checks::value_of(*expected, objective);
        ASSERT_GE(value, least) << where();
        ASSERT_LE(value, least * (1 + tolerance)) << where();
        ASSERT_EQ(std::get<std::int64_t>(found.report.get("optimal")), value == least ? 1 : 0) << where();
        if (ties == hpart::Ties::fewest) {
            ASSERT_EQ(checks::count_active(found.x), checks::count_active(expected->x)) << where();
        }
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << '\n' << where();
        ASSERT_FALSE(expected.has_value()) << where();
    }
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

// The distributions that the thesis's text finds, not only their times.
TEST_F(PapersExamples, HpoptaFigure310)
{
    const auto platform = read("hpopta-fig-3.10.csv");
    const auto of_16 = solve(platform, Objective::time, 16, "hpopta");
    EXPECT_EQ(of_16.seconds, 1);
    EXPECT_EQ(of_16.x, (std::vector<std::int64_t>{8, 8, 0, 0}));
    EXPECT_GT(count_in(of_16, "cuts"), 0);
    EXPECT_GT(count_in(of_16, "recalled"), 0);
    EXPECT_GT(count_in(of_16, "nodes"), count_in(of_16, "cuts") + count_in(of_16, "recalled"));
    const auto of_31 = solve(platform, Objective::time, 31, "hpopta");
    EXPECT_EQ(of_31.seconds, 3);
    EXPECT_EQ(of_31.x, (std::vector<std::int64_t>{9, 9, 7, 6}));
}

using Pairs = std::vector<std::pair<double, double>>;

TEST_F(PapersExamples, HepoptaFigure51)
{
    auto platform = read("hepopta-fig-5.1.csv");
    auto control = checks::usual_control();
    const auto front = hpart::compute_front(platform, {4, hpart::FrontEnergy::dynamic, "hepopta"}, control);
    ASSERT_EQ(front.points.size(), 3U);
    EXPECT_EQ(front.points[0].x, (std::vector<std::int64_t>{2, 0, 2, 0}));
    EXPECT_EQ(front.points[1].x, (std::vector<std::int64_t>{2, 1, 0, 1}));
    EXPECT_EQ(front.points[2].x, (std::vector<std::int64_t>{2, 2, 0, 0}));
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::dynamic, "hepopta"), (Pairs{{2, 5}, {3, 4}, {6, 2}}));
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
    EXPECT_EQ(solve(platform, Objective::time, 4, "hpopta").seconds, expected.least_seconds);
    EXPECT_EQ(solve(platform, Objective::energy, 4, "heopta").joules, expected.least_joules);
    EXPECT_EQ(solve(platform, Objective::total_energy, 4, "htpopta").joules, expected.least_total);
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::dynamic, "hepopta"),
              Pairs(expected.front.begin(), expected.front.end()));
    EXPECT_EQ(checks::front_of(platform, 4, hpart::FrontEnergy::total, "htpopta"),
              Pairs(expected.total_front.begin(), expected.total_front.end()));
}

TEST(TreeSearches, HpoptaAgreesWithExact)
{
    auto random = support::seeded(1018);
    const auto count = instances::how_many(1);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, any_extent(random));
        agrees_with_exact(platform, any_size(random, platform), Objective::time, "hpopta", any_ties(random), 0);
    }
}

TEST(TreeSearches, HeoptaAgreesWithExact)
{
    auto random = support::seeded(1019);
    const auto count = instances::how_many(1);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, any_extent(random));
        const auto n = any_size(random, platform);
        agrees_with_exact(platform, n, Objective::energy, "heopta", any_ties(random), checks::rounding);
        agrees_with_exact(instances::with_whole_energies(platform), n, Objective::energy, "heopta", any_ties(random),
                          0);
    }
}

TEST(TreeSearches, HtpoptaAgreesWithExact)
{
    auto random = support::seeded(1020);
    const auto count = instances::how_many(0.5);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, any_extent(random));
        const auto n = any_size(random, platform);
        agrees_with_exact(platform, n, Objective::total_energy, "htpopta", any_ties(random), checks::rounding);
        agrees_with_exact(instances::with_whole_energies(platform), n, Objective::total_energy, "htpopta",
                          any_ties(random), 0);
    }
}

// All points of the method's front are those of `exact`, or both find that there is none.
void front_agrees_with_exact(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy, const char *method)
{
    const auto where = [&] { return hpart::text(method, " ", instances::describe(platform, n)); };
    const auto front_by = [&](const char *name) -> std::optional<hpart::Front> {
        try {
            auto control = checks::usual_control();
            return hpart::compute_front(platform, {n, energy, name}, control);
        } catch (const hpart::Error &error) {
            EXPECT_EQ(error.status(), hpart::Status::infeasible) << error.what() << '\n' << where();
            return std::nullopt;
        }
    };
    const auto expected = front_by("exact");
    const auto found = front_by(method);
    ASSERT_EQ(found.has_value(), expected.has_value()) << where();
    if (!found) return;
    ASSERT_EQ(found->points.size(), expected->points.size()) << where();
    for (std::size_t k = 0; k < found->points.size(); ++k) {
        const auto &point = found->points[k];
        ASSERT_EQ(point.seconds, expected->points[k].seconds) << where();
        ASSERT_EQ(point.joules, expected->points[k].joules) << where();
        hpart::Distribution distribution;
        distribution.x = point.x;
        distribution.seconds = point.seconds;
        distribution.joules = point.joules;
        const auto objective = energy == hpart::FrontEnergy::total ? Objective::total_energy : Objective::energy;
        ASSERT_TRUE(checks::is_distribution(platform, objective, n, distribution)) << where();
    }
}

TEST(TreeSearches, HepoptaAgreesWithExact)
{
    auto random = support::seeded(1021);
    const auto count = instances::how_many(1);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::with_whole_energies(instances::any_platform(random, any_extent(random)));
        const auto n = any_size(random, platform);
        if (instances::between(random, 0, 3) == 0)
            front_agrees_with_exact(platform, n, hpart::FrontEnergy::total, "htpopta");
        else
            front_agrees_with_exact(platform, n, hpart::FrontEnergy::dynamic, "hepopta");
    }
}

// Jagged functions, as measured ones are: many nodes are recalled, fronts have tens of points.
TEST(TreeSearches, LargerOnesAgreeWithExact)
{
    instances::Random random(1023);
    for (int k = 0; k < 3; ++k) {
        Platform platform(10);
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            std::vector<std::int64_t> sizes(100);
            std::iota(sizes.begin(), sizes.end(), 1);
            std::vector<double> seconds;
            std::vector<double> joules;
            const auto slowness = instances::between(random, 10, 50);
            const auto power = instances::between(random, 10, 50);
            for (const auto size : sizes) {
                seconds.push_back(static_cast<double>(size * slowness + instances::between(random, 0, 10 * slowness)));
                joules.push_back(static_cast<double>(size * power + instances::between(random, 0, 10 * power)));
            }
            platform.set_time_function(i, sizes, seconds);
            platform.set_energy_function(i, sizes, joules);
        }
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
    const auto message_of = [](const Platform &platform) -> std::string {
        try {
            solve(platform, Objective::time, 3, "hipopta");
        } catch (const hpart::Error &error) {
            EXPECT_EQ(error.status(), hpart::Status::invalid_argument);
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(
        message_of(with_times({{1, 2}, {2, 3}, {1, 2}, {2, 4}})),
        "method is hipopta, which is for identical nodes, processors 0 to c - 1 repeated, but the 4 processors are no "
        "such repetition: with c = 2 the usable points of processor 3 are not those of processor 1; use hpopta or "
        "exact");
    EXPECT_NE(message_of(with_times({{1, 2}, {1, 2}, {1, 3}})).find("with c = 1 the usable points of processor 2 are"),
              std::string::npos);
    EXPECT_EQ(message_of(with_times({{1, 2}, {2, 3}, {1, 2}, {2, 3}})), "");
    EXPECT_EQ(message_of(with_times({{1, 2, 3}})), "");
}

struct Method {
    const char *name;
    Objective objective;
};

class PapersLimits : public testing::TestWithParam<Method>
{
  protected:
    static hpart::Distribution solve(const Platform &platform, std::int64_t n, hpart::Control control)
    {
        return hpart::partition(platform, {GetParam().objective, n, GetParam().name}, control);
    }

    static void expect_limit(const Platform &platform, std::int64_t n, const hpart::Distribution &found)
    {
        EXPECT_TRUE(found.limit_reached);
        EXPECT_EQ(count_in(found, "optimal"), 0);
        EXPECT_GT(std::get<double>(found.report.get("lower_bound")), 0);
        if (found.feasible) {
            EXPECT_TRUE(checks::is_distribution(platform, GetParam().objective, n, found));
        }
    }
};

TEST_P(PapersLimits, MemoryEndsTheSearchWithABound)
{
    const auto platform = instances::hard_platform(9);
    const auto n = instances::hard_size(platform);
    expect_limit(platform, n, solve(platform, n, {nullptr, checks::no_time_limit, 1 << 20}));
}

TEST_P(PapersLimits, TimeEndsTheSearchWithABound)
{
    const auto platform = instances::hard_platform(9);
    const auto n = instances::hard_size(platform);
    expect_limit(platform, n, solve(platform, n, {nullptr, 0, checks::usual_memory}));
    expect_limit(platform, n, solve(platform, n, {nullptr, 0.01, checks::usual_memory}));
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
TEST_P(PapersLimits, TheLoadEqualDistributionIsTheFirstIncumbent)
{
    Platform platform(5);
    for (std::int64_t i = 0; i < 5; ++i) {
        const std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 6};
        const std::vector<double> costs{1, 2, 4, 8, 16, 7};
        platform.set_time_function(i, sizes, costs);
        platform.set_energy_function(i, sizes, costs);
    }
    platform.set_base_power(1);
    const auto found = solve(platform, 16, {nullptr, 0, checks::usual_memory});
    expect_limit(platform, 16, found);
    EXPECT_EQ(found.x, (std::vector<std::int64_t>{4, 3, 3, 3, 3}));
}

TEST_P(PapersLimits, TheCallbackStopsTheSearch)
{
    const auto platform = instances::hard_platform(9);
    int calls = 0;
    const auto stop = std::make_shared<const hpart::ProgressCallback>([&](double, const char *what) {
        EXPECT_STRNE(what, "");
        ++calls;
        return 1;
    });
    try {
        solve(platform, instances::hard_size(platform), {stop, checks::no_time_limit, checks::usual_memory});
        FAIL();
    } catch (const hpart::Error &error) {
        EXPECT_EQ(error.status(), hpart::Status::cancelled);
    }
    EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(Methods, PapersLimits,
                         testing::Values(Method{"hpopta", Objective::time}, Method{"heopta", Objective::energy},
                                         Method{"htpopta", Objective::total_energy}),
                         [](const auto &method) { return std::string(method.param.name); });

} // namespace
