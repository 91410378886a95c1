// Trends against least squares by Gaussian elimination, and what a trial may be.
#include "adaptive/trials.hpp"

#include "simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace hpart;
using simulation::uniform;
using support::between;
using support::how_many;
using support::Random;
using support::seeded;

namespace
{

using Sizes = std::vector<std::int64_t>;
using Matrix = std::vector<std::vector<double>>;

std::vector<double> solve(Matrix a, std::vector<double> b)
{
    const auto n = b.size();
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i < n; ++i) {
            if (i == k) continue;
            const double factor = a[i][k] / a[k][k];
            for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (std::size_t k = 0; k < n; ++k) b[k] /= a[k][k];
    return b;
}

PartialFunction any_function(Random &random, std::int64_t points)
{
    PartialFunction function;
    std::int64_t size = 0;
    for (std::int64_t k = 0; k < points; ++k) {
        size += between(random, 1, 30);
        for (auto repeats = between(random, 1, 3); repeats > 0; --repeats)
            function.add(size, static_cast<double>(size) * uniform(random, 0.7, 1.3), k);
    }
    return function;
}

TEST(Trend, IsTheLeastSquaresSolution)
{
    auto random = seeded(41);
    for (std::int64_t k = 0; k < how_many(0.25); ++k) {
        const auto function = any_function(random, between(random, 1, 12));
        const Variances variances{uniform(random, 0.01, 1), uniform(random, 0.001, 0.1)};
        const double noise = uniform(random, 0, 0.2);
        const auto size = between(random, 1, 300);
        const auto estimate = Trend(function, variances, noise).at(size);
        // The states at the sizes that were run, and at the one asked for: differences and times by their variances.
        Sizes sizes;
        for (const auto &known : function.observations()) sizes.push_back(known.size);
        if (function.find(size) == nullptr) sizes.insert(std::upper_bound(sizes.begin(), sizes.end(), size), size);
        Matrix a(sizes.size(), std::vector<double>(sizes.size(), 0));
        std::vector<double> b(sizes.size(), 0), unit(sizes.size(), 0);
        std::size_t asked = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            if (sizes[i] == size) asked = i;
            if (const auto *known = function.find(sizes[i])) {
                const double weight = 1 / (variances.jitter + noise * noise / known->count);
                a[i][i] += weight;
                b[i] += weight * std::log(static_cast<double>(known->size) / known->seconds);
            }
            if (i == 0) continue;
            const double weight =
                1 / (variances.walk * std::log(static_cast<double>(sizes[i]) / static_cast<double>(sizes[i - 1])));
            a[i][i] += weight;
            a[i - 1][i - 1] += weight;
            a[i][i - 1] -= weight;
            a[i - 1][i] -= weight;
        }
        unit[asked] = 1;
        const double mean = std::log(static_cast<double>(size)) - solve(a, b)[asked];
        const double variance = solve(a, unit)[asked] + variances.jitter;
        EXPECT_NEAR(estimate.mean, mean, 1e-6);
        const bool is_between = asked > 0 && asked + 1 < sizes.size() && function.find(size) == nullptr;
        EXPECT_GE(estimate.variance, variance * (1 - 1e-6));
        EXPECT_LE(estimate.variance, is_between ? variance + variances.jitter + noise * noise : variance * (1 + 1e-6));
    }
}

// The trend may only rise and takes a part of the scatter: up to 29 % of 40 functions.
TEST(Trials, VariancesAreLearned)
{
    auto random = seeded(42);
    for (const double jitter : {0.0, 0.05, 0.17}) {
        std::vector<PartialFunction> functions(40);
        std::vector<const PartialFunction *> all;
        std::normal_distribution<double> normal;
        for (auto &function : functions) {
            for (std::int64_t size = 10; size <= 300; size += 10)
                function.add(size, static_cast<double>(size) * std::exp(jitter * normal(random)), 1);
            all.push_back(&function);
        }
        EXPECT_NEAR(std::sqrt(learned_variances(all, 0.001).jitter), jitter, 0.01 + 0.3 * jitter);
    }
}

TEST(Trials, SumToTheSizeWithinTheLimitsAndMustPay)
{
    auto random = seeded(43);
    std::int64_t trials = 0;
    for (std::int64_t k = 0; k < std::min<std::int64_t>(how_many(0.05), 2000); ++k) {
        const auto processors = static_cast<std::size_t>(between(random, 1, 6));
        std::vector<PartialFunction> functions(processors);
        TrialRequest request;
        std::int64_t size = 0;
        for (auto &function : functions) {
            const auto part = between(random, 0, k % 2 == 0 ? 60 : 60000);
            function = any_function(random, between(random, 2, 6));
            if (part > 0) function.add(part, static_cast<double>(part) * uniform(random, 0.7, 1.3), 1);
            request.functions.push_back(&function);
            request.origin.push_back(part);
            request.bounds.push_back(
                {std::max<std::int64_t>(0, part - between(random, 0, 40)), part + between(random, 0, 40)});
            if (part > 0) request.seconds = std::max(request.seconds, function.find(part)->seconds);
            size += part;
        }
        if (size == 0) continue;
        request.best = request.current = request.origin;
        request.horizon = 100;
        request.price = 0.4;
        request.noise = 0.01;
        const auto x = choose_trial(request);
        if (!x) continue;
        ++trials;
        EXPECT_EQ(std::accumulate(x->begin(), x->end(), std::int64_t{0}), size);
        for (std::size_t i = 0; i < processors; ++i) {
            EXPECT_GE((*x)[i], request.bounds[i].smallest);
            EXPECT_LE((*x)[i], request.bounds[i].largest);
        }
        EXPECT_NE(*x, request.best);
        request.move_cost = 1e6 * request.seconds;
        EXPECT_FALSE(choose_trial(request));
        request.move_cost = 0;
        request.price = 1e6;
        EXPECT_FALSE(choose_trial(request));
    }
    EXPECT_GT(trials, 5);
}

TEST(Trials, SizesThatAreKnownToBeLuckyAreTaken)
{
    PartialFunction first, second;
    for (const std::int64_t size : {40, 45, 50, 55, 60}) {
        first.add(size, size == 45 ? 30.0 : static_cast<double>(size), 1);
        second.add(size, size == 55 ? 30.0 : static_cast<double>(size), 1);
    }
    TrialRequest request;
    request.functions = {&first, &second};
    request.bounds = {{0, 100}, {0, 100}};
    request.origin = request.best = request.current = {50, 50};
    request.seconds = 50;
    request.horizon = 100;
    request.price = 0.4;
    request.noise = 0.01;
    EXPECT_EQ(choose_trial(request), (Sizes{45, 55}));
}

} // namespace
