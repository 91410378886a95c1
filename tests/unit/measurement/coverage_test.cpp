// How often the interval that the loop ends with holds the true mean, over thousands of synthetic series a case.
#include "measurement/mean_using_t_test.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hpart
{
namespace
{

constexpr int series = 4000;
constexpr double true_mean = 2.5;

enum class Noise : std::uint8_t { normal, log_normal };

struct Outcome {
    double coverage;    // the share of the series whose interval holds the true mean
    double repetitions; // on average
};

Outcome simulate(Noise noise, double relative_deviation, const StopRule &rule)
{
    std::mt19937_64 generator(20190527);
    std::normal_distribution<double> standard;
    // A log-normal of mean 1 and the same relative deviation.
    const double sigma = std::sqrt(std::log1p(relative_deviation * relative_deviation));
    const auto draw = [&] {
        const double z = standard(generator);
        return true_mean *
               (noise == Noise::normal ? 1 + relative_deviation * z : std::exp(sigma * z - sigma * sigma / 2));
    };
    int covered = 0;
    double repetitions = 0;
    for (int k = 0; k < series; ++k) {
        const auto result = mean_using_t_test(
            rule, 1, [&](std::span<double> seconds) { seconds[0] = draw(); }, [] { return 0.0; });
        covered += result.estimates[0].low <= true_mean && true_mean <= result.estimates[0].high ? 1 : 0;
        repetitions += static_cast<double>(result.repetitions);
    }
    return {static_cast<double>(covered) / series, repetitions / series};
}

StopRule rule_of(Interval interval, std::int64_t floor)
{
    StopRule rule;
    rule.interval = interval;
    rule.min_repetitions = floor;
    return rule;
}

class Coverage : public testing::TestWithParam<std::tuple<Noise, double>>
{
};

// The standard error of a share near 0.95 of 4,000 series is 0.0034: the bands are widened by three of them.
TEST_P(Coverage, OfTheDefaultIsWhatItPromises)
{
    const auto [noise, deviation] = GetParam();
    const auto widened = simulate(noise, deviation, rule_of(Interval::two_sided, 10));
    const auto plain = simulate(noise, deviation, rule_of(Interval::plain, 10));
    RecordProperty("widened", std::to_string(widened.coverage));
    RecordProperty("plain", std::to_string(plain.coverage));
    EXPECT_GE(widened.coverage, 0.947 - 0.0105);
    EXPECT_LE(widened.coverage, 0.967 + 0.0105);
    EXPECT_GE(plain.coverage, 0.935 - 0.0105);
    EXPECT_LE(plain.coverage, 0.950 + 0.0105);
    EXPECT_GE(widened.coverage, plain.coverage);
    EXPECT_LE(widened.repetitions, 1.25 * plain.repetitions);
}

TEST_P(Coverage, OfThePapersRuleIsLess)
{
    const auto [noise, deviation] = GetParam();
    const auto printed = simulate(noise, deviation, rule_of(Interval::one_sided, 3));
    RecordProperty("one_sided", std::to_string(printed.coverage));
    EXPECT_GE(printed.coverage, 0.79 - 0.015);
    EXPECT_LE(printed.coverage, 0.90 + 0.015);
}

INSTANTIATE_TEST_SUITE_P(Noises, Coverage,
                         testing::Combine(testing::Values(Noise::normal, Noise::log_normal),
                                          testing::Values(0.05, 0.1, 0.2)));

} // namespace
} // namespace hpart
