// Real functions, jagged as they are, against the plain dynamic program.
#include "checks.hpp"
#include "instances.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

class Measured : public testing::TestWithParam<const char *>
{
};

TEST_P(Measured, OptimaAgreeWithTheDynamicProgram)
{
    const auto platform = instances::measured_platform(GetParam());
    instances::Random random(2);
    const auto count = std::min<std::int64_t>(instances::how_many(0.002), 50);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto n = instances::between(random, 1, instances::largest_sum(platform));
        const auto expected = reference::plain_dynamic_program(platform, n);
        checks::optimum_is(platform, hpart::Objective::time, n, expected.seconds);
        checks::optimum_is(platform, hpart::Objective::energy, n, expected.joules);
    }
}

TEST_P(Measured, FrontsAgreeWithTheDynamicProgram)
{
    const auto platform = instances::measured_platform(GetParam());
    for (const std::int64_t n : {100, 240}) checks::against(platform, n, reference::dynamic_program(platform, n));
}

INSTANTIATE_TEST_SUITE_P(Files, Measured, testing::Values("dgemm-rows-by-512-by-512.csv", "zfft-rows-by-512.csv"));

} // namespace
