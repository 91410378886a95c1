// The loop on a scripted machine: what it repeats, when it stops, and what it says.
#include "core/error.hpp"
#include "measurement/estimator.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace hpart
{
namespace
{

// Times come from a function of processor and repetition; the clock advances by the longest of them and a gap.
struct Machine {
    std::function<double(std::size_t processor, std::int64_t repetition)> time;
    double gap = 0;
    double now = 1000;
    std::int64_t repetitions = 0;

    Measurement measure(const StopRule &rule, std::size_t processors)
    {
        const auto sample = [&](std::span<double> seconds) {
            double longest = 0;
            for (std::size_t i = 0; i < seconds.size(); ++i) {
                seconds[i] = time(i, repetitions);
                longest = std::max(longest, seconds[i]);
            }
            now += longest + gap;
            ++repetitions;
        };
        return mean_using_t_test(rule, processors, sample, [&] { return now; });
    }
};

// It has so many decimals that no step of a clock shows.
constexpr double first_constant = 1.0000001;
double constant(std::size_t processor, std::int64_t) { return first_constant + static_cast<double>(processor); }
double alternating(std::size_t, std::int64_t repetition) { return repetition % 2 == 0 ? 1 : 3; }

TEST(Loop, StopsAtTheFloorWhenThereIsNoNoise)
{
    for (const std::int64_t floor : {2, 3, 10}) {
        const StopRule rule{.min_repetitions = floor};
        Machine machine{constant};
        const auto result = machine.measure(rule, 2);
        EXPECT_EQ(result.repetitions, floor);
        EXPECT_EQ(machine.repetitions, floor);
        EXPECT_EQ(result.reason, StopReason::precision);
        EXPECT_TRUE(result.precise);
        ASSERT_EQ(result.estimates.size(), 2U);
        EXPECT_EQ(result.estimates[1].value, first_constant + 1);
        EXPECT_NEAR(result.estimates[1].low, first_constant + 1, 1e-7);
        EXPECT_NEAR(result.estimates[1].high, first_constant + 1, 1e-7);
        EXPECT_EQ(result.samples.size(), static_cast<std::size_t>(2 * floor));
    }
}

// With 95 % at most 2.5 % of the runs take another time if 119 are equal.
TEST(Loop, EqualValuesOfACoarseClockAreNoIntervalOfWidthZero)
{
    Machine machine{[](std::size_t, std::int64_t) { return 0.1; }};
    const auto result = machine.measure({}, 1);
    EXPECT_EQ(result.repetitions, 119);
    EXPECT_TRUE(result.precise);
    EXPECT_NEAR(result.estimates[0].high - 0.1, 0.1 * (1 - std::pow(0.05, 1.0 / 119)), 1e-12);
    EXPECT_LT(result.estimates[0].low, 0.1);
    Machine seconds{[](std::size_t, std::int64_t) { return 61; }};
    EXPECT_EQ(seconds.measure({.max_seconds = 1e6}, 1).repetitions, 10) << "a step is 1.6 % of them";
    EXPECT_EQ(Machine{[](std::size_t, std::int64_t) { return 0.1; }}
                  .measure({.interval = IntervalKind::plain}, 1)
                  .repetitions,
              10);
    for (const auto statistic : {Statistic::mean, Statistic::minimum}) {
        Machine none{[](std::size_t, std::int64_t) { return 0; }};
        const auto zeros = none.measure({.statistic = statistic}, 1);
        EXPECT_EQ(zeros.repetitions, 10);
        EXPECT_FALSE(zeros.precise) << "a clock that shows 0 shows nothing";
    }
}

TEST(Loop, GoesOnUntilEveryProcessorIsPrecise)
{
    // Half-width over mean of the second: t * s / (sqrt(r) * 2), s close to 1.
    const StopRule rule{.interval = IntervalKind::plain, .precision = 0.1, .max_seconds = 3600};
    Machine machine{[](std::size_t i, std::int64_t r) { return i == 0 ? 1 : alternating(i, r); }};
    const auto result = machine.measure(rule, 2);
    EXPECT_EQ(result.reason, StopReason::precision);
    EXPECT_GT(result.repetitions, 90); // (1.96 / 0.2)^2 = 96, and a little for the t quantile
    EXPECT_LT(result.repetitions, 105);
    const auto &[value, low, high, mean, median, minimum] = result.estimates[1];
    EXPECT_EQ(value, mean);
    EXPECT_NEAR(mean, 2, 0.02);
    EXPECT_LE(high - mean, 0.1 * mean);
    EXPECT_NEAR(mean - low, high - mean, 1e-12);
    EXPECT_EQ(minimum, 1);
    EXPECT_TRUE(median == 1 || median == 2 || median == 3);
}

TEST(Loop, StopsAtTheMostRepetitionsAndSaysSo)
{
    const StopRule rule{.precision = 0.001, .max_repetitions = 37};
    Machine machine{alternating};
    const auto result = machine.measure(rule, 1);
    EXPECT_EQ(result.repetitions, 37);
    EXPECT_EQ(result.reason, StopReason::max_repetitions);
    EXPECT_FALSE(result.precise);
    EXPECT_EQ(stop_reason_name(result.reason), "max_repetitions");
}

TEST(Loop, CountsTheGapsBetweenRunsAsTime)
{
    const StopRule rule{.precision = 0.001, .max_seconds = 100};
    Machine machine{alternating, 8}; // 10 s a repetition on average
    const auto result = machine.measure(rule, 1);
    EXPECT_EQ(result.reason, StopReason::max_seconds);
    EXPECT_EQ(result.repetitions, 10);
    EXPECT_FALSE(result.precise);
}

TEST(Loop, TakesTwoSamplesHoweverLittleTimeThereIs)
{
    const StopRule rule{.max_seconds = 0};
    Machine machine{constant};
    const auto result = machine.measure(rule, 1);
    EXPECT_EQ(result.repetitions, 2);
    EXPECT_EQ(result.reason, StopReason::max_seconds);
    EXPECT_FALSE(result.precise); // fewer than the floor: its interval is worth little
    EXPECT_TRUE(std::isfinite(result.estimates[0].high));
}

TEST(Loop, OfMediansDoesNotSeeSpikes)
{
    StopRule rule{.statistic = Statistic::median};
    Machine machine{
        [](std::size_t, std::int64_t r) { return r % 5 == 2 ? 9.0 : 1 + 1e-3 * static_cast<double>(r % 3); }};
    const auto result = machine.measure(rule, 1);
    EXPECT_LE(result.repetitions, 12);
    EXPECT_EQ(result.reason, StopReason::precision);
    EXPECT_EQ(result.estimates[0].value, result.estimates[0].median);
    EXPECT_NEAR(result.estimates[0].value, 1.001, 1e-3);
    EXPECT_LE(result.estimates[0].low, result.estimates[0].value);
    EXPECT_GE(result.estimates[0].high, result.estimates[0].value);
    EXPECT_GT(result.estimates[0].mean, 2);
    rule.statistic = Statistic::mean;
    EXPECT_GT(machine.measure(rule, 1).repetitions, 30);
}

TEST(Loop, OfMediansNeedsSixSamplesForAnInterval)
{
    StopRule rule{.statistic = Statistic::median, .min_repetitions = 2};
    Machine machine{constant};
    EXPECT_EQ(machine.measure(rule, 1).repetitions, 6);
    rule.max_repetitions = 5;
    const auto result = machine.measure(rule, 1);
    EXPECT_EQ(result.reason, StopReason::max_repetitions);
    EXPECT_FALSE(result.precise);
    EXPECT_EQ(result.estimates[0].value, first_constant);
    EXPECT_TRUE(std::isnan(result.estimates[0].low));
}

TEST(Loop, OfMinimaStopsWhenTheSecondHalfHasNoLowerOne)
{
    const StopRule rule{.statistic = Statistic::minimum};
    // The least time of all comes after 15 repetitions.
    Machine machine{[](std::size_t, std::int64_t r) { return r < 15 ? 2.0 - 0.06 * static_cast<double>(r) : 1.0; }};
    const auto result = machine.measure(rule, 1);
    EXPECT_EQ(result.reason, StopReason::precision);
    EXPECT_EQ(result.repetitions, 31);
    EXPECT_EQ(result.estimates[0].value, 1);
    EXPECT_TRUE(std::isnan(result.estimates[0].low));
    EXPECT_NE(describe(rule).find("no confidence interval"), std::string::npos);
}

TEST(StopRule, ComesFromTheOptions)
{
    Options options;
    options.set_text("statistic", "median");
    options.set_text("ttest", "one-sided");
    options.set_double("confidence", 0.9);
    options.set_double("precision", 0.1);
    options.set_int("min_repetitions", 5);
    options.set_int("max_repetitions", 50);
    options.set_double("max_seconds", 7);
    const auto rule = StopRule::from(options);
    EXPECT_EQ(rule.statistic, Statistic::median);
    EXPECT_EQ(rule.interval, IntervalKind::one_sided);
    EXPECT_EQ(rule.confidence, 0.9);
    EXPECT_EQ(rule.precision, 0.1);
    EXPECT_EQ(rule.min_repetitions, 5);
    EXPECT_EQ(rule.max_repetitions, 50);
    EXPECT_EQ(rule.max_seconds, 7);
    EXPECT_NE(describe(rule).find("90 %"), std::string::npos);
    options.set_int("max_repetitions", 4);
    EXPECT_THROW(StopRule::from(options), Error);
}

TEST(Repetitions, HaveLimitsBySize)
{
    StopRule rule;
    rule.by_size = parse_repetitions("1001-:3-10,32-1000:50-500");
    EXPECT_EQ(rule.by_size.front().smallest, 32);
    const auto limits = [&](std::int64_t size) {
        const auto of = rule.of_size(size);
        EXPECT_EQ(of.precision, rule.precision);
        return std::pair(of.min_repetitions, of.max_repetitions);
    };
    using Limits = std::pair<std::int64_t, std::int64_t>;
    for (const std::int64_t size : {32, 1000}) EXPECT_EQ(limits(size), Limits(50, 500)) << size;
    for (const std::int64_t size : {std::int64_t{1001}, std::numeric_limits<std::int64_t>::max()})
        EXPECT_EQ(limits(size), Limits(3, 10)) << size;
    EXPECT_EQ(limits(31), Limits(rule.min_repetitions, rule.max_repetitions));
    EXPECT_TRUE(parse_repetitions("").empty());
}

TEST(Repetitions, ThatMakeNoSenseAreRefused)
{
    for (const auto *text :
         {"x", "1-5", "1-5:", "1-5:9", "5-1:3-9", "1-5:9-3", "1-5:1-9", "0-5:3-9", "1:3-9", "1-5:3-9;6-8:3-9"})
        EXPECT_THROW(parse_repetitions(text), Error) << text;
    EXPECT_EQ(support::message_of([] { parse_repetitions("1-100:3-9,100-:3-9"); }),
              "option 'repetitions' is '1-100:3-9,100-:3-9'; size 100 is in two of its ranges");
}

} // namespace
} // namespace hpart
