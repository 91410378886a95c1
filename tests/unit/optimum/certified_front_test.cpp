#include "optimum/certified_search.hpp"

#include "core/error.hpp"
#include "truth.hpp"

#include <numeric>

namespace hpart::optimum
{
namespace
{

Truth any_truth_of_a_front(Random &random, double jaggedness, std::int64_t processors, std::int64_t most_sizes)
{
    auto truth = any_truth(random, jaggedness, processors, most_sizes);
    truth.objective = between(random, 0, 1) == 0 ? Objective::energy : Objective::total_energy;
    return truth;
}

// The least excess by which distributions of `found` cover the front.
double excess_over(const std::vector<FrontPoint> &front, const std::vector<FrontPoint> &found, const Truth &truth)
{
    double worst = 0;
    for (const auto &point : front) {
        double best = INFINITY;
        for (const auto &other : found) {
            const auto taken = truth.point_of(other.x);
            best = std::min(best, std::max(taken.seconds / point.seconds, truth.value_of(taken) / point.joules) - 1);
        }
        worst = std::max(worst, best);
    }
    return worst;
}

TEST(CertifiedFront, IsRightWhereTheJaggednessIs)
{
    auto random = support::seeded(81);
    const auto count = support::how_many(0.01);
    std::int64_t measured = 0, all = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const double jaggedness = uniform(random, 1, 2);
        const auto truth = any_truth_of_a_front(random, jaggedness, between(random, 1, 4), 30);
        const auto front = truth.front();
        const auto rules = any_rules(random, truth, jaggedness);
        if (front.empty()) {
            EXPECT_THROW(CertifiedFront(truth.sizes, rules), Error);
            continue;
        }
        CertifiedFront search(truth.sizes, rules);
        ASSERT_TRUE(run(search, truth, quiet));
        const auto &found = search.certificate();
        EXPECT_TRUE(found.certified);
        EXPECT_EQ(found.covered, 1);
        EXPECT_LE(excess_over(front, found.upper, truth), rules.precision * (1 + 1e-9) + 1e-12);
        for (std::size_t p = 0; p < found.upper.size(); ++p) {
            const auto &point = found.upper[p];
            EXPECT_EQ(std::accumulate(point.x.begin(), point.x.end(), std::int64_t{0}), truth.size);
            EXPECT_LE(truth.point_of(point.x).seconds, point.seconds * (1 + 1e-12));
            EXPECT_LE(truth.cost_of(point.x), point.joules * (1 + 1e-12));
            if (p == 0) continue;
            EXPECT_LT(found.upper[p - 1].seconds, point.seconds);
            EXPECT_GT(found.upper[p - 1].joules, point.joules);
        }
        for (const auto &point : front) // some point of the lower front is not above it
            EXPECT_TRUE(std::any_of(found.lower.begin(), found.lower.end(), [&](const auto &lower) {
                return lower.seconds <= point.seconds * (1 + 1e-12) && lower.joules <= point.joules * (1 + 1e-12);
            }));
        for (std::size_t i = 0; i < search.processors(); ++i) {
            measured += static_cast<std::int64_t>(search.function(i).measured());
            all += static_cast<std::int64_t>(search.function(i).count());
        }
    }
    EXPECT_LT(measured, all * 9 / 10) << "a search measures less than all";
}

// Certificates of 1, 2, 3 and 8 processors.
using CertifiedFrontOf = testing::TestWithParam<std::int64_t>;

TEST_P(CertifiedFrontOf, IsRightUnderNoiseAsOftenAsItSays)
{
    auto random = support::seeded(82);
    const auto processors = GetParam();
    const auto count = support::how_many(0.01);
    std::int64_t wrong = 0, certified = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        Truth truth;
        std::vector<FrontPoint> front;
        do {
            truth = any_truth_of_a_front(random, 2, processors, processors > 3 ? 12 : 30);
            front = truth.front();
        } while (front.empty());
        CertifiedFront search(truth.sizes, rules_of(truth));
        if (!run(search, truth, noise(random, k % 2 == 0)) || !search.certificate().certified) continue;
        ++certified;
        wrong += excess_over(front, search.certificate().upper, truth) > search.rules().precision ? 1 : 0;
    }
    EXPECT_GT(certified, count * 9 / 10);
    EXPECT_LE(static_cast<double>(wrong), 0.05 * static_cast<double>(certified) + 2);
}

INSTANTIATE_TEST_SUITE_P(Processors, CertifiedFrontOf, testing::Values(1, 2, 3, 8),
                         [](const auto &param) { return std::to_string(param.param); });

TEST(CertifiedFront, GoesAroundSizesThatCannotBeRun)
{
    const Truth truth{
        {{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 2, 3, 4}, {1, 2, 3, 4}}, {{1, 2, 3, 4}, {2, 4, 6, 8}}, 4, Objective::energy};
    CertifiedFront search(truth.sizes, rules_of(truth));
    search.exclude(0, 1); // 2 + 2 is not to be had
    ASSERT_TRUE(run(search, truth, with_digits));
    const auto &found = search.certificate();
    EXPECT_TRUE(found.certified);
    ASSERT_EQ(found.upper.size(), 2U);
    EXPECT_EQ(found.upper[0].x, (std::vector<std::int64_t>{3, 1}));
    EXPECT_EQ(found.upper[1].x, (std::vector<std::int64_t>{4, 0}));
}

TEST(CertifiedFront, EndsWhereNoMoreIsToBeLearned)
{
    auto random = support::seeded(83);
    const Truth truth{{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, {{1, 2}, {2, 3}}, 3, Objective::energy};
    auto rules = rules_of(truth);
    rules.max_repetitions = 20;
    CertifiedFront search(truth.sizes, rules);
    EXPECT_TRUE(run(search, truth, [&] { return std::exp(std::normal_distribution()(random)); }));
    EXPECT_FALSE(search.certificate().certified);
    EXPECT_FALSE(search.certificate().upper.empty());
    CertifiedFront of_nothing(truth.sizes, rules);
    EXPECT_TRUE(run(of_nothing, truth, [&] { return std::normal_distribution(0.0, 1.0)(random); }));
    EXPECT_FALSE(of_nothing.certificate().certified) << "energies of nothing certify nothing";
}

TEST(CertifiedFront, TheErrorOfTheBasePowerWidensTotalEnergies)
{
    const Truth truth{{{1, 2}, {1, 2}}, {{1, 2}, {1, 2}}, {{1, 2}, {2, 3}}, 3, Objective::total_energy, 10};
    CertifiedFront search(truth.sizes, rules_of(truth));
    ASSERT_TRUE(run(search, truth, with_digits));
    EXPECT_TRUE(search.certificate().certified);
    search.set_base_power(truth.base_power, 2);
    EXPECT_FALSE(search.certificate().certified);
    const auto value = search.value_of(std::vector<std::int64_t>{1, 2}, Objective::total_energy);
    EXPECT_NEAR(value.value, 10 * 2 + 4, 1e-6);
    EXPECT_NEAR(value.low, 8 * 2 + 4, 1e-6);
    EXPECT_NEAR(value.high, 12 * 2 + 4, 1e-6);
}

} // namespace
} // namespace hpart::optimum
