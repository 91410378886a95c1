// Levelling and the least move against all distributions of small sizes.
#include "adaptive/trials.hpp"

#include "adaptive/partial_function.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>

using namespace hpart;
using support::between;
using support::how_many;
using support::Random;
using support::seeded;

namespace
{

MonotoneCurve any_curve(Random &random)
{
    std::vector<Knot> knots;
    std::int64_t size = 0;
    double seconds = 0;
    for (auto k = between(random, 1, 4); k > 0; --k) {
        size += between(random, 1, 4);
        seconds += static_cast<double>(between(random, knots.empty() ? 1 : 0, 5));
        knots.push_back({size, seconds});
    }
    return MonotoneCurve(knots);
}

void for_each_distribution(const std::vector<SizeBounds> &bounds, std::int64_t size,
                           const std::function<void(const std::vector<std::int64_t> &)> &look)
{
    std::vector<std::int64_t> x(bounds.size());
    const std::function<void(std::size_t, std::int64_t)> fill = [&](std::size_t i, std::int64_t rest) {
        if (i + 1 == bounds.size()) {
            x[i] = rest;
            if (rest >= bounds[i].smallest && rest <= bounds[i].largest) look(x);
            return;
        }
        for (x[i] = bounds[i].smallest; x[i] <= std::min(rest, bounds[i].largest); ++x[i]) fill(i + 1, rest - x[i]);
    };
    fill(0, size);
}

TEST(Levelling, FindsTheLeastTimeAndTheLeastMove)
{
    auto random = seeded(21);
    for (std::int64_t k = 0; k < how_many(0.5); ++k) {
        const auto processors = static_cast<std::size_t>(between(random, 1, 4));
        std::vector<MonotoneCurve> curves;
        std::vector<SizeBounds> bounds;
        std::int64_t least_sum = 0, most_sum = 0;
        for (std::size_t i = 0; i < processors; ++i) {
            curves.push_back(any_curve(random));
            const auto smallest = between(random, 0, 2);
            bounds.push_back({smallest, smallest + between(random, 0, 10)});
            least_sum += bounds[i].smallest;
            most_sum += bounds[i].largest;
        }
        const auto size = between(random, least_sum, most_sum);
        const auto found = level(curves, bounds, size);
        ASSERT_EQ(std::accumulate(found.begin(), found.end(), std::int64_t{0}), size);
        std::vector<std::int64_t> current;
        double least = std::numeric_limits<double>::infinity();
        for_each_distribution(bounds, size, [&](const auto &x) {
            least = std::min(least, seconds_of(curves, x));
            if (current.empty() || between(random, 0, 20) == 0) current = x;
        });
        EXPECT_DOUBLE_EQ(seconds_of(curves, found), least);
        const double allowed = least * (1 + 0.5 * static_cast<double>(between(random, 0, 2)));
        auto least_moved = std::numeric_limits<std::int64_t>::max();
        for_each_distribution(bounds, size, [&](const auto &x) {
            if (seconds_of(curves, x) <= allowed) least_moved = std::min(least_moved, moved_between(current, x));
        });
        const auto moved = move_least(curves, bounds, allowed, current, size);
        ASSERT_EQ(std::accumulate(moved.begin(), moved.end(), std::int64_t{0}), size);
        EXPECT_LE(seconds_of(curves, moved), allowed);
        EXPECT_EQ(moved_between(current, moved), least_moved);
        for (std::size_t i = 0; i < processors; ++i) {
            EXPECT_GE(moved[i], bounds[i].smallest);
            EXPECT_LE(moved[i], bounds[i].largest);
        }
    }
}

TEST(Levelling, LargeSizesAndUnlikeSpeeds)
{
    constexpr std::int64_t size = std::int64_t{1} << 53;
    const std::vector<MonotoneCurve> curves{MonotoneCurve::of_speed(1e12), MonotoneCurve::of_speed(3e12),
                                            MonotoneCurve::of_speed(1)};
    const auto x = level(curves, {{0, size}, {0, size}, {0, size}}, size);
    EXPECT_EQ(x[0] + x[1] + x[2], size);
    EXPECT_NEAR(static_cast<double>(x[1]) / static_cast<double>(x[0]), 3, 1e-6);
}

TEST(MonotoneCurve, TheLargestSizeWithinATimeIsTheLargest)
{
    auto random = seeded(22);
    for (int k = 0; k < 2000; ++k) {
        const auto curve = any_curve(random);
        const auto most = between(random, 0, 30);
        const double seconds = 0.25 * static_cast<double>(between(random, 0, 80));
        std::int64_t largest = 0;
        for (std::int64_t size = 1; size <= most; ++size)
            if (curve.seconds(size) <= seconds) largest = size;
        EXPECT_EQ(curve.largest_within(seconds, most), largest);
    }
}

// Times that differ by a rounding make stairs whose steps are a good part of the sizes wide.
TEST(MonotoneCurve, StairsOfRoundingAreNotClimbedStepByStep)
{
    constexpr std::int64_t n = std::int64_t{1} << 52;
    const MonotoneCurve stairs({{n / 4, 0.3}, {n / 2, 0.1 + 0.2}});
    for (const double seconds : {0.2, 0.3, 0.1 + 0.2, 0.4}) {
        const auto size = stairs.largest_within(seconds, n);
        EXPECT_LE(stairs.seconds(size), seconds);
        EXPECT_TRUE(size == n || stairs.seconds(size + 1) > seconds);
    }
}

TEST(Levelling, TimesNearTheLargestNumber)
{
    const std::vector<MonotoneCurve> curves = {MonotoneCurve({{1, 1.7e308}}), MonotoneCurve({{99, 1.0}})};
    const auto x = level(curves, {{0, 100}, {0, 100}}, 100);
    EXPECT_EQ(x[0] + x[1], 100);
    EXPECT_EQ(x[1], 100);
}

TEST(PartialFunction, OlderTimesGiveWayWhereLargerSizesAreFaster)
{
    PartialFunction function;
    function.add(10, 4, 1);
    function.add(20, 2, 41);
    const auto curve = function.curve(41);
    EXPECT_NEAR(curve.seconds(20), 2, 0.1);
    EXPECT_EQ(curve.seconds(10), curve.seconds(20));
    EXPECT_DOUBLE_EQ(curve.seconds(40), 2 * curve.seconds(20));
}

TEST(MonotoneCurve, FixedCostsAreKnownFromSizesThatDifferEnough)
{
    // Times may be off by a tenth: 9 - 10 * (11 - 9) / 990.
    const MonotoneCurve with_cost({{10, 10}, {1000, 10}});
    const double fixed = 9 - 2.0 / 99;
    EXPECT_DOUBLE_EQ(with_cost.seconds(5), (fixed + 10) / 2);
    EXPECT_EQ(with_cost.seconds(0), 0);
    EXPECT_EQ(with_cost.largest_within(fixed, 2000), 0);
    EXPECT_EQ(with_cost.largest_within((fixed + 10) / 2 + 1e-9, 2000), 5);
    const MonotoneCurve too_near({{10, 4}, {12, 4}});
    EXPECT_DOUBLE_EQ(too_near.seconds(5), 2);
    const MonotoneCurve rising({{10, 4}, {20, 7}});
    EXPECT_DOUBLE_EQ(rising.seconds(5), 2);
}

TEST(PartialFunction, AnotherSpeedScalesWhatIsNoNewer)
{
    PartialFunction function;
    function.add(10, 1, 1);
    function.add(20, 2, 2);
    function.add(30, 9, 3);
    function.rescale(20, 6, 4);
    EXPECT_EQ(function.find(10)->seconds, 3);
    EXPECT_EQ(function.find(20)->seconds, 6);
    EXPECT_EQ(function.find(30)->seconds, 9);
}

} // namespace
