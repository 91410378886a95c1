// The same fronts on every instruction set, and the same choice of fewer points.
#include "checks.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <vector>

namespace
{

using hpart::Platform;

// Costs near-proportional to the size, where neighbouring solves are most alike.
Platform near_proportional(instances::Random &random)
{
    std::vector<std::vector<reference::Point>> functions(static_cast<std::size_t>(instances::between(random, 2, 7)));
    for (auto &function : functions)
        for (std::int64_t j = 1, m = instances::between(random, 1, 14); j <= m; ++j)
            if (instances::between(random, 0, 9) < 7)
                function.push_back({j, static_cast<double>(10 * j + instances::between(random, 0, 40)),
                                    static_cast<double>(10 * j + instances::between(random, 0, 40))});
    auto platform = reference::platform_of(functions);
    platform.set_base_power(1);
    return platform;
}

TEST(Fronts, OfNearProportionalCostsAgreeWithTheDynamicProgramOnEveryInstructionSet)
{
    auto random = instances::seeded(2613);
    const auto count = instances::how_many(0.02);
    std::int64_t feasible = 0;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = near_proportional(random);
        const auto n = instances::between(random, 1, instances::largest_sum(platform) + 3);
        const auto expected = reference::dynamic_program(platform, n);
        if (!expected.feasible_in_energy) continue;
        ++feasible;
        std::vector<std::int64_t> x;
        for (const auto level : checks::available_simd_levels()) {
            auto control = checks::usual_control();
            const hpart::PreparedPlatform prepared(level);
            const auto front = hpart::compute_front(platform, prepared, {n}, control);
            reference::Front found;
            std::vector<std::int64_t> all;
            for (const auto &point : front.points) {
                found[point.seconds] = point.joules;
                all.insert(all.end(), point.x.begin(), point.x.end());
            }
            ASSERT_EQ(found, expected.front) << instances::describe(platform, n);
            ASSERT_EQ(front.points.size(), expected.front.size()) << instances::describe(platform, n);
            if (x.empty()) x = all;
            ASSERT_EQ(all, x) << instances::describe(platform, n);
        }
    }
    EXPECT_GT(feasible, count / 2);
}

// Two points are exactly as far from their nearest chosen one: the first is taken, on every machine.
TEST(Fronts, FewerPointsWithATieOfDistances)
{
    Platform platform(2);
    instances::set_functions(platform, 0, {1, 2, 3, 4}, {1, 2, 17, 26}, {26, 14, 9, 1});
    instances::set_functions(platform, 1, {96, 97, 98, 99}, {0, 0, 0, 0}, {0, 0, 0, 0});
    hpart::Options options;
    options.set_int("max_points", 3);
    const auto front = checks::compute_front(platform, {100, hpart::FrontEnergy::dynamic, "exact", options});
    std::vector<double> seconds;
    for (const auto &point : front.points) seconds.push_back(point.seconds);
    EXPECT_EQ(seconds, (std::vector<double>{1, 2, 26}));
}

// The same choice by integers: squared distances times both squared extents.
TEST(Fronts, FewerPointsOnIntegerGrids)
{
    instances::Random random = instances::seeded(53);
    for (int instance = 0; instance < instances::how_many(0.5) && !HasFailure(); ++instance) {
        const auto count = instances::between(random, 4, 12);
        std::vector<std::int64_t> sizes, seconds{1}, joules{1};
        for (std::int64_t k = 0; k < count; ++k) {
            sizes.push_back(k + 1);
            if (k == 0) continue;
            seconds.push_back(seconds.back() + instances::between(random, 1, 9));
            joules.push_back(joules.back() + instances::between(random, 1, 9));
        }
        std::reverse(joules.begin(), joules.end());
        Platform platform(2);
        instances::set_functions(platform, 0, sizes, {seconds.begin(), seconds.end()}, {joules.begin(), joules.end()});
        std::vector<std::int64_t> rest;
        for (const auto size : sizes) rest.push_back(100 - size);
        const std::vector<double> nothing(rest.size(), 0);
        instances::set_functions(platform, 1, rest, nothing, nothing);
        const auto wanted = instances::between(random, 2, count);
        hpart::Options options;
        options.set_int("max_points", wanted);
        const auto front = checks::compute_front(platform, {100, hpart::FrontEnergy::dynamic, "exact", options});
        const auto longest = seconds.back() - seconds.front(), largest = joules.front() - joules.back();
        const auto distance = [&](std::size_t a, std::size_t b) {
            const auto s = (seconds[a] - seconds[b]) * largest, j = (joules[a] - joules[b]) * longest;
            return s * s + j * j;
        };
        std::set<std::size_t> chosen{0, static_cast<std::size_t>(count - 1)};
        while (static_cast<std::int64_t>(chosen.size()) < wanted) {
            std::int64_t farthest = -1;
            std::size_t next = 0;
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                auto nearest = std::numeric_limits<std::int64_t>::max();
                for (const auto other : chosen) nearest = std::min(nearest, distance(k, other));
                if (nearest > farthest) farthest = nearest, next = k;
            }
            chosen.insert(next);
        }
        std::vector<double> expected, found;
        for (const auto k : chosen) expected.push_back(static_cast<double>(seconds[k]));
        for (const auto &point : front.points) found.push_back(point.seconds);
        EXPECT_EQ(found, expected) << instances::describe(platform, 100);
    }
}

} // namespace
