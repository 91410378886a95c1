// Checks beside the mean, against printed tables and against what they promise of thousands of synthetic samples.
#include "measurement/diagnostics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

namespace hpart
{
namespace
{

using Draw = std::function<double(std::mt19937_64 &)>;

double normal(std::mt19937_64 &random) { return 5 + std::normal_distribution<double>()(random); }
double skewed(std::mt19937_64 &random) { return std::exp(0.5 * normal(random)); }
// A machine that runs at one of two speeds.
double two_states(std::mt19937_64 &random) { return normal(random) + (random() % 4 == 0 ? 8 : 0); }

// The share of samples of which `happens` is true.
double share(const Draw &draw, std::size_t length, int series,
             const std::function<bool(const std::vector<double> &)> &happens)
{
    std::mt19937_64 random(19770401);
    int count = 0;
    std::vector<double> samples(length);
    for (int k = 0; k < series; ++k) {
        for (double &sample : samples) sample = draw(random);
        count += happens(samples) ? 1 : 0;
    }
    return static_cast<double>(count) / series;
}

TEST(MedianInterval, HasTheRanksOfThePrintedTables)
{
    struct Row {
        std::size_t samples;
        double low, high; // ranks from 1 on
    };
    for (const auto &[count, low, high] : {Row{6, 1, 6}, Row{8, 1, 8}, Row{9, 2, 8}, Row{10, 2, 9}, Row{20, 6, 15},
                                           Row{25, 8, 18}, Row{50, 18, 33}, Row{100, 40, 61}}) {
        std::vector<double> ranks(count);
        std::iota(ranks.begin(), ranks.end(), 1);
        const auto interval = median_interval(ranks, 0.95);
        EXPECT_EQ(interval.low, low) << count;
        EXPECT_EQ(interval.high, high) << count;
    }
    for (const std::vector<double> &few : {std::vector<double>{}, {1}, {1, 2, 3, 4, 5}})
        EXPECT_TRUE(std::isnan(median_interval(few, 0.95).low) && std::isnan(median_interval(few, 0.95).high));
}

TEST(MedianInterval, CoversTheMedianOfASkewedPopulation)
{
    const double truth = std::exp(2.5);
    for (const std::size_t length : {6, 10, 25, 100}) {
        const double covered = share(skewed, length, 10000, [&](auto samples) {
            std::sort(samples.begin(), samples.end());
            const auto interval = median_interval(samples, 0.95);
            return interval.low <= truth && truth <= interval.high;
        });
        EXPECT_GE(covered, 0.943) << length; // three standard errors below what is promised
        EXPECT_LE(covered, 0.985) << length; // ranks are whole numbers
    }
}

TEST(Outliers, AreFarFromTheMedianByItsOwnDeviation)
{
    // Median 10, deviations 0 1 1 1 2: the scaled median deviation is 1.48, its 3.5-fold 5.19.
    EXPECT_EQ(outliers(std::vector<double>{10, 9, 11, 12, 9}), std::vector<bool>(5, false));
    EXPECT_EQ(outliers(std::vector<double>{10, 9, 11, 10, 15.1, 9, 15.3, 11, 9, 4.7}),
              (std::vector<bool>{false, false, false, false, false, false, true, false, false, true}));
    EXPECT_EQ(outliers(std::vector<double>{2, 2, 2, 2, 2, 2, 2, 2, 2, 3}).back(), true) << "no median deviation";
    EXPECT_EQ(outliers(std::vector<double>(7, 3.5)), std::vector<bool>(7, false));
    EXPECT_TRUE(outliers({}).empty());
}

TEST(Outliers, AreRareInNormalSamples)
{
    // 1 in 2,150 of a population, more where the deviation is estimated from 100 samples.
    const double any = share(normal, 100, 2000, [](const auto &samples) {
        const auto flags = outliers(samples);
        return std::count(flags.begin(), flags.end(), true) > 1;
    });
    EXPECT_LT(any, 0.05);
}

// A p-value below 0.05 comes in 5 % of the samples for which the assumption holds.
TEST(Normality, DoubtsNormalSamplesAsOftenAsItSays)
{
    for (const std::size_t length : {8, 10, 20, 49, 50, 200, 1000}) {
        const double doubted =
            share(normal, length, 4000, [](const auto &samples) { return normality_p(samples) < 0.05; });
        EXPECT_GE(doubted, 0.03) << length;
        EXPECT_LE(doubted, 0.07) << length;
    }
}

TEST(Normality, SeesSkewAndTwoSpeeds)
{
    const auto doubted = [](const Draw &draw, std::size_t length) {
        return share(draw, length, 1000, [](const auto &samples) { return normality_p(samples) < 0.05; });
    };
    EXPECT_GT(doubted(two_states, 10), 0.8);
    EXPECT_GT(doubted(two_states, 49), 0.99);
    EXPECT_GT(doubted(two_states, 50), 0.99);
    EXPECT_GT(doubted(skewed, 49), 0.8);
    EXPECT_GT(doubted(skewed, 100), 0.8);
}

TEST(Normality, SaysNothingOfFewOrEqualSamples)
{
    EXPECT_TRUE(std::isnan(normality_p(std::vector<double>{1, 2, 3, 4, 5, 6, 7})));
    EXPECT_TRUE(std::isnan(normality_p(std::vector<double>(100, 2.5))));
    EXPECT_EQ(normality_test(7), "none");
    EXPECT_EQ(normality_test(8), "anderson-darling");
    EXPECT_EQ(normality_test(50), "pearson");
    std::vector<double> absurd(49, 1); // one sample as far away as it can be
    absurd[7] = 1e300;
    EXPECT_LT(normality_p(absurd), 1e-6);
}

TEST(DriftOfSamples, IsTheChangeFromTheFirstThirdToTheLast)
{
    const auto up = drift(std::vector<double>{10, 10, 10, 11, 11, 11, 12, 12, 12});
    EXPECT_DOUBLE_EQ(up.change, 2.0 / 11);
    EXPECT_LT(up.p, 1e-4);
    const auto down = drift(std::vector<double>{9, 8, 7, 6, 5, 4, 3, 2, 1});
    EXPECT_DOUBLE_EQ(down.change, -6.0 / 5);
    EXPECT_EQ(down.p, 0);
    const auto none = drift(std::vector<double>(12, 4));
    EXPECT_EQ(none.change, 0);
    EXPECT_EQ(none.p, 1);
    EXPECT_TRUE(std::isnan(drift(std::vector<double>{1, 2, 3, 4, 5, 6, 7}).p));
    EXPECT_EQ(drift(std::vector<double>{1, 2}).change, 0);
    EXPECT_EQ(drift({}).change, 0);
    EXPECT_FALSE(std::isnan(drift(std::vector<double>(9, 0)).change));
}

TEST(DriftOfSamples, IsSeenWhereItIsAndSeldomWhereItIsNot)
{
    for (const std::size_t length : {8, 10, 30, 300}) {
        const double seen = share(normal, length, 4000, [](const auto &samples) { return drift(samples).p < 0.05; });
        EXPECT_GE(seen, 0.035) << length;
        EXPECT_LE(seen, 0.065) << length;
    }
    const double warming_up = share(normal, 30, 1000, [](auto samples) {
        for (std::size_t r = 0; r < samples.size(); ++r)
            samples[r] += 0.1 * static_cast<double>(r); // 3 deviations in all
        return drift(samples).p < 0.05;
    });
    EXPECT_GT(warming_up, 0.95);
}

} // namespace
} // namespace hpart
