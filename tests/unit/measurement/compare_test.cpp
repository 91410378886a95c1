// Distributions told apart: how often the intervals of ratios hold, and what ends the rounds.
#include "fake_kernel.hpp"
#include "measurement/compare.hpp"
#include "series.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>

namespace hpart
{
namespace
{

const ElapsedSeconds no_time = [] { return 0.0; };

// Times of distributions on a machine that changes its pace from round to round.
class VaryingMachine
{
  public:
    VaryingMachine(std::vector<double> means, double noise, double pace, bool log_normal = false)
        : means_(std::move(means)), noise_(noise), pace_(pace), log_normal_(log_normal)
    {
    }

    double turn(std::size_t d)
    {
        if (turns_++ % means_.size() == 0) factor_ = 1 + pace_ * uniform_(generator_);
        const double z = standard_(generator_);
        const double noise = log_normal_ ? std::exp(noise_ * z - noise_ * noise_ / 2) : 1 + noise_ * z;
        return means_[d] * factor_ * noise;
    }

    Comparison compare(const StopRule &rule)
    {
        turns_ = 0;
        return hpart::compare(
            rule, means_.size(), [this](std::size_t d) { return turn(d); }, no_time);
    }

  private:
    std::vector<double> means_;
    double noise_, pace_, factor_ = 1;
    bool log_normal_;
    std::size_t turns_ = 0;
    std::mt19937_64 generator_{20261122};
    std::normal_distribution<double> standard_;
    std::uniform_real_distribution<double> uniform_;
};

StopRule rule_of(std::int64_t most, double precision = 0.025)
{
    return {.precision = precision, .max_repetitions = most};
}

TEST(Compare, EqualDistributionsAreHardlyEverToldApart)
{
    const int series = series_of(4000);
    for (const bool log_normal : {false, true})
        for (const double precision : {0.025, 0.002}) {
            VaryingMachine machine({2.5, 2.5}, 0.05, 0.5, log_normal);
            int told_apart = 0;
            for (int k = 0; k < series; ++k)
                told_apart += machine.compare(rule_of(400, precision)).ratios[1].is_distinguishable() ? 1 : 0;
            EXPECT_LE(told_apart, (0.05 + margin_of(0.05, 4000)) * series)
                << "precision " << precision << ", log-normal " << log_normal;
        }
}

TEST(Compare, TheIntervalHoldsTheRatioOfUnlikeDistributions)
{
    const int series = series_of(4000);
    for (const double ratio : {0.7, 0.97, 1.03, 1.2, 3.0}) {
        VaryingMachine machine({2.0, 2.0 * ratio}, 0.1, 0.5);
        int covered = 0, wrong = 0;
        for (int k = 0; k < series; ++k) {
            const auto found = machine.compare(rule_of(200)).ratios[1];
            covered += found.low <= ratio && ratio <= found.high ? 1 : 0;
            wrong += ratio > 1 ? found.high < 1 : found.low > 1 ? 1 : 0;
        }
        EXPECT_GE(covered, 0.95 * series - 3 * std::sqrt(0.05 * 0.95 * series)) << ratio;
        EXPECT_LE(wrong, (0.025 + margin_of(0.025, 4000)) * series) << ratio;
    }
}

TEST(Compare, EndsWhenAllDifferFromTheFirst)
{
    VaryingMachine machine({3.0, 1.0, 2.0}, 0.02, 0.5);
    const auto found = machine.compare(rule_of(1000));
    EXPECT_EQ(found.end, CompareEnd::distinguishable);
    EXPECT_EQ(found.repetitions, 10) << "the first look is enough";
    EXPECT_EQ(found.best, 1U);
    EXPECT_EQ(found.ratios[0].low, 1);
    EXPECT_EQ(found.ratios[0].high, 1);
    EXPECT_FALSE(found.ratios[0].is_distinguishable());
    EXPECT_NEAR(found.ratios[1].value, 1.0 / 3, 0.02);
    EXPECT_LT(found.ratios[1].high, 1);
    EXPECT_DOUBLE_EQ(found.ratios[2].value, found.estimates[2].mean / found.estimates[0].mean);
    EXPECT_EQ(found.samples.size(), 30U);
    EXPECT_LT(found.estimates[1].low, 1.5);
    EXPECT_LE(found.estimates[1].minimum, found.estimates[1].median);
}

TEST(Compare, EndsWhenEqualOnesAreKnownToThePrecision)
{
    VaryingMachine machine({2.0, 2.0, 4.0}, 0.05, 0.5);
    const auto found = machine.compare(rule_of(100000, 0.01));
    EXPECT_EQ(found.end, CompareEnd::precision);
    EXPECT_FALSE(found.ratios[1].is_distinguishable());
    EXPECT_LE(found.ratios[1].high - found.ratios[1].low, 0.02 * found.ratios[1].value);
    EXPECT_TRUE(found.ratios[2].is_distinguishable());
}

TEST(Compare, EqualValuesOfACoarseClockAreNotKnownExactly)
{
    const auto found = compare(
        {}, 2, [](std::size_t d) { return d == 0 ? 0.1 : 0.2; }, no_time);
    EXPECT_LT(found.ratios[1].low, 2);
    EXPECT_GT(found.ratios[1].high, 2);
    EXPECT_LT(found.estimates[0].low, 0.1);
}

// Programs that take 15 and 12 ms and print hundredths.
TEST(Compare, MediansHaveTheFloorOfThePrintedStep)
{
    for (const auto statistic : {Statistic::mean, Statistic::median}) {
        auto rule = rule_of(40);
        rule.statistic = statistic;
        rule.printed_step = [](std::size_t) { return 0.01; };
        const auto found = compare(
            rule, 2, [](std::size_t) { return 0.01; }, no_time);
        EXPECT_LT(found.estimates[1].low, 0.01);
        EXPECT_GT(found.estimates[1].high, 0.01);
        EXPECT_LT(found.ratios[1].low, 0.95);
        EXPECT_GT(found.ratios[1].high, 1.05);
        EXPECT_EQ(found.end, CompareEnd::max_repetitions);
        rule.interval = IntervalKind::plain;
        const auto plain = compare(
            rule, 2, [](std::size_t) { return 0.01; }, no_time);
        EXPECT_EQ(plain.ratios[1].low, 1);
        EXPECT_EQ(plain.ratios[1].high, 1);
        EXPECT_EQ(plain.estimates[1].low, 0.01);
    }
}

TEST(Compare, MediansThatMostRoundsShareHaveTheFloor)
{
    auto rule = rule_of(20);
    rule.statistic = Statistic::median;
    rule.printed_step = [](std::size_t) { return 0.1; };
    std::array<int, 2> runs{};
    const auto found = compare(
        rule, 2, [&](std::size_t d) { return ++runs[d] % 10 == 0 ? 0.9 : 0.2; }, no_time);
    EXPECT_LT(found.estimates[0].low, 0.2);
    EXPECT_LT(found.ratios[1].low, 0.95);
    EXPECT_GT(found.ratios[1].high, 1.05);
}

// Spikes in a tenth of the runs, which the means see.
TEST(Compare, MediansOfRatiosDoNotSeeSpikes)
{
    const int series = series_of(2000);
    std::mt19937_64 random(8);
    std::normal_distribution<double> standard;
    const auto turn = [&](std::size_t d) {
        return (d == 0 ? 2.0 : 2.2) * (1 + 0.02 * standard(random)) * (random() % 10 == 0 ? 20 : 1);
    };
    auto rule = rule_of(300);
    rule.statistic = Statistic::median;
    int covered = 0, told_apart = 0;
    for (int k = 0; k < series; ++k) {
        const auto found = compare(rule, 2, turn, no_time);
        covered += found.ratios[1].low <= 1.1 && 1.1 <= found.ratios[1].high ? 1 : 0;
        told_apart += found.ratios[1].low > 1 ? 1 : 0;
        EXPECT_EQ(found.estimates[0].value, found.estimates[0].median);
        EXPECT_LE(found.estimates[0].low, found.estimates[0].value);
    }
    EXPECT_GE(covered, (0.95 - margin_of(0.95, 2000)) * series);
    EXPECT_GE(told_apart, 0.95 * series);
}

TEST(Compare, EndsAtItsLimits)
{
    VaryingMachine machine({2.0, 2.001}, 0.2, 0.5);
    EXPECT_EQ(machine.compare(rule_of(37, 1e-6)).end, CompareEnd::max_repetitions);
    EXPECT_EQ(machine.compare(rule_of(37, 1e-6)).repetitions, 37);
    auto rule = rule_of(100000, 1e-6);
    rule.max_seconds = 5;
    double now = 0;
    const auto found = compare(
        rule, 2, [&](std::size_t d) { return now += 1, machine.turn(d); }, [&] { return now; });
    EXPECT_EQ(found.end, CompareEnd::max_seconds);
    EXPECT_EQ(found.repetitions, 3);
    rule.max_seconds = 0;
    EXPECT_EQ(compare(
                  rule, 2, [&](std::size_t d) { return machine.turn(d); }, no_time)
                  .repetitions,
              2)
        << "an interval needs two rounds";
}

TEST(Compare, ALimitWithinARoundKeepsTheRoundsBefore)
{
    const auto compared = [](int last) {
        int turns = 0;
        const auto turn = [&](std::size_t d) {
            if (++turns > last) fail(Status::limit, "over");
            return d == 0 ? 1.0 : 1.5;
        };
        return compare(rule_of(1000), 2, turn, [] { return 0.0; });
    };
    const auto found = compared(7);
    EXPECT_EQ(found.repetitions, 3);
    EXPECT_EQ(found.samples.size(), 6U);
    EXPECT_DOUBLE_EQ(found.ratios[1].value, 1.5);
    expect_error(Status::limit, {"over"}, [&] { compared(3); });
}

TEST(Compare, OneDistributionIsMeasuredToThePrecision)
{
    VaryingMachine machine({2.0}, 0.05, 0);
    const auto found = machine.compare(rule_of(100000, 0.01));
    EXPECT_EQ(found.end, CompareEnd::precision);
    EXPECT_LE(found.estimates[0].high - found.estimates[0].low, 0.02 * found.estimates[0].mean);
}

TEST(Compare, ARoundRunsEachOnceInRandomOrder)
{
    std::vector<std::size_t> order;
    const auto found = compare(
        rule_of(20, 1e-6), 3,
        [&](std::size_t d) {
            order.push_back(d);
            return static_cast<double>(1 + order.size() % 7);
        },
        no_time);
    std::set<std::vector<std::size_t>> orders;
    for (std::size_t begin = 0; begin < order.size(); begin += 3) {
        std::vector<std::size_t> round(order.begin() + static_cast<std::ptrdiff_t>(begin),
                                       order.begin() + static_cast<std::ptrdiff_t>(begin + 3));
        orders.insert(round);
        std::sort(round.begin(), round.end());
        EXPECT_EQ(round, (std::vector<std::size_t>{0, 1, 2}));
    }
    EXPECT_GT(orders.size(), 3U);
    EXPECT_EQ(static_cast<std::size_t>(found.repetitions) * 3, order.size());
}

TEST(Compare, TimesWithoutNoiseAndTimesOfNothing)
{
    const auto exact = compare(
        rule_of(100), 2, [](std::size_t d) { return d == 0 ? 2.0 : 3.00000001; }, no_time);
    EXPECT_LT(exact.ratios[1].low, 1.4) << "2 has a step of 1";
    const auto finer = compare(
        rule_of(100), 2, [](std::size_t d) { return d == 0 ? 2.00000002 : 3.00000003; }, no_time);
    EXPECT_NEAR(finer.ratios[1].low, 1.5, 1e-7);
    EXPECT_NEAR(finer.ratios[1].high, 1.5, 1e-7);
    const auto nothing = compare(
        rule_of(20), 2, [](std::size_t d) { return d == 0 ? 0.0 : 1.0; }, no_time);
    EXPECT_FALSE(nothing.ratios[1].is_distinguishable()) << "a ratio to 0 is unknown";
    EXPECT_EQ(nothing.repetitions, 20);
}

// Programs that print whole seconds.
TEST(Compare, TimesOfZeroMayHaveAnyRatio)
{
    for (const auto statistic : {Statistic::mean, Statistic::median})
        for (const auto interval : {IntervalKind::two_sided, IntervalKind::plain}) {
            auto rule = rule_of(1000);
            rule.statistic = statistic;
            rule.interval = interval;
            const auto found = compare(
                rule, 2, [](std::size_t) { return 0.0; }, no_time);
            EXPECT_EQ(found.ratios[1].value, 1);
            EXPECT_EQ(found.ratios[1].low, 0);
            EXPECT_TRUE(std::isinf(found.ratios[1].high));
            EXPECT_EQ(found.repetitions, 10) << "more rounds show no more";
        }
}

TEST(Compare, RoundsWhoseFirstIsZeroMayHaveAnyRatio)
{
    auto rule = rule_of(20);
    rule.statistic = Statistic::median;
    std::array<int, 2> runs{};
    const auto found = compare(
        rule, 2, [&](std::size_t d) { return ++runs[d] % 3 == 0 ? 0.0 : 1.25; }, no_time);
    EXPECT_EQ(found.ratios[1].low, 0);
    EXPECT_TRUE(std::isinf(found.ratios[1].high));
}

TEST(Compare, ATeamPreparesWarmsUpAndRuns)
{
    Team team;
    const auto first = add_fake(team, "a");
    const auto second = add_fake(team, "b");
    int polls = 0;
    const auto found =
        compare(team, {{{0, 3}, {0, 0}}, {{0, 1}, {0, 2}}}, {rule_of(10, 1e-6), 2, true}, Poll([&] { ++polls; }));
    EXPECT_EQ(found.repetitions, 10);
    EXPECT_EQ(polls, 60) << "one a run";
    EXPECT_EQ(first->prepared, 20);
    EXPECT_EQ(first->run, 60);
    EXPECT_EQ(second->prepared, 10);
    EXPECT_EQ(second->run, 30);
    EXPECT_EQ(second->released, 10);
}

TEST(Compare, UtilisationIsTheBusyShareOfAllProcessors)
{
    Team team;
    for (const auto *name : {"a", "b"})
        add_timed(team, name, [](const Slice &slice) { return static_cast<double>(slice.rows); });
    const auto found =
        compare(team, {{{0, 4}, {0, 4}}, {{0, 6}, {0, 2}}, {{0, 8}, {0, 0}}}, {rule_of(10), 0, true}, Poll());
    EXPECT_EQ(found.utilisation, (std::vector<double>{1, 8.0 / 12, 0.5}));
    const auto in_turn = compare(team, {{{0, 4}, {0, 4}}, {{0, 6}, {0, 1}}}, {rule_of(10), 0, false}, Poll());
    EXPECT_EQ(in_turn.estimates[0].mean, 8);
    EXPECT_EQ(in_turn.estimates[1].mean, 7);
    EXPECT_EQ(in_turn.utilisation, (std::vector<double>{0.5, 0.5}));
}

// Dynamic energies may be measured below 0, when the base power is too high.
TEST(Compare, NothingIsLessThanAnEnergyBelowZero)
{
    VaryingMachine machine({-1, -2, 3}, 0.01, 0);
    const auto found = machine.compare(rule_of(50));
    for (std::size_t d = 1; d < 3; ++d) EXPECT_FALSE(found.ratios[d].is_distinguishable()) << d;
}

} // namespace
} // namespace hpart
