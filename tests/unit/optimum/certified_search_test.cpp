#include "optimum/certified_search.hpp"

#include "core/error.hpp"
#include "truth.hpp"

#include <array>
#include <cmath>
#include <numeric>

namespace hpart::optimum
{
namespace
{

Truth any_truth_of_one_value(Random &random, double jaggedness)
{
    constexpr std::array objectives{Objective::time, Objective::energy, Objective::total_energy, Objective::sum_time};
    auto truth = any_truth(random, jaggedness, between(random, 1, 4));
    truth.objective = objectives.at(static_cast<std::size_t>(between(random, 0, 3)));
    return truth;
}

TEST(CertifiedSearch, IsRightWhereTheJaggednessIs)
{
    auto random = support::seeded(72);
    const auto count = support::how_many(0.03);
    std::int64_t measured = 0, all = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const double jaggedness = uniform(random, 1, 3);
        const auto truth = any_truth_of_one_value(random, jaggedness);
        const auto least = truth.least();
        const auto rules = any_rules(random, truth, jaggedness);
        if (!least) {
            EXPECT_THROW(CertifiedSearch(truth.sizes, rules), Error);
            continue;
        }
        CertifiedSearch search(truth.sizes, rules);
        ASSERT_TRUE(run(search, truth, quiet));
        const auto found = search.certificate();
        EXPECT_TRUE(found.certified);
        EXPECT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), truth.size);
        const double cost = truth.cost_of(found.x);
        EXPECT_LE(found.lower, *least * (1 + 1e-12));
        EXPECT_LE(cost, found.upper * (1 + 1e-12));
        EXPECT_LE(cost, (1 + rules.precision) * *least * (1 + 1e-12));
        for (std::size_t i = 0; i < search.processors(); ++i) {
            measured += static_cast<std::int64_t>(search.function(i).measured());
            all += static_cast<std::int64_t>(search.function(i).count());
        }
    }
    EXPECT_LT(measured, all * 9 / 10) << "a search measures less than all";
}

TEST(CertifiedSearch, IsRightUnderNoiseAsOftenAsItSays)
{
    auto random = support::seeded(73);
    const auto count = support::how_many(0.005);
    std::int64_t wrong = 0, certified = 0;
    double regret = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        auto truth = any_truth_of_one_value(random, 2);
        const auto least = truth.least();
        if (!least) continue;
        const auto rules = rules_of(truth);
        CertifiedSearch search(truth.sizes, rules);
        const auto disturb = noise(random, k % 2 == 0);
        if (!run(search, truth, disturb)) continue;
        const auto found = search.certificate();
        if (!found.certified) continue;
        ++certified;
        const double excess = truth.cost_of(found.x) / *least - 1;
        regret += excess;
        wrong += excess > rules.precision ? 1 : 0;
    }
    EXPECT_GT(certified, count * 6 / 10); // of the others most have no distribution
    EXPECT_LE(static_cast<double>(wrong), 0.05 * static_cast<double>(certified) + 2);
    EXPECT_LE(regret, 0.02 * static_cast<double>(certified));
}

// Another program slows bursts of about ten repetitions, a sixth of the time: longer than a batch.
TEST(CertifiedSearch, SeesThroughMostBursts)
{
    auto random = support::seeded(76);
    const auto count = support::how_many(0.02);
    std::int64_t wrong = 0, certified = 0;
    bool is_busy = false;
    const auto bursts = [&] {
        if (uniform(random, 0, 1) < (is_busy ? 0.1 : 0.02)) is_busy = !is_busy;
        return (is_busy ? 1.3 : 1) * (1 + 0.02 * std::normal_distribution()(random));
    };
    for (std::int64_t k = 0; k < count; ++k) {
        const auto truth = any_truth(random, 2, between(random, 2, 4));
        const auto least = truth.least();
        if (!least) continue;
        CertifiedSearch search(truth.sizes, rules_of(truth));
        if (!run(search, truth, bursts)) continue;
        const auto found = search.certificate();
        if (!found.certified) continue;
        ++certified;
        wrong += truth.cost_of(found.x) > 1.05 * *least ? 1 : 0;
    }
    EXPECT_GT(certified, count * 8 / 10);
    const auto all = static_cast<double>(certified);
    EXPECT_LE(static_cast<double>(wrong), 0.08 * all + 2 * std::sqrt(0.08 * all)) << "of " << certified;
}

// Every second run, at random, is 60 times as long: no median is known, however many runs agree by chance.
TEST(CertifiedSearch, CertifiesNothingBetweenTwoSpeeds)
{
    auto random = support::seeded(77);
    const auto count = std::min<std::int64_t>(support::how_many(0.02), 100);
    std::int64_t certified = 0;
    for (std::int64_t run = 0; run < count; ++run) {
        Truth truth;
        for (const double speed : {3.0, 1.0}) {
            truth.sizes.emplace_back();
            truth.seconds.emplace_back();
            for (std::int64_t x = 50; x <= 1000; x += 50) {
                truth.sizes.back().push_back(x);
                truth.seconds.back().push_back(static_cast<double>(x) / speed);
            }
        }
        truth.size = 1000;
        auto rules = rules_of(truth);
        rules.max_repetitions = 100;
        CertifiedSearch search(truth.sizes, rules);
        const auto coin = [&] {
            return (between(random, 0, 1) == 0 ? 1 : 60) * (1 + 0.01 * std::normal_distribution()(random));
        };
        EXPECT_TRUE(optimum::run(search, truth, coin));
        certified += search.certificate().certified ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(certified), 0.05 * static_cast<double>(count) + 1);
}

// Times that a program prints with few digits: what is certified holds for the times themselves.
TEST(CertifiedSearch, IsRightWithRoundedTimes)
{
    auto random = support::seeded(78);
    std::int64_t certified = 0, refused = 0;
    for (std::int64_t k = 0; k < support::how_many(0.03) && !HasFailure(); ++k) {
        auto truth = any_truth(random, 2, between(random, 1, 4));
        const auto least = truth.least();
        if (!least) continue;
        auto rules = rules_of(truth);
        rules.all_sizes = true;
        rules.jaggedness = 2 * (1 + 1e-9);
        rules.max_repetitions = 20;
        const double step = std::pow(10, std::floor(std::log10(*least)) - static_cast<double>(between(random, -1, 3)));
        if (step > 1) continue;
        auto printed = truth;
        for (auto &of_one : printed.seconds)
            for (auto &seconds : of_one)
                seconds = std::stod(std::to_string(std::llround(seconds / step)) + "e" +
                                    std::to_string(std::lround(std::log10(step))));
        CertifiedSearch search(truth.sizes, rules);
        ASSERT_TRUE(run(search, printed, quiet));
        const auto found = search.certificate();
        ++(found.certified ? certified : refused);
        if (found.certified) {
            EXPECT_LE(truth.cost_of(found.x), (1 + rules.precision) * *least * (1 + 1e-12)) << step;
        }
    }
    EXPECT_GT(certified, 0);
    EXPECT_GT(refused, 0);
}

// The file of a search over small sizes says nothing of larger ones, however slow the last ones were.
TEST(CertifiedSearch, LooksBeyondTheSizesOfItsFile)
{
    Truth truth;
    const std::vector<double> slow = {6, 12, 18, 24, 30, 36.5, 63, 72, 81, 90, 99, 108};
    const std::vector<double> fast = {5, 7, 9, 11, 15, 36.25, 60.5, 65.25, 70.5, 30.25, 75.5, 80.25};
    truth.sizes.assign(2, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    truth.seconds = {slow, fast};
    truth.size = 12;
    CertifiedSearch search(truth.sizes, rules_of(truth));
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t k = 0; k < 8; ++k) search.function(i).add_known(k, truth.seconds[i][k], 0, 3);
    ASSERT_TRUE(run(search, truth, [] { return 1.0000001; }));
    EXPECT_TRUE(search.certificate().certified);
    EXPECT_EQ(search.certificate().x, (std::vector<std::int64_t>{2, 10}));
}

TEST(CertifiedSearch, GoesOnFromWhatIsKnown)
{
    auto random = support::seeded(74);
    Truth truth;
    do truth = any_truth_of_one_value(random, 1.5);
    while (!truth.least() || truth.sizes.size() < 2);
    const auto rules = rules_of(truth);
    CertifiedSearch first(truth.sizes, rules), second(truth.sizes, rules);
    ASSERT_TRUE(run(first, truth, quiet));
    for (std::size_t i = 0; i < first.processors(); ++i)
        for (std::size_t k = 0; k < first.function(i).count(); ++k)
            for (const auto kind : {FunctionKind::time, FunctionKind::energy})
                if (const auto &known = first.function(i, kind); known.is_measured(k))
                    second.function(i, kind).add_known(k, known.interval(k).value, 0, known.repetitions(k));
    second.set_base_power(truth.base_power, 0);
    int rounds = 0;
    for (auto requests = second.next(); !requests.empty(); requests = second.next(), ++rounds)
        for (const auto &[i, k, repetitions, kind] : requests)
            second.function(i, kind).add(
                k, std::vector(static_cast<std::size_t>(repetitions),
                               (kind == FunctionKind::time ? truth.seconds : truth.joules)[i][k]));
    EXPECT_LE(second.certificate().upper, first.certificate().upper * (1 + 1e-12));
    EXPECT_LE(rounds, 4) << "the points of the distribution once more";
}

TEST(CertifiedSearch, GoesAroundSizesThatCannotBeRun)
{
    const Truth truth{{{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}, 4};
    CertifiedSearch search(truth.sizes, rules_of(truth));
    search.exclude(0, 1); // 2 + 2 is not to be had
    ASSERT_TRUE(run(search, truth, with_digits));
    EXPECT_TRUE(search.certificate().certified);
    EXPECT_EQ(truth.cost_of(search.certificate().x), 3);
    for (std::size_t k = 0; k < 4; ++k) search.exclude(0, k);
    for (std::size_t k = 0; k < 3; ++k) search.exclude(1, k);
    EXPECT_EQ(search.certificate().x, (std::vector<std::int64_t>{0, 4}));
    search.exclude(1, 3);
    EXPECT_THROW(search.next(), Error);
}

TEST(CertifiedSearch, EndsWhereNoMoreIsToBeLearned)
{
    const Truth truth{{{1, 2}, {1, 2}}, {{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, 3};
    auto rules = rules_of(truth);
    CertifiedSearch search(truth.sizes, rules);
    ASSERT_TRUE(run(search, truth, quiet));
    EXPECT_FALSE(search.certificate().certified) << "times of 0 may be of half a second";

    auto random = support::seeded(75);
    rules.max_repetitions = 20;
    const Truth noisy{{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, 3};
    CertifiedSearch limited(noisy.sizes, rules);
    EXPECT_TRUE(run(limited, noisy, [&] { return std::exp(std::normal_distribution()(random)); }));
    EXPECT_FALSE(limited.certificate().certified);
    EXPECT_FALSE(limited.certificate().x.empty());
    rules.objective = Objective::energy;
    CertifiedSearch of_energy(noisy.sizes, rules);
    EXPECT_TRUE(run(of_energy, noisy, [&] { return std::exp(std::normal_distribution()(random)); }));
    EXPECT_FALSE(of_energy.certificate().certified);
}

// An estimate of a dynamic energy may be below 0.
TEST(CertifiedSearch, TakesEnergiesThatAreMeasuredBelowZero)
{
    auto random = support::seeded(76);
    SearchRules rules;
    rules.objective = Objective::energy;
    rules.max_repetitions = 40;
    for (auto k = std::min<std::int64_t>(support::how_many(0.01), 200); k > 0; --k) {
        auto truth = any_truth_of_one_value(random, 2);
        if (!truth.least()) continue;
        rules.size = truth.size;
        CertifiedSearch search(truth.sizes, rules);
        ASSERT_TRUE(run(search, truth, [&] { return std::normal_distribution(0.5, 1.0)(random); }));
        const auto found = search.certificate();
        EXPECT_GE(found.lower, 0);
        EXPECT_LE(found.lower, found.upper);
        for (std::size_t i = 0; i < search.processors(); ++i)
            for (std::size_t j = 0; j < search.function(i).count(); ++j) {
                if (!search.function(i).is_measured(j)) continue;
                const auto interval = search.function(i).interval(j);
                EXPECT_GE(interval.low, 0);
                EXPECT_LE(interval.low, interval.value);
                EXPECT_LE(interval.value, interval.high);
            }
    }
}

TEST(CertifiedSearch, EnergiesOfNothingCertifyNothing)
{
    const std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    const std::vector<double> ones(sizes.size(), 1);
    const Truth truth{{sizes, sizes}, {ones, ones}, {ones, ones}, 10, Objective::energy};
    CertifiedSearch search(truth.sizes, rules_of(truth));
    run(search, truth, [] { return -0.1; });
    EXPECT_FALSE(search.certificate().certified);
}

} // namespace
} // namespace hpart::optimum
