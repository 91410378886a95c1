// The same fronts on every instruction set.
#include "checks.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>
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
        for (const auto level : hpart::available_simd_levels()) {
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

} // namespace
