// The baselines: their shares, and the nearest distribution to them.
#include "checks.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "instances.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "reference.hpp"
#include "support/expansion.hpp"
#include "support/random.hpp"

#include <algorithm>
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
    return instances::full_platform(static_cast<std::int64_t>(speeds.size()), points, [&](auto i, auto x) {
        return static_cast<double>(x) / speeds[static_cast<std::size_t>(i)];
    });
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

// The thesis's processors of DGEMM (3.6.2): relative speeds 0.34, 0.59, 0.07 at the first size, 0.27, 0.49, 0.24 at the last.
TEST(Baselines, CpmTakesTheSpeedsAtTheSizeGiven)
{
    const double relative[3][3] = {{0.34, 0.27, 0.27}, {0.59, 0.55, 0.49}, {0.07, 0.18, 0.24}};
    const auto platform = instances::full_platform(
        3, 300, [&](auto i, auto size) { return static_cast<double>(size) / relative[i][(size - 1) / 100]; });
    hpart::PartitionRequest request{Objective::time, 100, "cpm"};
    hpart::Control control;
    const auto x_at = [&](std::int64_t size) {
        request.options.set_int("speed_size", size);
        return hpart::partition(platform, request, control).x;
    };
    EXPECT_EQ(x_at(47), (Sizes{34, 59, 7}));
    EXPECT_EQ(x_at(150), (Sizes{27, 55, 18}));
    EXPECT_EQ(x_at(300), (Sizes{27, 49, 24})) << "a size above the workload";
    EXPECT_EQ(x_at(1000000), x_at(300)) << "the nearest measured";
    EXPECT_EQ(by(platform, 100, "cpm"), x_at(33));
}

TEST(Baselines, FpmFollowsSpeedsThatFall)
{
    // Speed 10 throughout, and 10 up to 10 falling linearly to 1 at 100: 10 at x = 10, 5.5 at 55.
    auto platform = constant_speeds({10, 10}, 200);
    platform.set_time_function(1, Sizes{10, 55, 100}, std::vector{1.0, 10.0, 100.0});
    // Both take 10 s at 100 and 55.
    EXPECT_EQ(by(platform, 155, "fpm"), (Sizes{100, 55}));
}

// The trend line by another way: normal equations in long double, solved by elimination.
std::vector<double> least_squares(const std::vector<double> &x, const std::vector<double> &y, std::size_t degree)
{
    const auto terms = std::min(degree, x.size() - 1) + 1;
    const auto largest = *std::max_element(x.begin(), x.end());
    std::vector<std::vector<long double>> a(terms, std::vector<long double>(terms + 1, 0));
    for (std::size_t k = 0; k < x.size(); ++k)
        for (std::size_t r = 0; r < terms; ++r) {
            const auto power = std::pow(static_cast<long double>(x[k] / largest), static_cast<long double>(r));
            for (std::size_t c = 0; c < terms; ++c)
                a[r][c] += power * std::pow(static_cast<long double>(x[k] / largest), static_cast<long double>(c));
            a[r][terms] += power * y[k];
        }
    for (std::size_t r = 0; r < terms; ++r) {
        const auto pivot = std::max_element(a.begin() + static_cast<std::ptrdiff_t>(r), a.end(),
                                            [&](auto &p, auto &q) { return std::abs(p[r]) < std::abs(q[r]); });
        std::swap(a[r], *pivot);
        for (std::size_t other = 0; other < terms; ++other) {
            if (other == r) continue;
            const auto factor = a[other][r] / a[r][r];
            for (auto c = r; c <= terms; ++c) a[other][c] -= factor * a[r][c];
        }
    }
    std::vector<double> fitted;
    for (const auto each : x) {
        long double sum = 0;
        for (std::size_t r = 0; r < terms; ++r)
            sum +=
                a[r][terms] / a[r][r] * std::pow(static_cast<long double>(each / largest), static_cast<long double>(r));
        fitted.push_back(static_cast<double>(sum));
    }
    return fitted;
}

TEST(Baselines, TrendLineIsTheLeastSquaresPolynomial)
{
    auto random = instances::seeded(311);
    for (int k = 0; k < 2000 && !HasFailure(); ++k) {
        std::vector<double> x;
        std::vector<double> y;
        const auto scale = std::pow(10.0, static_cast<double>(instances::between(random, 0, 9)));
        for (auto left = instances::between(random, 1, 30); left > 0; --left) {
            x.push_back((x.empty() ? 0 : x.back()) + scale * static_cast<double>(instances::between(random, 1, 5)));
            y.push_back(0.01 * static_cast<double>(instances::between(random, 0, 100)));
        }
        const auto degree = instances::between(random, 1, 5);
        const auto fitted = hpart::trend_line(x, y, degree);
        const auto expected = least_squares(x, y, static_cast<std::size_t>(degree));
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(fitted[i], expected[i], 1e-8) << k << ' ' << degree;
    }
    // Sizes that are one double, and more degrees than sizes.
    EXPECT_EQ(hpart::trend_line({5}, {0.25}, 20), std::vector{0.25});
    EXPECT_EQ(hpart::trend_line({0x1p60, 0x1p60}, {0.5, 0.25}, 3), (std::vector{0.375, 0.375}));
}

TEST(Baselines, SmoothFpmIsTheLeastTimeOnTrendLines)
{
    // Constant speeds are smooth already.
    const auto constant = constant_speeds({1, 2, 5}, 20);
    EXPECT_EQ(by(constant, 24, "smooth-fpm"), by(constant, 24, "exact"));
    auto random = instances::seeded(312);
    std::int64_t differ = 0;
    for (int k = 0; k < 300 && !HasFailure(); ++k) {
        Platform jagged(3);
        Platform smooth(3);
        const auto degree = instances::between(random, 1, 4);
        for (std::int64_t i = 0; i < 3; ++i) {
            Sizes sizes;
            std::vector<double> x;
            std::vector<double> speeds;
            std::vector<double> seconds;
            for (std::int64_t size = 1; size <= 20; ++size) {
                sizes.push_back(size);
                x.push_back(static_cast<double>(size));
                speeds.push_back(static_cast<double>(instances::between(random, 1, 20)));
                seconds.push_back(x.back() / speeds.back());
            }
            jagged.set_time_function(i, sizes, seconds);
            const auto fitted = least_squares(x, speeds, static_cast<std::size_t>(degree));
            for (std::size_t j = 0; j < x.size(); ++j) seconds[j] = fitted[j] > 0 ? x[j] / fitted[j] : 1e300;
            smooth.set_time_function(i, sizes, seconds);
        }
        const auto n = instances::between(random, 1, 60);
        hpart::PartitionRequest request{Objective::time, n, "smooth-fpm"};
        request.options.set_int("degree", degree);
        const auto found = checks::partition(jagged, request);
        // On the smooth functions it is the optimum; its time is that of the real ones.
        const auto best = checks::solve(smooth, Objective::time, n);
        double on_smooth = 0;
        double on_real = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto size = found.x[i];
            if (size == 0) continue;
            const auto at = static_cast<std::size_t>(size - 1);
            on_smooth = std::max(on_smooth, smooth.points(static_cast<std::int64_t>(i)).seconds[at]);
            on_real = std::max(on_real, jagged.points(static_cast<std::int64_t>(i)).seconds[at]);
        }
        EXPECT_NEAR(on_smooth, best.seconds, 1e-6 * best.seconds);
        EXPECT_EQ(found.seconds, on_real);
        differ += found.x != by(jagged, n, "exact") ? 1 : 0;
    }
    EXPECT_GT(differ, 100);
}

TEST(Baselines, SmoothFpmTakesPointsWithoutASpeed)
{
    // No time at all, and a line that falls below 0: the last sizes are taken only where nothing else sums to n.
    Platform platform(2);
    platform.set_time_function(0, Sizes{1, 2, 3, 4, 5, 6}, std::vector{0.1, 0.2, 0.3, 40.0, 50.0, 60.0});
    platform.set_time_function(1, Sizes{1, 2}, std::vector{0.0, 0.0});
    EXPECT_EQ(by(platform, 3, "smooth-fpm"), by(platform, 3, "exact"));
    EXPECT_EQ(by(platform, 8, "smooth-fpm"), (Sizes{6, 2}));
    EXPECT_EQ(by(platform, 0, "smooth-fpm"), (Sizes{0, 0}));
}

TEST(Baselines, CompareGivesTheOptimum)
{
    Platform platform(2);
    platform.set_time_function(0, Sizes{2, 4, 6}, std::vector{3.0, 1.0, 2.0});
    platform.set_time_function(1, Sizes{2, 4, 6}, std::vector{2.0, 4.0, 9.0});
    hpart::PartitionRequest request{Objective::time, 8, "equal"};
    request.options.set_text("compare", "exact");
    const auto found = checks::partition(platform, request);
    EXPECT_EQ(found.seconds, 4);
    EXPECT_EQ(std::get<double>(found.report.get("exact_value")), 2);
    EXPECT_EQ(std::get<double>(found.report.get("excess")), 1);
    EXPECT_EQ(std::get<double>(found.report.get("gap")), 2);
    request.method = "exact";
    EXPECT_EQ(std::get<double>(checks::partition(platform, request).report.get("excess")), 0);
    request.size = 0;
    request.method = "cpm";
    EXPECT_EQ(std::get<double>(checks::partition(platform, request).report.get("exact_value")), 0);
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
    instances::for_each_instance(12, 0.02, [](auto &random, auto) {
        const auto platform = instances::any_platform(random, {4, 6});
        const auto n = instances::between(random, 1, instances::largest_sum(platform) + 1);
        const std::vector<double> shares(static_cast<std::size_t>(platform.count()),
                                         static_cast<double>(n) / static_cast<double>(platform.count()));
        const auto expected = reference::least_distance(platform, n, shares);
        if (expected < 0) return;
        const auto x = by(platform, n, "equal");
        support::Expansion distance;
        for (std::size_t i = 0; i < x.size(); ++i) distance.add(std::abs(static_cast<double>(x[i]) - shares[i]));
        ASSERT_EQ(distance.rounded(), expected) << instances::describe(platform, n);
    });
}

// Any input gives a distribution of the size, and no baseline claims to beat the optimum.
TEST(Baselines, AlwaysGiveADistribution)
{
    instances::for_each_instance(13, 0.02, [](auto &random, auto) {
        const auto platform = instances::any_platform(random, {6, 12});
        const auto n = instances::between(random, 0, instances::largest_sum(platform));
        for (const auto objective : {Objective::time, Objective::energy, Objective::total_energy}) {
            const auto value = [&](const hpart::Distribution &found) {
                return objective == Objective::time ? found.seconds : found.joules;
            };
            const auto best = checks::unless_infeasible([&] { return checks::solve(platform, objective, n); });
            if (!best) continue;
            const double least = value(*best);
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
    });
}

} // namespace
