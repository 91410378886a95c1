// Random instances against brute force and the dynamic program. HPART_TEST_INSTANCES sets how many small ones.
#include "checks.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace
{

constexpr std::int64_t usual_instances = 200'000;

TEST(RandomInstances, SmallOnesAgreeWithBruteForce)
{
    instances::Random random(20261120);
    const auto count = instances::how_many(usual_instances, 0.8);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, {4, 6});
        const auto n = instances::between(random, 0, instances::largest_sum(platform) + 3);
        checks::against(platform, n, reference::brute_force(platform, n));
    }
}

TEST(RandomInstances, SmallOnesAgreeWithTheDynamicProgram)
{
    instances::Random random(31);
    const auto count = instances::how_many(usual_instances, 0.2);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, {7, instances::between(random, 0, 4) == 0 ? 20 : 9});
        const auto n = instances::between(random, 0, std::min<std::int64_t>(60, instances::largest_sum(platform) + 3));
        checks::against(platform, n, reference::dynamic_program(platform, n));
    }
}

} // namespace
