// The share of up to 10,000 synthetic series a case in which the loop's interval holds the true mean.
#include "measurement/estimator.hpp"
#include "series.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
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

using Draw = std::function<double()>;

// Draws of a mean and a relative deviation that are given.
Draw series(Noise noise, double deviation, double correlation = 0)
{
    return [=, sigma = std::sqrt(std::log1p(deviation * deviation)), last = 0.0, random = std::mt19937_64(20190527),
            standard = std::normal_distribution<double>()]() mutable {
        last = correlation * last + std::sqrt(1 - correlation * correlation) * standard(random);
        return true_mean * (noise == Noise::normal ? 1 + deviation * last : std::exp(sigma * last - sigma * sigma / 2));
    };
}

struct Outcome {
    double coverage;    // the share of the series whose interval holds the truth
    double repetitions; // on average
};

Outcome simulate(const Draw &draw, double truth, const StopRule &rule, int whole = all_series)
{
    const int count = series_of(whole);
    Outcome out{};
    for (int k = 0; k < count; ++k) {
        const auto result = mean_using_t_test(
            rule, 1, [&](std::span<double> seconds) { seconds[0] = draw(); }, [] { return 0.0; });
        const auto &estimate = result.estimates[0];
        out.coverage += estimate.low <= truth && truth <= estimate.high ? 1.0 / count : 0;
        out.repetitions += static_cast<double>(result.repetitions) / count;
    }
    return out;
}

Outcome simulate(const std::tuple<Noise, double> &noise, const StopRule &rule)
{
    return simulate(std::apply([](auto... of) { return series(of...); }, noise), true_mean, rule);
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
        EXPECT_NEAR(coverage, 0.95, 0.013 + coverage_margin) << repetitions;
    }
}

TEST_P(Coverage, OfTheDefaultIsWhatItPromises)
{
    const auto widened = simulate(GetParam(), rule_of(IntervalKind::two_sided, 10));
    const auto plain = simulate(GetParam(), rule_of(IntervalKind::plain, 10));
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
        const double truth = noise == Noise::normal ? true_mean : true_mean / std::sqrt(1 + deviation * deviation);
        const double coverage = simulate(series(noise, deviation), truth, rule, 2000).coverage;
        EXPECT_GE(coverage, (interval == IntervalKind::two_sided ? 0.95 : 0.91) - 2 * coverage_margin);
    }
}

// Neighbours that are alike: the usual interval is wider by what it sees of that.
TEST(CoverageOfCorrelated, IsNearTheConfidence)
{
    for (const double correlation : {0.3, 0.5, 0.7}) {
        const auto coverage_of = [&](IntervalKind interval) {
            return simulate(series(Noise::normal, 0.1, correlation), true_mean, rule_of(interval, 30), 4000).coverage;
        };
        const double widened = coverage_of(IntervalKind::two_sided);
        EXPECT_GE(widened, 0.89 - margin_of(0.9, 4000)) << correlation;
        EXPECT_GE(widened, coverage_of(IntervalKind::plain) + 0.05) << correlation;
    }
}

// A clock that moves in steps, and a time between two of them: the first repetitions are often all equal.
TEST(CoverageOfCoarse, IsNearTheConfidence)
{
    std::mt19937_64 random(5);
    for (const auto &[low, high, share] :
         {std::tuple(0.1, 0.2, 0.1), std::tuple(0.5, 0.6, 0.1), std::tuple(61.0, 62.0, 0.05),
          std::tuple(0.5, 0.6, 0.02), std::tuple(1.0 / 64, 1.0 / 32, 0.1), std::tuple(3.0 / 128, 4.0 / 128, 0.1)}) {
        std::bernoulli_distribution is_high(share);
        const auto draw = [&, one = low, other = high] { return is_high(random) ? other : one; };
        const double coverage = simulate(draw, low + share * (high - low), {}, 2000).coverage;
        EXPECT_GE(coverage, 0.93 - margin_of(0.95, 2000)) << low << " " << share;
    }
}

INSTANTIATE_TEST_SUITE_P(Noises, Coverage,
                         testing::Combine(testing::Values(Noise::normal, Noise::log_normal),
                                          testing::Values(0.05, 0.1, 0.2)));

} // namespace
} // namespace hpart
