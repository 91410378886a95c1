#include "optimum/certified_search.hpp"

#include "core/error.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <optional>

namespace hpart::optimum
{
namespace
{

using support::Random;

std::int64_t between(Random &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution(low, high)(random);
}
double uniform(Random &random, double low, double high) { return std::uniform_real_distribution(low, high)(random); }

// Processors whose time, or energy, is a rate of their own times a factor from 1 to `jaggedness`, size by size.
struct Truth {
    std::vector<std::vector<std::int64_t>> sizes;
    std::vector<std::vector<double>> costs;
    std::int64_t size = 0;
    Objective objective = Objective::time;

    double together(double a, double b) const { return objective == Objective::time ? std::max(a, b) : a + b; }

    double cost_of(const std::vector<std::int64_t> &x) const
    {
        double cost = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == 0) continue;
            const auto at = std::lower_bound(sizes[i].begin(), sizes[i].end(), x[i]);
            if (at == sizes[i].end() || *at != x[i]) return NAN;
            cost = together(cost, costs[i][static_cast<std::size_t>(at - sizes[i].begin())]);
        }
        return cost;
    }

    // By dynamic programming over all totals: the textbook's way.
    std::optional<double> least() const
    {
        std::vector<double> best(static_cast<std::size_t>(size) + 1, INFINITY);
        best.at(0) = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            auto next = best;
            for (std::size_t k = 0; k < sizes[i].size(); ++k)
                for (auto total = static_cast<std::size_t>(sizes[i][k]); total < best.size(); ++total)
                    next[total] = std::min(next[total],
                                           together(best[total - static_cast<std::size_t>(sizes[i][k])], costs[i][k]));
            best = std::move(next);
        }
        const double found = best.at(static_cast<std::size_t>(size));
        if (std::isinf(found)) return std::nullopt;
        return found;
    }
};

Truth any_truth(Random &random, double jaggedness)
{
    Truth truth;
    truth.objective = between(random, 0, 1) == 0 ? Objective::time : Objective::energy;
    const auto p = between(random, 1, 4);
    const auto scale = std::pow(10, uniform(random, -9, 6));
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < p; ++i) {
        truth.sizes.emplace_back();
        truth.costs.emplace_back();
        const double speed = uniform(random, 1, 8);
        const auto step = between(random, 1, 3), count = between(random, 1, 60);
        for (std::int64_t k = 1; k <= count; ++k) {
            truth.sizes.back().push_back(k * step);
            truth.costs.back().push_back(scale * static_cast<double>(k * step) / speed *
                                         uniform(random, 1, jaggedness));
        }
        sum += count * step;
    }
    truth.size = between(random, 1, sum);
    return truth;
}

// Runs a search to its end; false after too many rounds.
bool run(CertifiedSearch &search, const Truth &truth, const std::function<double()> &disturb, int most_rounds = 2000)
{
    for (int round = 0; round < most_rounds; ++round) {
        const auto requests = search.next();
        if (requests.empty()) return true;
        for (const auto &request : requests) {
            EXPECT_GT(request.repetitions, 0);
            std::vector<double> batch(static_cast<std::size_t>(request.repetitions));
            for (auto &value : batch) value = truth.costs[request.processor][request.point] * disturb();
            search.function(request.processor).add(request.point, batch);
        }
    }
    return false;
}

double quiet() { return 1; }

TEST(CertifiedSearch, IsRightWhereTheJaggednessIs)
{
    auto random = support::seeded(72);
    const auto count = support::how_many(20'000, 0.05);
    std::int64_t measured = 0, all = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const double jaggedness = uniform(random, 1, 3);
        const auto truth = any_truth(random, jaggedness);
        const auto least = truth.least();
        SearchRules rules;
        rules.size = truth.size;
        rules.objective = truth.objective;
        rules.precision = uniform(random, 0.001, 0.3);
        rules.jaggedness = jaggedness * (1 + 1e-9);
        rules.all_sizes = between(random, 0, 4) == 0;
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
    const auto count = support::how_many(20'000, 0.005);
    std::int64_t wrong = 0, certified = 0;
    double regret = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        auto truth = any_truth(random, 2);
        const auto least = truth.least();
        if (!least) continue;
        SearchRules rules;
        rules.size = truth.size;
        rules.objective = truth.objective;
        CertifiedSearch search(truth.sizes, rules);
        const bool has_spikes = k % 2 == 0;
        const auto disturb = [&] {
            const double value = 1 + 0.03 * std::normal_distribution()(random);
            return has_spikes && between(random, 1, 20) == 1 ? 1.5 * value : value;
        };
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

TEST(CertifiedSearch, GoesOnFromWhatIsKnown)
{
    auto random = support::seeded(74);
    Truth truth;
    do truth = any_truth(random, 1.5);
    while (!truth.least() || truth.sizes.size() < 2);
    SearchRules rules;
    rules.size = truth.size;
    rules.objective = truth.objective;
    CertifiedSearch first(truth.sizes, rules), second(truth.sizes, rules);
    ASSERT_TRUE(run(first, truth, quiet));
    for (std::size_t i = 0; i < first.processors(); ++i)
        for (std::size_t k = 0; k < first.function(i).count(); ++k)
            if (first.function(i).is_measured(k))
                second.function(i).add_known(k, first.function(i).interval(k).value, 0,
                                             first.function(i).repetitions(k));
    int rounds = 0;
    for (auto requests = second.next(); !requests.empty(); requests = second.next(), ++rounds)
        for (const auto &request : requests)
            second.function(request.processor)
                .add(request.point, std::vector(2, truth.costs[request.processor][request.point]));
    EXPECT_LE(second.certificate().upper, first.certificate().upper);
    EXPECT_LE(rounds, 4) << "the points of the distribution once more";
}

TEST(CertifiedSearch, GoesAroundSizesThatCannotBeRun)
{
    const Truth truth{{{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}, 4};
    SearchRules rules;
    rules.size = truth.size;
    CertifiedSearch search(truth.sizes, rules);
    search.function(0).exclude(1); // 2 + 2 is not to be had
    ASSERT_TRUE(run(search, truth, quiet));
    EXPECT_TRUE(search.certificate().certified);
    EXPECT_EQ(truth.cost_of(search.certificate().x), 3);
    for (std::size_t k = 0; k < 4; ++k) search.function(0).exclude(k);
    for (std::size_t k = 0; k < 3; ++k) search.function(1).exclude(k);
    EXPECT_EQ(search.certificate().x, (std::vector<std::int64_t>{0, 4}));
    search.function(1).exclude(3);
    EXPECT_THROW(search.next(), Error);
}

TEST(CertifiedSearch, EndsWhereNoMoreIsToBeLearned)
{
    const Truth truth{{{1, 2}, {1, 2}}, {{0, 0}, {0, 0}}, 3};
    SearchRules rules;
    rules.size = truth.size;
    CertifiedSearch search(truth.sizes, rules);
    ASSERT_TRUE(run(search, truth, quiet));
    EXPECT_TRUE(search.certificate().certified) << "no time is less than 0";

    auto random = support::seeded(75);
    rules.max_repetitions = 20;
    const Truth noisy{{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, 3};
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
    for (int k = 0; k < 200; ++k) {
        auto truth = any_truth(random, 2);
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
    SearchRules rules;
    rules.objective = Objective::energy;
    rules.size = 10;
    const std::vector<std::int64_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    CertifiedSearch search({sizes, sizes}, rules);
    for (int round = 0; round < 1000; ++round) {
        const auto requests = search.next();
        if (requests.empty()) break;
        for (const auto &[i, k, repetitions] : requests)
            search.function(i).add(k, std::vector<double>(static_cast<std::size_t>(repetitions), -0.1));
    }
    EXPECT_FALSE(search.certificate().certified);
}

} // namespace
} // namespace hpart::optimum
