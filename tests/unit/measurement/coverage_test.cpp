// The share of up to 10,000 synthetic series a case in which the loop's interval holds the true mean.
#include "measurement/mean_using_t_test.hpp"
#include "series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <tuple>

namespace hpart
{
namespace
{

constexpr int all_series = 10000;
const double coverage_margin = margin_of(0.95, all_series);
constexpr double true_mean = 2.5;

enum class Noise : std::uint8_t { normal, log_normal };

struct Outcome {
    double coverage;    // the share of the series whose interval holds the true mean
    double repetitions; // on average
};

// Draws of a mean and a relative deviation that are given.
class RandomSeries
{
  public:
    RandomSeries(Noise noise, double relative_deviation, double correlation = 0)
        : noise_(noise), relative_deviation_(relative_deviation), correlation_(correlation),
          sigma_(std::sqrt(std::log1p(relative_deviation * relative_deviation)))
    {
    }
    double draw()
    {
        const double z = last_ =
            correlation_ * last_ + std::sqrt(1 - correlation_ * correlation_) * standard_(generator_);
        return true_mean *
               (noise_ == Noise::normal ? 1 + relative_deviation_ * z : std::exp(sigma_ * z - sigma_ * sigma_ / 2));
    }
    double true_median() const
    {
        return noise_ == Noise::normal ? true_mean : true_mean * std::exp(-sigma_ * sigma_ / 2);
    }

  private:
    Noise noise_;
    double relative_deviation_, correlation_, sigma_, last_ = 0;
    std::mt19937_64 generator_{20190527};
    std::normal_distribution<double> standard_;
};

Measurement measure_series(RandomSeries &source, const StopRule &rule)
{
    return mean_using_t_test(
        rule, 1, [&](std::span<double> seconds) { seconds[0] = source.draw(); }, [] { return 0.0; });
}

Outcome simulate(RandomSeries source, double truth, const StopRule &rule, int whole = all_series)
{
    const int count = series_of(whole);
    int covered = 0;
    double repetitions = 0;
    for (int k = 0; k < count; ++k) {
        const auto result = measure_series(source, rule);
        const auto &estimate = result.estimates[0];
        covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
        repetitions += static_cast<double>(result.repetitions);
    }
    return {static_cast<double>(covered) / count, repetitions / count};
}

Outcome simulate(const std::tuple<Noise, double> &noise, const StopRule &rule)
{
    return simulate(RandomSeries(std::get<0>(noise), std::get<1>(noise)), true_mean, rule);
}

StopRule rule_of(IntervalKind interval, std::int64_t floor) { return {.interval = interval, .min_repetitions = floor}; }

StopRule fixed_length(std::int64_t repetitions)
{
    auto rule = rule_of(IntervalKind::plain, repetitions);
    rule.max_repetitions = repetitions;
    return rule;
}

class Coverage : public testing::TestWithParam<std::tuple<Noise, double>>
{
};

TEST_P(Coverage, OfAFixedLengthIsTheConfidence)
{
    for (const std::int64_t repetitions : {5, 10, 30, 100}) {
        const double coverage = simulate(GetParam(), fixed_length(repetitions)).coverage;
        RecordProperty("length_" + std::to_string(repetitions), std::to_string(coverage));
        EXPECT_NEAR(coverage, 0.95, 0.013 + coverage_margin) << repetitions;
    }
}

TEST_P(Coverage, OfTheDefaultIsWhatItPromises)
{
    const auto widened = simulate(GetParam(), rule_of(IntervalKind::two_sided, 10));
    const auto plain = simulate(GetParam(), rule_of(IntervalKind::plain, 10));
    RecordProperty("widened", std::to_string(widened.coverage));
    RecordProperty("plain", std::to_string(plain.coverage));
    RecordProperty("cost", std::to_string(widened.repetitions / plain.repetitions));
    EXPECT_GE(widened.coverage, 0.955 - coverage_margin);
    EXPECT_LE(widened.coverage, 0.968 + coverage_margin);
    EXPECT_GE(plain.coverage, 0.937 - coverage_margin);
    EXPECT_LE(plain.coverage, 0.949 + coverage_margin);
    EXPECT_GT(widened.coverage, plain.coverage);
    EXPECT_LE(widened.repetitions, 1.25 * plain.repetitions);
}

TEST_P(Coverage, OfThePapersRuleIsLess)
{
    const auto printed = simulate(GetParam(), rule_of(IntervalKind::one_sided, 3));
    RecordProperty("one_sided", std::to_string(printed.coverage));
    EXPECT_GE(printed.coverage, 0.83 - 2 * coverage_margin);
    EXPECT_LE(printed.coverage, 0.89 + 2 * coverage_margin);
}

// As that of the mean: looking after every repetition costs coverage, which the widening gives back.
TEST_P(Coverage, OfAMedianThatDecidesWhenToStop)
{
    const auto [noise, deviation] = GetParam();
    for (const auto interval : {IntervalKind::two_sided, IntervalKind::plain}) {
        auto rule = rule_of(interval, 10);
        rule.statistic = Statistic::median;
        const RandomSeries source(noise, deviation);
        const auto found = simulate(source, source.true_median(), rule, 2000);
        const bool widened = interval == IntervalKind::two_sided;
        RecordProperty(widened ? "widened" : "plain", std::to_string(found.coverage));
        RecordProperty(widened ? "repetitions" : "plain_repetitions", std::to_string(found.repetitions));
        EXPECT_GE(found.coverage, (widened ? 0.95 : 0.91) - 2 * coverage_margin);
    }
}

// Neighbours that are alike: the usual interval is wider by what it sees of that.
TEST(CoverageOfCorrelated, IsNearTheConfidence)
{
    for (const double correlation : {0.3, 0.5, 0.7}) {
        double coverage[2];
        for (const bool widened : {false, true}) {
            auto rule = rule_of(widened ? IntervalKind::two_sided : IntervalKind::plain, 30);
            const RandomSeries source(Noise::normal, 0.1, correlation);
            coverage[widened ? 1 : 0] = simulate(source, true_mean, rule, 4000).coverage;
        }
        RecordProperty("plain_" + std::to_string(correlation), std::to_string(coverage[0]));
        RecordProperty("widened_" + std::to_string(correlation), std::to_string(coverage[1]));
        EXPECT_GE(coverage[1], 0.89 - margin_of(0.9, 4000)) << correlation;
        EXPECT_GE(coverage[1], coverage[0] + 0.05) << correlation;
    }
}

// A clock that moves in steps, and a time between two of them: the first repetitions are often all equal.
TEST(CoverageOfCoarse, IsNearTheConfidence)
{
    const int count = series_of(2000);
    std::mt19937_64 generator(5);
    for (const auto &[low, high, share] :
         {std::tuple(0.1, 0.2, 0.1), std::tuple(0.5, 0.6, 0.1), std::tuple(61.0, 62.0, 0.05),
          std::tuple(0.5, 0.6, 0.02), std::tuple(1.0 / 64, 1.0 / 32, 0.1), std::tuple(3.0 / 128, 4.0 / 128, 0.1)}) {
        std::bernoulli_distribution is_high(share);
        const double truth = low + share * (high - low);
        int covered = 0;
        double repetitions = 0;
        for (int k = 0; k < count; ++k) {
            const auto result = mean_using_t_test(
                {}, 1,
                [&, low = low, high = high](std::span<double> seconds) {
                    seconds[0] = is_high(generator) ? high : low;
                },
                [] { return 0.0; });
            const auto &estimate = result.estimates[0];
            covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
            repetitions += static_cast<double>(result.repetitions);
        }
        RecordProperty("repetitions_" + std::to_string(low), std::to_string(repetitions / count));
        EXPECT_GE(covered, (0.93 - margin_of(0.95, 2000)) * count) << low << " " << share;
    }
}

INSTANTIATE_TEST_SUITE_P(Noises, Coverage,
                         testing::Combine(testing::Values(Noise::normal, Noise::log_normal),
                                          testing::Values(0.05, 0.1, 0.2)));

} // namespace
} // namespace hpart
