// Random instances against brute force and dynamic programs. HPART_TEST_INSTANCES sets how many small ones.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <gtest/gtest.h>

namespace
{

using hpart::Objective;

using instances::any_size;

TEST(RandomInstances, SmallOnesAgreeWithBruteForce)
{
    instances::for_each_instance(20261120, 0.7, [&](auto &random, auto) {
        const auto platform = instances::any_platform(random, {4, 6, true});
        const auto n = any_size(random, platform, 1000);
        checks::against(platform, n, reference::brute_force(platform, n));
    });
}

TEST(RandomInstances, SmallOnesAgreeWithTheDynamicProgram)
{
    instances::for_each_instance(31, 0.3, [&](auto &random, auto) {
        const auto most_points = instances::between(random, 0, 4) == 0 ? 20 : 9;
        const auto platform = instances::any_platform(random, {7, most_points});
        const auto n = any_size(random, platform, 60);
        checks::against(platform, n, reference::dynamic_program(platform, n));
    });
}

TEST(RandomInstances, MediumOnesAgreeWithTheDynamicProgram)
{
    instances::for_each_instance(7, 0.03, [&](auto &random, auto) {
        const auto most_processors = instances::between(random, 0, 9) == 0 ? 40 : 7;
        const auto platform = instances::any_platform(random, {most_processors, 60});
        const auto n = any_size(random, platform, 100'000);
        const auto expected = reference::plain_dynamic_program(platform, n);
        checks::optimum_is(platform, Objective::time, n, expected.seconds);
        checks::optimum_is(platform, Objective::energy, n, expected.joules);
    });
}

TEST(RandomInstances, FrontsOfMediumOnesAgreeWithTheDynamicProgram)
{
    instances::for_each_instance(77, 0.005, [&](auto &random, auto) {
        const auto platform = instances::any_platform(random, {10, 40});
        const auto n = any_size(random, platform, 200);
        checks::against(platform, n, reference::dynamic_program(platform, n));
    });
}

TEST(RandomInstances, SchedulesAgreeWithEnumeration)
{
    instances::for_each_instance(5, 0.1, [&](auto &random, auto) {
        const auto platform = instances::any_platform(random, {4, 5});
        checks::schedule_is(platform, instances::between(random, 0, 16));
    });
}

TEST(RandomInstances, BalancedAgreesWithEnumeration)
{
    instances::for_each_instance(6, 0.1, [&](auto &random, auto) {
        const auto platform = instances::any_platform(random, {4, 6, true});
        checks::balance_is(platform, any_size(random, platform, 1000));
    });
}

} // namespace
