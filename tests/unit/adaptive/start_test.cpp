// Another size between iterations, and a start from functions that are known.
#include "simulation.hpp"

#include "core/error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace hpart;
using namespace simulation;
using support::between;
using support::seeded;

namespace
{

using Sizes = std::vector<std::int64_t>;

void expect_feasible(const Adaptive &adaptive, std::int64_t size, const std::vector<SizeBounds> &bounds)
{
    const auto &x = adaptive.distribution();
    ASSERT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), size);
    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_GE(x[i], bounds[i].smallest);
        ASSERT_LE(x[i], bounds[i].largest);
    }
}

std::int64_t sum_of(const std::vector<SizeBounds> &bounds, std::int64_t SizeBounds::*end, std::int64_t most)
{
    std::int64_t sum = 0;
    for (const auto &each : bounds) sum += std::min(each.*end, most);
    return sum;
}

TEST(AnotherSize, SumsAndLimitsAreKeptWhateverHappens)
{
    auto random = seeded(31);
    for (std::int64_t k = 0; k < applications(0.01); ++k) {
        const auto processors = between(random, 1, 6);
        const auto times = any_times(random, processors, 400, 0.2);
        auto size = between(random, 0, 200);
        Adaptive adaptive(processors, size, {});
        std::vector<SizeBounds> bounds(times.size(), {0, 400});
        for (int step = 0; step < 40; ++step) {
            if (between(random, 0, 3) == 0) {
                const auto i = static_cast<std::size_t>(between(random, 0, processors - 1));
                auto next = bounds;
                next[i].smallest = between(random, 0, 20);
                next[i].largest = next[i].smallest + between(random, 0, 300);
                const auto wanted = between(random, 0, 400);
                try {
                    adaptive.set_limits(static_cast<std::int64_t>(i), next[i].smallest, next[i].largest);
                    bounds = next;
                } catch (const Error &error) {
                    ASSERT_EQ(error.status(), Status::infeasible);
                }
                const bool is_feasible = sum_of(bounds, &SizeBounds::smallest, 400) <= wanted &&
                                         sum_of(bounds, &SizeBounds::largest, wanted) >= wanted;
                try {
                    adaptive.set_size(wanted);
                    ASSERT_TRUE(is_feasible);
                    size = wanted;
                } catch (const Error &error) {
                    ASSERT_EQ(error.status(), Status::infeasible);
                    ASSERT_FALSE(is_feasible);
                }
            }
            expect_feasible(adaptive, size, bounds);
            const auto x = adaptive.distribution();
            adaptive.update(x, run(times, x, random, 0.02));
        }
    }
}

TEST(AnotherSize, WhatWasLearnedIsKept)
{
    auto random = seeded(32);
    const auto instances = applications(0.015);
    int far = 0, bad = 0;
    for (std::int64_t k = 0; k < instances; ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 60, 240);
        const auto times = any_times(random, processors, 300, 0);
        Adaptive adaptive(processors, size, {});
        adapt(adaptive, times, random, 0.01, 25);
        const auto other =
            std::clamp(size + between(random, -size / 10, size / 10), std::int64_t{60}, std::int64_t{260});
        adaptive.set_size(other);
        const double least = least_time(times, other);
        far += time_of(times, adaptive.distribution()) > 1.2 * least ? 1 : 0; // a steep fall was not seen yet
        adapt(adaptive, times, random, 0.01, 20);
        bad += time_of(times, adaptive.distribution()) > 1.15 * least ? 1 : 0;
    }
    EXPECT_LE(far, support::most_events(0.02, instances));
    EXPECT_LE(bad, support::most_events(0.005, instances));
}

TEST(AnotherSize, SharesStayWhileNothingIsKnown)
{
    const AdaptiveSettings settings{.from = {10, 30, 60}};
    Adaptive adaptive(3, 100, settings);
    adaptive.set_size(1000000);
    EXPECT_EQ(adaptive.distribution(), (Sizes{100000, 300000, 600000}));
    adaptive.set_size(std::int64_t{1} << 53);
    EXPECT_EQ(adaptive.distribution()[0] + adaptive.distribution()[1] + adaptive.distribution()[2],
              std::int64_t{1} << 53);
    adaptive.set_size(0);
    EXPECT_EQ(adaptive.distribution(), (Sizes{0, 0, 0}));
    adaptive.set_size(9);
    EXPECT_EQ(adaptive.distribution(), (Sizes{3, 3, 3}));
}

Platform platform_of(const Times &times, std::int64_t step)
{
    Platform platform(static_cast<std::int64_t>(times.size()));
    for (std::size_t i = 0; i < times.size(); ++i) {
        Sizes sizes;
        std::vector<double> seconds;
        for (auto x = step; x < static_cast<std::int64_t>(times[i].size()); x += step) {
            sizes.push_back(x);
            seconds.push_back(times[i][static_cast<std::size_t>(x)]);
        }
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, seconds);
    }
    return platform;
}

TEST(WarmStart, FullFunctionsGiveTheOptimumAtOnceAndItStays)
{
    auto random = seeded(33);
    for (std::int64_t k = 0; k < applications(0.012); ++k) {
        const auto processors = between(random, 1, 8), size = between(random, 20, 240);
        const auto times = any_times(random, processors, size, k % 2 == 0 ? 0.3 : 0);
        Adaptive adaptive(processors, size, {});
        adaptive.start_from(platform_of(times, 1));
        const double least = least_time(times, size);
        EXPECT_DOUBLE_EQ(time_of(times, adaptive.distribution()), least);
        adapt(adaptive, times, random, 0.01, 30);
        EXPECT_LE(time_of(times, adaptive.distribution()), 1.1 * least);
    }
}

TEST(WarmStart, CoarseFunctionsAreInterpolated)
{
    auto random = seeded(34);
    const auto instances = applications(0.012);
    int far = 0;
    for (std::int64_t k = 0; k < instances; ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 100, 240);
        const auto times = any_times(random, processors, size, 0);
        Adaptive adaptive(processors, size, {});
        adaptive.start_from(platform_of(times, 7));
        const double least = least_time(times, size);
        far += time_of(times, adaptive.distribution()) > 1.35 * least ? 1 : 0; // overheads are below the first point
        adapt(adaptive, times, random, 0.01, 20);
        EXPECT_LE(time_of(times, adaptive.distribution()), 1.15 * least);
    }
    EXPECT_LE(far, support::most_events(0.33, instances));
}

TEST(WarmStart, ANextRunBeginsWhereTheLastOneEnded)
{
    auto random = seeded(35);
    const auto instances = applications(0.01);
    int far = 0;
    for (std::int64_t k = 0; k < instances; ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 20, 240);
        const auto times = any_times(random, processors, size, 0.1);
        Adaptive first(processors, size, {}), next(processors, size, {});
        adapt(first, times, random, 0.01, 60);
        next.start_from(first.functions());
        const double reached = time_of(times, first.distribution());
        far += time_of(times, next.distribution()) > 1.02 * reached ? 1 : 0;
        next.set_limits(0, 0, size / 2);
        next.set_size(size / 2);
        EXPECT_EQ(std::accumulate(next.distribution().begin(), next.distribution().end(), std::int64_t{0}), size / 2);
    }
    EXPECT_LE(far, support::most_events(0.02, instances));
}

TEST(WarmStart, FunctionsOfAnotherSpeedAreSeenThrough)
{
    auto random = seeded(36);
    for (std::int64_t k = 0; k < applications(0.012); ++k) {
        const auto processors = between(random, 2, 8), size = between(random, 40, 240);
        auto times = any_times(random, processors, size, 0);
        Adaptive adaptive(processors, size, {});
        adaptive.start_from(platform_of(times, 1));
        auto i = static_cast<std::size_t>(between(random, 0, processors - 1));
        while (adaptive.distribution()[i] == 0) i = (i + 1) % times.size();
        for (auto &seconds : times[i]) seconds *= 2;
        adapt(adaptive, times, random, 0.01, 20);
        EXPECT_LE(time_of(times, adaptive.distribution()), 1.15 * least_time(times, size));
    }
}

TEST(WarmStart, KeepsSmallestSizes)
{
    Platform platform(2);
    platform.set_time_function(0, Sizes{1, 5, 9}, std::vector{1.0, 2.0, 3.0});
    platform.set_time_function(1, Sizes{1, 5, 9}, std::vector{9.0, 9.0, 9.0});
    Adaptive adaptive(2, 9, {});
    adaptive.start_from(platform);
    EXPECT_EQ(adaptive.distribution(), (Sizes{9, 0}));
    adaptive.set_limits(1, 2, 9);
    EXPECT_EQ(adaptive.distribution()[1], 2);
    adaptive.start_from(platform);
    EXPECT_EQ(adaptive.distribution(), (Sizes{7, 2}));
}

} // namespace
