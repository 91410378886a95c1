// Checks beside the mean, against printed tables and against what they promise of thousands of synthetic samples.
#include "measurement/measure.hpp"
#include "series.hpp"

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

using DrawWith = std::function<double(std::mt19937_64 &)>;

double normal(std::mt19937_64 &random) { return 5 + std::normal_distribution<double>()(random); }
double skewed(std::mt19937_64 &random) { return std::exp(0.5 * normal(random)); }
// A machine that runs at one of two speeds.
double two_states(std::mt19937_64 &random) { return normal(random) + (random() % 4 == 0 ? 8 : 0); }

// The share of samples of which `happens` is true.
double share(const DrawWith &draw, std::size_t length, int whole,
             const std::function<bool(const std::vector<double> &)> &happens)
{
    const int series = series_of(whole);
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

// A p-value below 0.05 comes in 5 % of the samples for which the assumption holds.
TEST(Normality, DoubtsNormalSamplesAsOftenAsItSays)
{
    for (const std::size_t length : {8, 10, 20, 49, 50, 200, 1000}) {
        const double doubted =
            share(normal, length, 4000, [](const auto &samples) { return normality_p(samples) < 0.05; });
        EXPECT_NEAR(doubted, 0.05, 0.01 + margin_of(0.05, 4000)) << length;
    }
}

TEST(Normality, SeesSkewAndTwoSpeeds)
{
    const auto doubted = [](const DrawWith &draw, std::size_t length) {
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
        EXPECT_NEAR(seen, 0.05, 0.005 + margin_of(0.05, 4000)) << length;
    }
    const double warming_up = share(normal, 30, 1000, [](auto samples) {
        for (std::size_t r = 0; r < samples.size(); ++r)
            samples[r] += 0.1 * static_cast<double>(r); // 3 deviations in all
        return drift(samples).p < 0.05;
    });
    EXPECT_GT(warming_up, 0.95);
}

// Neighbours' autocorrelation as it is defined, of samples small enough to write down.
TEST(SerialCorrelationOfSamples, IsThatOfNeighbours)
{
    // Deviations -1.5 -0.5 0.5 1.5: products 0.75 - 0.25 + 0.75 over squares 5.
    EXPECT_DOUBLE_EQ(serial_correlation(std::vector<double>{1, 2, 3, 4}).lag_1, 0.25);
    EXPECT_DOUBLE_EQ(serial_correlation(std::vector<double>{1, 3, 1, 3}).lag_1, -0.75);
    EXPECT_TRUE(std::isnan(serial_correlation(std::vector<double>{1, 2, 3, 4, 5, 6, 7}).p));
    EXPECT_EQ(serial_correlation({}).lag_1, 0);
    EXPECT_EQ(serial_correlation(std::vector<double>{7}).lag_1, 0);
    for (const double value : {0.0, 0.1, 1e300, 1e-300, 1e-320}) {
        const auto equal = serial_correlation(std::vector<double>(12, value));
        EXPECT_EQ(equal.lag_1, 0) << value;
        EXPECT_EQ(equal.p, 1) << value;
    }
    // A unit of time changes nothing.
    for (const double unit : {1e-300, 1e-9, 1e9, 1e300}) {
        std::vector<double> samples;
        for (const double value : {1, 2, 2, 3, 1, 5, 6, 5, 7, 8}) samples.push_back(value * unit);
        EXPECT_NEAR(serial_correlation(samples).lag_1, 31.0 / 58, 1e-9) << unit; // deviations from 4
        EXPECT_LT(serial_correlation(samples).p, 0.1) << unit;
    }
    std::vector<double> alternating;
    for (int r = 0; r < 20; ++r) alternating.push_back(r % 2);
    EXPECT_LT(serial_correlation(alternating).lag_1, -0.9);
    EXPECT_LT(serial_correlation(alternating).p, 1e-4);
}

// All 40,320 orders of eight samples, ties among them: the p-value is the share of orders that are at least as correlated.
TEST(SerialCorrelationOfSamples, HasTheProbabilityOfAllOrders)
{
    for (const std::vector<double> &ranks :
         {std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 4, 4, 4, 7, 8}, {1, 1, 1, 2, 2, 3, 4, 5}}) {
        if (ranks[1] == 1 && !support::is_long_run()) break;
        std::vector<int> order(ranks.size());
        std::iota(order.begin(), order.end(), 0);
        int below_5 = 0, below_20 = 0, count = 0;
        do {
            std::vector<double> samples;
            for (const int k : order) samples.push_back(ranks[static_cast<std::size_t>(k)]);
            const double p = serial_correlation(samples).p;
            below_5 += p < 0.05 ? 1 : 0;
            below_20 += p < 0.2 ? 1 : 0;
            ++count;
        } while (std::next_permutation(order.begin(), order.end()));
        EXPECT_NEAR(below_5, 0.05 * count, 0.015 * count);
        EXPECT_NEAR(below_20, 0.2 * count, 0.04 * count);
    }
}

// Each sample has `share_kept` of the deviation of the one before it: AR(1).
DrawWith following(double share_kept)
{
    return [share_kept, last = 0.0](std::mt19937_64 &random) mutable {
        last = share_kept * last + std::sqrt(1 - share_kept * share_kept) * (normal(random) - 5);
        return 5 + last;
    };
}

TEST(SerialCorrelationOfSamples, IsSeenWhereItIs)
{
    const auto seen = [](double share_kept, std::size_t length) {
        return share(following(share_kept), length, 10000,
                     [](const auto &samples) { return serial_correlation(samples).p < 0.05; });
    };
    EXPECT_GT(seen(0.3, 100), 0.75);
    EXPECT_GT(seen(0.5, 30), 0.6);
    EXPECT_GT(seen(0.5, 100), 0.99);
    EXPECT_GT(seen(0.8, 30), 0.9);
    EXPECT_GT(seen(-0.5, 30), 0.6);
    const double estimate = serial_correlation([&] {
                                std::mt19937_64 random(3);
                                auto draw = following(0.6);
                                std::vector<double> samples(20000);
                                for (double &sample : samples) sample = draw(random);
                                return samples;
                            }())
                                .lag_1;
    EXPECT_NEAR(estimate, 0.6, 0.03);
}

} // namespace
} // namespace hpart
