// The baselines: their shares, and the nearest distribution to them.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using hpart::Objective;
using hpart::Platform;
using hpart::Ties;
using Sizes = std::vector<std::int64_t>;

// Time functions x / speed_i over 1 .. points.
Platform constant_speeds(const std::vector<double> &speeds, std::int64_t points)
{
    Platform platform(static_cast<std::int64_t>(speeds.size()));
    for (std::size_t i = 0; i < speeds.size(); ++i) {
        Sizes sizes;
        std::vector<double> seconds;
        for (std::int64_t x = 1; x <= points; ++x) {
            sizes.push_back(x);
            seconds.push_back(static_cast<double>(x) / speeds[i]);
        }
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds);
    }
    return platform;
}

Sizes by(const Platform &platform, std::int64_t n, const char *method)
{
    return checks::solve(platform, Objective::time, n, Ties::deterministic, method).x;
}

TEST(Baselines, EqualSharesForAll) { EXPECT_EQ(by(constant_speeds({1, 2, 5}, 20), 24, "equal"), (Sizes{8, 8, 8})); }

TEST(Baselines, SharesInProportionToSpeed)
{
    const auto platform = constant_speeds({1, 2, 5}, 20);
    EXPECT_EQ(by(platform, 24, "cpm"), (Sizes{3, 6, 15}));
    EXPECT_EQ(by(platform, 24, "fpm"), (Sizes{3, 6, 15}));
    const auto found = checks::solve(platform, Objective::time, 24, Ties::deterministic, "cpm");
    EXPECT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 1); // it meets the bound
}

TEST(Baselines, CpmTakesTheSpeedAtTheNearestSizeToTheEqualShare)
{
    Platform platform(2);
    // n / p = 4: the speeds there are 4 and 1.
    platform.set_time_function(0, Sizes{1, 2, 4, 6, 8}, std::vector{9.0, 9.0, 1.0, 9.0, 9.0});
    platform.set_time_function(1, Sizes{2, 4, 6}, std::vector{9.0, 4.0, 9.0});
    EXPECT_EQ(by(platform, 8, "cpm"), (Sizes{6, 2})); // shares 6.4 and 1.6
    EXPECT_EQ(by(platform, 8, "equal"), (Sizes{4, 4}));
}

TEST(Baselines, FpmFollowsSpeedsThatFall)
{
    Platform platform(2);
    // Speed 10 throughout, and 10 up to 10 falling linearly to 1 at 100: 10 at x = 10, 5.5 at 55.
    Sizes sizes;
    std::vector<double> constant;
    for (std::int64_t x = 1; x <= 200; ++x) {
        sizes.push_back(x);
        constant.push_back(static_cast<double>(x) / 10);
    }
    platform.set_time_function(0, sizes, constant);
    platform.set_time_function(1, Sizes{10, 55, 100}, std::vector{1.0, 10.0, 100.0});
    // Both take 10 s at 100 and 55.
    EXPECT_EQ(by(platform, 155, "fpm"), (Sizes{100, 55}));
}

TEST(Baselines, SmoothFpmIsFpmOnTheMovingAverage)
{
    // Constant speeds are smooth already.
    const auto constant = constant_speeds({1, 2, 5}, 20);
    EXPECT_EQ(by(constant, 24, "smooth-fpm"), by(constant, 24, "fpm"));
    // Against a steady processor of speed 4, one whose speed swings between 2 and 8: over any three neighbours it is slower than
    // its peaks. The
    // window here is one neighbour on each side.
    Platform jagged(2);
    Platform smooth(2);
    Sizes sizes;
    std::vector<double> steady;
    std::vector<double> swinging;
    for (std::int64_t x = 1; x <= 19; ++x) {
        sizes.push_back(x);
        steady.push_back(static_cast<double>(x) / 4);
        swinging.push_back(static_cast<double>(x) / (x % 2 == 0 ? 8 : 2));
    }
    std::vector<double> averaged;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        double work = 0;
        double seconds = 0;
        for (auto near = k == 0 ? 0 : k - 1; near < std::min(k + 2, sizes.size()); ++near) {
            work += static_cast<double>(sizes[near]);
            seconds += swinging[near];
        }
        averaged.push_back(static_cast<double>(sizes[k]) * (seconds / work));
    }
    jagged.set_time_function(0, sizes, steady);
    jagged.set_time_function(1, sizes, swinging);
    smooth.set_time_function(0, sizes, steady);
    smooth.set_time_function(1, sizes, averaged);
    bool differs = false;
    for (std::int64_t n = 1; n <= 38; ++n) {
        EXPECT_EQ(by(jagged, n, "smooth-fpm"), by(smooth, n, "fpm")) << n;
        differs = differs || by(jagged, n, "smooth-fpm") != by(jagged, n, "fpm");
    }
    EXPECT_TRUE(differs);
}

TEST(Baselines, CompareGivesTheOptimum)
{
    auto control = checks::usual_control();
    Platform platform(2);
    platform.set_time_function(0, Sizes{2, 4, 6}, std::vector{3.0, 1.0, 2.0});
    platform.set_time_function(1, Sizes{2, 4, 6}, std::vector{2.0, 4.0, 9.0});
    hpart::PartitionRequest request{Objective::time, 8, "equal"};
    request.options.set_text("compare", "exact");
    const auto found = hpart::partition(platform, request, control);
    EXPECT_EQ(found.seconds, 4);
    EXPECT_EQ(std::get<double>(found.report.get("exact_value")), 2);
    EXPECT_EQ(std::get<double>(found.report.get("excess")), 1);
    EXPECT_EQ(std::get<double>(found.report.get("gap")), 2);
    request.method = "exact";
    EXPECT_EQ(std::get<double>(hpart::partition(platform, request, control).report.get("excess")), 0);
    request.size = 0;
    request.method = "cpm";
    EXPECT_EQ(std::get<double>(hpart::partition(platform, request, control).report.get("exact_value")), 0);
}

TEST(Baselines, ProcessorsOfZeroTimeShareEqually)
{
    Platform platform(3);
    platform.set_time_function(0, Sizes{1, 2, 3, 4}, std::vector{0.0, 0.0, 0.0, 0.0});
    platform.set_time_function(1, Sizes{1, 2, 3, 4}, std::vector{0.0, 0.0, 0.0, 0.0});
    platform.set_time_function(2, Sizes{1, 2, 3, 4}, std::vector{1.0, 1.0, 1.0, 1.0});
    EXPECT_EQ(by(platform, 6, "cpm"), (Sizes{3, 3, 0}));
}

TEST(Baselines, NearestDistributionToTheShares)
{
    instances::Random random(12);
    const auto count = instances::how_many(200'000, 0.02);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto platform = instances::any_platform(random, {4, 6});
        const auto n = instances::between(random, 1, instances::largest_sum(platform) + 1);
        const std::vector<double> shares(static_cast<std::size_t>(platform.count()),
                                         static_cast<double>(n) / static_cast<double>(platform.count()));
        const auto expected = reference::least_distance(platform, n, shares);
        if (expected < 0) continue;
        const auto x = by(platform, n, "equal");
        double distance = 0;
        for (std::size_t i = 0; i < x.size(); ++i) distance += std::abs(static_cast<double>(x[i]) - shares[i]);
        ASSERT_EQ(distance, expected) << instances::describe(platform, n);
    }
}

// Any input gives a distribution of the size, and no baseline claims to beat the optimum.
TEST(Baselines, AlwaysGiveADistribution)
{
    instances::Random random(13);
    const auto count = instances::how_many(200'000, 0.02);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, {6, 12});
        const auto n = instances::between(random, 0, instances::largest_sum(platform));
        for (const auto objective : {Objective::time, Objective::energy, Objective::total_energy}) {
            const auto value = [&](const hpart::Distribution &found) {
                return objective == Objective::time ? found.seconds : found.joules;
            };
            double least = 0;
            try {
                least = value(checks::solve(platform, objective, n));
            } catch (const hpart::Error &) {
                continue; // infeasible
            }
            for (const auto *method : {"equal", "cpm", "fpm", "smooth-fpm", "balanced"}) {
                const auto found = checks::solve(platform, objective, n, Ties::deterministic, method);
                ASSERT_TRUE(checks::is_distribution(platform, objective, n, found))
                    << method << instances::describe(platform, n);
                ASSERT_GE(value(found), least) << method << instances::describe(platform, n);
                const auto bound = std::get<double>(found.report.get("lower_bound"));
                ASSERT_LE(bound, least) << method << instances::describe(platform, n);
                ASSERT_EQ(std::get<std::int64_t>(found.report.get("optimal")), value(found) <= bound ? 1 : 0);
            }
        }
    }
}

} // namespace
