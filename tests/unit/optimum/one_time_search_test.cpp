#include "one_time_world.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace
{

using namespace hpart;
using namespace hpart::optimum;
using support::expect_error;
using X = std::vector<std::int64_t>;

double mean_regret(std::string_view kind, std::size_t processors, double noise, int cases)
{
    double sum = 0;
    for (int c = 0; c < cases; ++c) {
        std::seed_seq seed{c, static_cast<int>(processors)};
        std::mt19937_64 random(seed);
        const OneTimeWorld world(kind, processors, 100, random);
        const auto out = search_world(world, noise, 15 * static_cast<std::int64_t>(processors), random);
        EXPECT_LE(out.runs, 15 * static_cast<std::int64_t>(processors));
        sum += out.regret;
    }
    return sum / cases;
}

// Bounds are those of the design; bench_one_time has the means of 100 cases.
TEST(OneTimeSearch, FindsTheOptimumOfQuietSmoothFunctions)
{
    EXPECT_LE(mean_regret("smooth", 2, 0, 10), 0.001);
    EXPECT_LE(mean_regret("smooth", 3, 0, 5), 0.003);
    EXPECT_LE(mean_regret("cliff", 2, 0, 10), 0.035);
}

TEST(OneTimeSearch, ComesNearItOtherwise)
{
    EXPECT_LE(mean_regret("smooth", 2, 0.03, 10), 0.02);
    EXPECT_LE(mean_regret("jagged", 2, 0, 10), 0.03);
}

// Sizes of a coarse grid, beside which no distribution sums to the size.
TEST(OneTimeSearch, RunsPossibleDistributionsOnly)
{
    const std::vector<X> sizes{{4, 8, 12, 16}, {6, 12, 18}, {2, 10, 40}};
    OneTimeSearch search(sizes, 30, 40);
    int runs = 0;
    for (auto x = search.next(); !x.empty(); x = search.next()) {
        ASSERT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), 30);
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_TRUE(x[i] == 0 || std::find(sizes[i].begin(), sizes[i].end(), x[i]) != sizes[i].end());
        search.add(x, static_cast<double>(std::max({x[0], 2 * x[1], 3 * x[2]})));
        ++runs;
    }
    // Brute force: (16, 12, 2) takes 24, and no other takes less.
    EXPECT_EQ(search.best(1).front().x, (X{16, 12, 2}));
    EXPECT_LE(runs, 40);
    EXPECT_TRUE(search.is_settled()) << "there are few distributions";
    expect_error(Status::infeasible, {"31"}, [&] { OneTimeSearch(sizes, 31, 40); });
}

// The first processor cannot run more than 7, the second not more than 60; equal parts fail.
TEST(OneTimeSearch, LeavesOutFailures)
{
    X all(100);
    std::iota(all.begin(), all.end(), 1);
    OneTimeSearch search({all, all, all}, 120, 45);
    for (auto x = search.next(); !x.empty(); x = search.next())
        if (x[0] > 7 || x[1] > 60)
            search.add_failure(x);
        else
            search.add(x, static_cast<double>(std::max({x[0], x[1], x[2]})));
    ASSERT_TRUE(search.tried().front().failed());
    ASSERT_FALSE(search.best(1).empty());
    EXPECT_LE(search.best(1).front().mean(), 63) << "57 is the least";
}

TEST(OneTimeSearch, NearestDistributionIsThatOfBruteForce)
{
    std::mt19937_64 random(1);
    const auto between = [&](int low, int high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int k = 0; k < 200; ++k) {
        std::vector<X> sizes(3);
        for (auto &of_one : sizes)
            for (std::int64_t s = 1; s < 12; ++s)
                if (between(0, 2) > 0) of_one.push_back(s);
        const std::vector<double> shares{static_cast<double>(between(1, 9)), static_cast<double>(between(1, 9)),
                                         static_cast<double>(between(1, 9))};
        const auto size = between(6, 18);
        const auto distance = [&](const X &x) {
            double out = 0;
            for (std::size_t i = 0; i < 3; ++i) {
                const double wanted = shares[i] / (shares[0] + shares[1] + shares[2]) * static_cast<double>(size);
                out += std::pow(static_cast<double>(x[i]) - wanted, 2) / wanted;
            }
            return out;
        };
        std::vector<X> with_0(sizes.size(), X{0});
        for (std::size_t i = 0; i < sizes.size(); ++i)
            with_0[i].insert(with_0[i].end(), sizes[i].begin(), sizes[i].end());
        double least = std::numeric_limits<double>::infinity();
        for (const auto a : with_0[0])
            for (const auto b : with_0[1])
                for (const auto c : with_0[2])
                    if (a + b + c == size) least = std::min(least, distance({a, b, c}));
        if (!std::isfinite(least)) continue;
        EXPECT_NEAR(distance(nearest_distribution(sizes, size, shares)), least, 1e-9);
    }
}

} // namespace
