#include "optimum/function_estimate.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hpart::optimum
{
namespace
{

constexpr double one_sided_95 = 1.645;

std::vector<std::int64_t> first_sizes(std::int64_t count)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t x = 1; x <= count; ++x) sizes.push_back(x);
    return sizes;
}

void add(FunctionEstimate &function, std::size_t k, const std::vector<double> &batch) { function.add(k, batch); }

TEST(FunctionEstimate, IsTheMedianThatSpikesDoNotMove)
{
    FunctionEstimate function(first_sizes(3), one_sided_95);
    for (const auto k : {std::size_t{0}, std::size_t{2}}) add(function, k, {2.0, 2.1, 1.9, 2.0});
    add(function, 1, {2.0, 2.1, 9.0, 1.9, 2.0});
    EXPECT_EQ(function.interval(1).value, 2.0);
    EXPECT_LT(function.interval(1).high, 2.5);
    EXPECT_EQ(function.repetitions(1), 5);
}

TEST(FunctionEstimate, TwoRepetitionsMayBothBeTheTrueOne)
{
    FunctionEstimate function(first_sizes(3), one_sided_95);
    add(function, 0, {1.0, 1.0, 1.0, 1.0}); // the deviation is 0
    add(function, 1, {2.0, 3.0});
    EXPECT_LE(function.interval(1).low, 2.0);
    EXPECT_GE(function.interval(1).high, 3.0);
}

TEST(FunctionEstimate, RoundedValuesWidenTheInterval)
{
    FunctionEstimate function(first_sizes(4), one_sided_95);
    add(function, 0, {0.04, 0.04, 0.04});
    EXPECT_NEAR(function.interval(0).low, 0.035, 1e-12);
    EXPECT_NEAR(function.interval(0).high, 0.045, 1e-12);
    add(function, 1, {0.0, 0.0}); // its step is that of the others
    EXPECT_EQ(function.interval(1).low, 0);
    EXPECT_NEAR(function.interval(1).high, 0.005, 1e-12);
    add(function, 2, {0.0825, 0.0825, 0.0825}); // the digits of one size show those of all
    EXPECT_NEAR(function.interval(0).high, 0.04005, 1e-12);
}

TEST(FunctionEstimate, TwoBatchesThatDifferWidenTheInterval)
{
    FunctionEstimate function(first_sizes(1), one_sided_95);
    add(function, 0, {1.0, 1.0, 1.0});
    add(function, 0, {1.3, 1.3, 1.3});
    EXPECT_LE(function.interval(0).low, 1.0);
    EXPECT_GE(function.interval(0).high, 1.3);
    for (int batch = 0; batch < 3; ++batch) {
        EXPECT_GE(function.interval(0).high, 1.3) << batch;
        add(function, 0, {1.0, 1.0, 1.0});
    }
    EXPECT_LT(function.interval(0).high, 1.3) << "3 of 15 were disturbed";
}

TEST(FunctionEstimate, MostOfAFewRepetitionsMayBeSpikes)
{
    FunctionEstimate function(first_sizes(2), one_sided_95);
    add(function, 0, {1.0, 1.0, 1.0, 1.0});
    add(function, 1, {3.0, 2.0, 3.0});
    EXPECT_EQ(function.interval(1).value, 3.0);
    EXPECT_LE(function.interval(1).low, 2.0);
}

// A burst of another program that outlasts a batch shows only beside a later batch. Sizes that were measured once may be such.
TEST(FunctionEstimate, BatchesThatDifferMakeOtherSizesUncertain)
{
    FunctionEstimate function(first_sizes(4), one_sided_95);
    const auto burst = [&](std::size_t k) {
        add(function, k, {1.0, 1.01});
        add(function, k, {1.4, 1.41});
    };
    add(function, 3, {1.0, 1.01});
    const auto low = function.interval(3).low;
    burst(0);
    EXPECT_NEAR(function.interval(3).low, low, 0.02) << "one may be a spike";
    burst(1);
    EXPECT_LT(function.interval(3).low, 1 / 1.35);
    add(function, 3, {1.0, 1.01});
    EXPECT_NEAR(function.interval(3).low, low, 0.02) << "two batches agree";
}

TEST(FunctionEstimate, IntervalsHoldTheTrueTimeAsOftenAsTheySay)
{
    auto random = support::seeded(71);
    const auto runs = support::how_many(5);
    std::int64_t below = 0, above = 0;
    for (std::int64_t run = 0; run < runs; ++run) {
        FunctionEstimate function(first_sizes(8), one_sided_95);
        for (std::size_t k = 0; k < 8; ++k) {
            std::vector<double> batch;
            for (int r = 0; r < 12; ++r) batch.push_back(1 + 0.05 * std::normal_distribution()(random));
            function.add(k, batch);
        }
        below += function.interval(3).low <= 1 ? 1 : 0;
        above += function.interval(3).high >= 1 ? 1 : 0;
    }
    EXPECT_GT(static_cast<double>(below), 0.93 * static_cast<double>(runs));
    EXPECT_GT(static_cast<double>(above), 0.93 * static_cast<double>(runs));
    EXPECT_LT(static_cast<double>(below), 0.995 * static_cast<double>(runs)) << "wider than needed";
}

// The median of two speeds is one of them, or anything in between. Of 8 values, 1 at either end is left out, and 4 of 14.
TEST(FunctionEstimate, IntervalsReachOverTwoSpeeds)
{
    for (const auto &[fast, slow] : {std::pair(6, 2), std::pair(2, 6), std::pair(9, 5), std::pair(40, 30)}) {
        FunctionEstimate function(first_sizes(2), one_sided_95, false);
        for (int r = 0; r < 4; ++r) add(function, 1, {1.0, 1.0, 1.0}); // the deviation is 0
        for (int r = 0; r < fast; ++r) add(function, 0, {1.0});
        for (int r = 0; r < slow; ++r) add(function, 0, {60.0});
        EXPECT_EQ(function.interval(0).low, 1) << fast;
        EXPECT_EQ(function.interval(0).high, 60) << fast;
        FunctionEstimate continued(first_sizes(2), one_sided_95, false);
        const auto known = function.interval(0);
        continued.add_known(0, known.value, std::max(known.high - known.value, known.value - known.low), fast + slow);
        EXPECT_GE(continued.interval(0).high - continued.interval(0).low, 58.9) << "a file keeps it: " << fast;
    }
    FunctionEstimate function(first_sizes(2), one_sided_95, false);
    for (int r = 0; r < 40; ++r) add(function, 0, {r % 8 == 0 ? 60.0 : 1.0});
    EXPECT_EQ(function.interval(0).high, 1) << "spikes";
}

TEST(FunctionEstimate, TrendsArePowerLawsBetweenMeasuredSizes)
{
    FunctionEstimate function(first_sizes(10), one_sided_95);
    EXPECT_EQ(function.trend(4), 0);
    add(function, 1, {8.0});   // 2^3
    add(function, 7, {512.0}); // 8^3
    EXPECT_NEAR(function.trend(3), 64, 1e-9);
    EXPECT_NEAR(function.trend(0), 4, 1e-12) << "constant speed before the first";
    EXPECT_NEAR(function.trend(9), 640, 1e-9) << "and beyond the last";
    EXPECT_NEAR(function.trend(7), 32, 1e-9) << "of a measured size: what the others say";
}

TEST(FunctionEstimate, LearnsHowJaggedAFunctionIs)
{
    FunctionEstimate smooth(first_sizes(64), one_sided_95), jagged(first_sizes(64), one_sided_95);
    for (std::size_t k = 0; k < 64; k += 4) {
        const auto x = static_cast<double>(k + 1);
        smooth.add(k, std::vector{x, x});
        jagged.add(k, std::vector{x * (k % 8 == 0 ? 2 : 1), x * (k % 8 == 0 ? 2 : 1)});
    }
    EXPECT_LT(smooth.learned_jaggedness().of_trend, 1.31);
    EXPECT_GT(jagged.learned_jaggedness().of_trend, 2);
    EXPECT_LT(jagged.lower_bound(2, jagged.learned_jaggedness()), 3) << "any size may be one of the fast ones";
}

TEST(FunctionEstimate, KnowsWhatAFileSays)
{
    FunctionEstimate function(first_sizes(4), one_sided_95);
    function.add_known(2, 3.0, 0.1, 16);
    EXPECT_TRUE(function.is_measured(2));
    EXPECT_EQ(function.repetitions(2), 16);
    EXPECT_NEAR(function.interval(2).high, 3.1, 0.01);
    EXPECT_NEAR(function.interval(2).low, 2.9, 0.01);
    add(function, 2, {3.0, 3.0, 3.0, 3.0});
    EXPECT_EQ(function.repetitions(2), 20);
    EXPECT_NEAR(function.interval(2).value, 3.0, 1e-12);
}

// As after a change of the program or of the machine's speed.
TEST(FunctionEstimate, ForgetsWhatAFileSaysIfManyRepetitionsRefuteIt)
{
    for (const double now : {2.0, 0.5, 1.0}) {
        FunctionEstimate function(first_sizes(4), one_sided_95);
        function.add_known(2, 1.2, 0.3, 10);
        add(function, 2, {now, now});
        EXPECT_EQ(function.repetitions(2), 12) << "few refute nothing";
        EXPECT_NEAR(function.interval(2).value, (10 * 1.2 + 2 * now) / 12, 1e-12);
        for (int r = 0; r < 19; ++r) add(function, 2, {now, now * 1.001});
        const bool is_refuted = now != 1;
        EXPECT_EQ(function.repetitions(2), is_refuted ? 40 : 50) << now;
        EXPECT_NEAR(function.interval(2).value, is_refuted ? now : (10 * 1.2 + 40 * now) / 50, 0.001) << now;
        EXPECT_LE(function.interval(2).low, is_refuted ? now : 1.05);
    }
}

TEST(FunctionEstimate, ExcludedSizesAreNotMeasured)
{
    FunctionEstimate function(first_sizes(4), one_sided_95);
    add(function, 1, {1.0, 1.0});
    add(function, 2, {1.0, 1.0});
    function.exclude(1);
    function.exclude(3);
    EXPECT_TRUE(function.is_excluded(1));
    EXPECT_FALSE(function.is_measured(1));
    EXPECT_EQ(function.measured(), 1U);
    EXPECT_NEAR(function.trend(0), 1.0 / 3, 1e-12);
}

TEST(FunctionEstimate, ValuesBelowZeroAreNotKnownToBeZero)
{
    FunctionEstimate energies(first_sizes(2), one_sided_95, false);
    add(energies, 0, {-0.5, -0.5});
    add(energies, 1, {-0.5, -0.6, -0.5, -2.5, -0.5, -0.5, -0.5, -0.5, -0.5});
    for (const std::size_t k : {0, 1}) {
        const auto interval = energies.interval(k);
        EXPECT_EQ(energies.measured_median(k), -0.5);
        EXPECT_EQ(interval.value, 0);
        EXPECT_EQ(interval.low, 0);
        EXPECT_GE(interval.high, k == 0 ? 0.5 : 2);
    }
}

TEST(FunctionEstimate, TimesOfZeroAreTimes)
{
    FunctionEstimate function(first_sizes(4), one_sided_95);
    add(function, 0, {0.0, 0.0, 0.0});
    add(function, 3, {0.0, 0.0});
    EXPECT_EQ(function.interval(0).high, 0.5) << "printed in whole seconds";
    EXPECT_EQ(function.trend(2), 0);
    EXPECT_EQ(function.lower_bound(1, function.learned_jaggedness()), 0);
}

} // namespace
} // namespace hpart::optimum
