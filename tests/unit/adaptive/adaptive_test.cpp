// The rules one by one.
#include "adaptive/adaptive.hpp"

#include "core/numbers.hpp"
#include "core/options.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace hpart;

namespace
{

using hpart::infinity;

using Sizes = std::vector<std::int64_t>;

// An iteration of processors of constant speed.
void iterate(Adaptive &adaptive, const std::vector<double> &speeds)
{
    std::vector<double> seconds;
    const auto x = adaptive.distribution();
    for (std::size_t i = 0; i < x.size(); ++i) seconds.push_back(static_cast<double>(x[i]) / speeds[i]);
    adaptive.update(x, seconds);
}

void failure_of(const std::function<void()> &call, Status status) { support::expect_error(status, {}, call); }

TEST(Adaptive, ConstantSpeedsAreBalancedAfterOneIteration)
{
    Adaptive adaptive(3, 600, {});
    EXPECT_EQ(adaptive.distribution(), (Sizes{200, 200, 200}));
    EXPECT_FALSE(adaptive.converged());
    iterate(adaptive, {1, 2, 3});
    EXPECT_FALSE(adaptive.converged());
    iterate(adaptive, {1, 2, 3});
    EXPECT_TRUE(adaptive.converged());
    EXPECT_NEAR(static_cast<double>(adaptive.distribution()[0]), 100, 5);
}

TEST(Adaptive, WhatIsGoodEnoughIsNotMoved)
{
    const AdaptiveSettings settings{.from = {102, 98}};
    Adaptive adaptive(2, 200, settings);
    for (int k = 0; k < 20; ++k) iterate(adaptive, {1, 1});
    EXPECT_EQ(adaptive.distribution(), settings.from);
    EXPECT_TRUE(adaptive.converged());
}

TEST(Adaptive, OneSpikeMovesNothingAndAChangeOfSpeedDoes)
{
    Adaptive adaptive(2, 200, {});
    for (int k = 0; k < 5; ++k) iterate(adaptive, {1, 1});
    iterate(adaptive, {0.1, 1});
    EXPECT_EQ(adaptive.distribution(), (Sizes{100, 100}));
    for (int k = 0; k < 5; ++k) iterate(adaptive, {1, 1});
    EXPECT_EQ(adaptive.distribution(), (Sizes{100, 100}));
    iterate(adaptive, {0.25, 1});
    iterate(adaptive, {0.25, 1});
    EXPECT_NEAR(static_cast<double>(adaptive.distribution()[0]), 40, 3);
    EXPECT_EQ(std::get<std::int64_t>(adaptive.report().get("changes")), 1);
}

// A caller may report a huge time of a processor that stopped.
TEST(Adaptive, HugeTimesPass)
{
    for (const double huge : {1e100, 1e160, 1e200, std::numeric_limits<double>::max()})
        for (std::int64_t size = 40; size < 80; size += 7) {
            Adaptive adaptive(2, size, {});
            std::mt19937_64 random(static_cast<std::uint64_t>(size));
            for (int k = 0; k < 60; ++k) {
                const auto x = adaptive.distribution();
                ASSERT_EQ(x[0] + x[1], size);
                const double factor = std::uniform_real_distribution<>(0.7, 1.4)(random);
                std::vector<double> seconds{static_cast<double>(x[0]) / 2 * factor, static_cast<double>(x[1]) / 3};
                if (k == 2 || k == 3) seconds[static_cast<std::size_t>(size % 2)] = huge;
                adaptive.update(x, seconds);
            }
        }
}

// Scales of a processor whose times are huge and tiny in turn leave the range of double.
TEST(Adaptive, HugeAndTinyTimesInTurn)
{
    const std::vector<std::vector<double>> script{{1e300, 0}, {1, 1e300}, {1e300, 0},     {1e300, 1}, {1e300, 1e300},
                                                  {0, 0},     {1e300, 0}, {1e300, 1e300}, {0, 1e300}};
    for (const std::int64_t size : {20, 1984783}) {
        Adaptive adaptive(2, size, {});
        for (int round = 0; round < 5; ++round)
            for (const auto &seconds : script) {
                const auto x = adaptive.distribution();
                ASSERT_EQ(x[0] + x[1], size);
                adaptive.update(x, seconds);
                ASSERT_NO_THROW(adaptive.functions());
            }
    }
}

// Unrelated times of sizes near the largest, whose exact partitions would take minutes.
TEST(Adaptive, UpdatesOfHugeSizesEnd)
{
    auto random = support::seeded(51);
    for (std::int64_t k = 0; k < support::how_many(0.002); ++k) {
        const auto processors = support::between(random, 2, 11);
        const auto size = support::between(random, 1'000'000'000, std::int64_t{1} << 53);
        Adaptive adaptive(processors, size, {});
        for (int iteration = 0; iteration < 30; ++iteration) {
            const auto x = adaptive.distribution();
            ASSERT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), size);
            std::vector<double> seconds;
            for (std::int64_t i = 0; i < processors; ++i)
                seconds.push_back(std::uniform_real_distribution<>(1, 10)(random));
            adaptive.update(x, seconds);
        }
    }
}

TEST(Adaptive, AnyCostOfMovesIsPossible)
{
    for (const char *cost : {"1e100", "1e290", "1.7976931348623157e308"}) {
        Options options;
        options.set_text("move_cost", cost);
        Adaptive adaptive(2, 160, AdaptiveSettings::from_options(options));
        std::mt19937_64 random(7);
        for (int k = 0; k < 100; ++k) { // jagged times, and sizes of the caller's choice at first
            const auto x = k < 10 ? Sizes{20 + 10 * k, 140 - 10 * k} : adaptive.distribution();
            std::vector<double> seconds;
            for (const auto part : x)
                seconds.push_back(static_cast<double>(part) * std::uniform_real_distribution<>(0.7, 1.4)(random));
            adaptive.update(x, seconds);
        }
    }
}

TEST(Adaptive, AMoveMustPay)
{
    AdaptiveSettings settings;
    settings.move_cost = 10;
    settings.horizon = 1;
    Adaptive dear(2, 300, settings);
    for (int k = 0; k < 10; ++k) iterate(dear, {1, 2});
    EXPECT_EQ(dear.distribution(), (Sizes{150, 150}));
    EXPECT_TRUE(dear.converged());
    settings.horizon = 1000;
    Adaptive worth(2, 300, settings);
    for (int k = 0; k < 10; ++k) iterate(worth, {1, 2});
    EXPECT_NEAR(static_cast<double>(worth.distribution()[0]), 100, 5);
}

TEST(Adaptive, AProcessorThatStopsGetsNothingUntilItsLimitsAreSet)
{
    Adaptive adaptive(3, 300, {});
    adaptive.update(adaptive.distribution(), std::vector{100.0, infinity, 100.0});
    EXPECT_EQ(adaptive.distribution(), (Sizes{150, 0, 150}));
    for (int k = 0; k < 5; ++k) iterate(adaptive, {1, 1, 1});
    EXPECT_EQ(adaptive.distribution(), (Sizes{150, 0, 150}));
    EXPECT_EQ(adaptive.functions().points(1).count(), 0U);
    adaptive.set_limits(1, 0, 300);
    for (int k = 0; k < 5; ++k) iterate(adaptive, {1, 1, 1});
    EXPECT_NEAR(static_cast<double>(adaptive.distribution()[1]), 100, 6);
    adaptive.set_limits(1, 0, 20);
    EXPECT_EQ(adaptive.distribution()[1], 20);
}

TEST(Adaptive, FailuresChangeNothing)
{
    Adaptive adaptive(2, 100, {});
    adaptive.set_limits(0, 0, 60);
    const auto before = adaptive.distribution();
    failure_of([&] { adaptive.update(before, std::vector{1.0, infinity}); }, Status::infeasible);
    failure_of([&] { adaptive.set_limits(1, 0, 30); }, Status::infeasible);
    failure_of([&] { adaptive.set_limits(1, 101, 200); }, Status::infeasible);
    failure_of([&] { adaptive.set_limits(2, 0, 30); }, Status::invalid_argument);
    failure_of([&] { adaptive.set_limits(1, -1, 30); }, Status::invalid_argument);
    failure_of([&] { adaptive.set_limits(1, 5, 4); }, Status::invalid_argument);
    failure_of([&] { adaptive.update(before, std::vector{1.0, -1.0}); }, Status::invalid_argument);
    failure_of([&] { adaptive.update(before, std::vector{1.0, std::nan("")}); }, Status::invalid_argument);
    failure_of([&] { adaptive.update(Sizes{50, 49}, std::vector{1.0, 1.0}); }, Status::invalid_argument);
    failure_of([&] { adaptive.update(Sizes{50, 51}, std::vector{1.0, 1.0}); }, Status::invalid_argument);
    failure_of([&] { adaptive.update(Sizes{-1, 101}, std::vector{1.0, 1.0}); }, Status::invalid_argument);
    EXPECT_EQ(adaptive.distribution(), before);
    EXPECT_EQ(std::get<std::int64_t>(adaptive.report().get("iterations")), 0);
}

TEST(Adaptive, SizesThatCannotBe)
{
    failure_of([] { Adaptive(0, 1, {}); }, Status::invalid_argument);
    failure_of([] { Adaptive(1, -1, {}); }, Status::invalid_argument);
    failure_of([] { Adaptive(1, (std::int64_t{1} << 53) + 1, {}); }, Status::invalid_argument);
    failure_of([] { Adaptive(std::int64_t{1} << 40, std::int64_t{1} << 40, {}); }, Status::invalid_argument);
    AdaptiveSettings settings;
    for (const auto &from : {Sizes{5, 6}, Sizes{5, 4}, Sizes{10}}) {
        settings.from = from;
        failure_of([&] { Adaptive(2, 10, settings); }, Status::invalid_argument);
    }
}

TEST(Adaptive, NothingToDoAndOneProcessor)
{
    Adaptive nothing(2, 0, {});
    nothing.update(Sizes{0, 0}, std::vector{std::nan(""), 0.0});
    EXPECT_TRUE(nothing.converged());
    Adaptive alone(1, 7, {});
    alone.update(Sizes{7}, std::vector{0.0}); // the clock is coarse
    EXPECT_EQ(alone.distribution(), Sizes{7});
    EXPECT_TRUE(alone.converged());
}

TEST(Adaptive, MoreProcessorsThanWork)
{
    Adaptive adaptive(8, 3, {});
    for (int k = 0; k < 20; ++k) iterate(adaptive, {1, 1, 1, 1, 1, 1, 1, 1});
    EXPECT_TRUE(adaptive.converged());
}

// Equal units on constant speeds: one after another to the processor that ends it first is optimal.
double least_seconds_of(const std::vector<double> &speeds, std::int64_t size)
{
    std::vector<std::int64_t> x(speeds.size(), 0);
    double seconds = 0;
    for (std::int64_t unit = 0; unit < size; ++unit) {
        std::size_t best = 0;
        const auto end = [&](std::size_t i) { return static_cast<double>(x[i] + 1) / speeds[i]; };
        for (std::size_t i = 1; i < speeds.size(); ++i)
            if (end(i) < end(best)) best = i;
        seconds = std::max(seconds, end(best));
        ++x[best];
    }
    return seconds;
}

TEST(Adaptive, ProcessorsThatDidNotRunAreTried)
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> any_speed(1, 20);
    for (int round = 0; round < 200; ++round) {
        std::vector<double> speeds(2 + random() % 11);
        for (auto &speed : speeds) speed = any_speed(random);
        const auto processors = static_cast<std::int64_t>(speeds.size());
        const auto size = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(processors));
        Adaptive adaptive(processors, size, {});
        for (std::int64_t k = 0; k < processors + 6; ++k) iterate(adaptive, speeds);
        ASSERT_TRUE(adaptive.converged());
        double seconds = 0;
        for (std::size_t i = 0; i < speeds.size(); ++i)
            seconds = std::max(seconds, static_cast<double>(adaptive.distribution()[i]) / speeds[i]);
        ASSERT_LE(seconds, 1.05 * least_seconds_of(speeds, size)) << processors << " processors, size " << size;
    }
}

TEST(Adaptive, ATrialMustPay)
{
    const AdaptiveSettings settings{.move_cost = 1000, .from = {1, 0}};
    Adaptive adaptive(2, 1, settings);
    for (int k = 0; k < 10; ++k) iterate(adaptive, {1, 20});
    EXPECT_EQ(adaptive.distribution(), (Sizes{1, 0}));
    EXPECT_TRUE(adaptive.converged());
}

TEST(Adaptive, SizesAsRunMayDifferFromThoseGiven)
{
    Adaptive adaptive(2, 100, {});
    adaptive.update(Sizes{60, 40}, std::vector{6.0, 4.0});
    EXPECT_EQ(adaptive.distribution(), (Sizes{51, 49}));
    const auto functions = adaptive.functions();
    EXPECT_EQ(functions.points(0).sizes, Sizes{60});
    EXPECT_EQ(functions.points(1).seconds, std::vector{4.0});
}

} // namespace
