#include "core/error.hpp"
#include "measurement/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hpart
{
namespace
{

RunningMean mean_of(const std::vector<double> &values)
{
    RunningMean mean;
    for (const double value : values) mean.add(value);
    return mean;
}

TEST(RunningMean, IsTheMeanAndTheDeviationOfTheSample)
{
    const auto mean = mean_of({2, 4, 4, 4, 5, 5, 7, 9});
    EXPECT_EQ(mean.count(), 8);
    EXPECT_DOUBLE_EQ(mean.mean(), 5);
    EXPECT_DOUBLE_EQ(mean.standard_deviation(), std::sqrt(32.0 / 7));
    EXPECT_EQ(mean_of({3}).standard_deviation(), 0);
}

TEST(RunningMean, DoesNotCancel)
{
    // The sum of squares minus the square of the sum would have no correct digit here.
    const auto mean = mean_of({1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16});
    EXPECT_DOUBLE_EQ(mean.standard_deviation(), std::sqrt(30.0));
}

TEST(HalfWidth, DependsOnTheKindOfInterval)
{
    const auto sample = mean_of({9, 10, 11, 10, 9, 11, 10, 10, 9, 11});
    const double unit = sample.standard_deviation() / std::sqrt(10.0);
    EXPECT_NEAR(HalfWidth(IntervalKind::plain, 0.95).of(sample), 2.26216 * unit, 1e-5);
    EXPECT_NEAR(HalfWidth(IntervalKind::two_sided, 0.95).of(sample), 1.1 * 2.26216 * unit, 1e-5);
    EXPECT_NEAR(HalfWidth(IntervalKind::one_sided, 0.95).of(sample), 1.83311 * unit, 1e-5);
    EXPECT_EQ(interval_named("two-sided"), IntervalKind::two_sided);
    EXPECT_EQ(interval_named("plain"), IntervalKind::plain);
    EXPECT_EQ(interval_named("one-sided"), IntervalKind::one_sided);
}

TEST(HalfWidth, IsWithinALimitFromItsOwnValueOn)
{
    RunningMean sample;
    for (int k = 0; k < 40; ++k) {
        sample.add(k * 7 % 11);
        if (sample.count() < 2) continue;
        for (const auto interval : {IntervalKind::two_sided, IntervalKind::plain, IntervalKind::one_sided}) {
            const double half = HalfWidth(interval, 0.95).of(sample);
            HalfWidth asked(interval, 0.95);
            EXPECT_TRUE(asked.is_within(half, sample));
            EXPECT_TRUE(asked.is_within(2 * half, sample));
            EXPECT_FALSE(asked.is_within(half * (1 - 1e-12), sample));
            EXPECT_FALSE(asked.is_within(half / 2, sample));
        }
    }
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwo)
{
    const auto median_of = [](std::vector<double> values) { return median(values); };
    EXPECT_EQ(median_of({3}), 3);
    EXPECT_EQ(median_of({5, 1}), 3);
    EXPECT_EQ(median_of({5, 1, 2}), 2);
    EXPECT_EQ(median_of({8, 1, 2, 6}), 4);
}

} // namespace
} // namespace hpart
