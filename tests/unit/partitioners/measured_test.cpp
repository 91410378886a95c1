// Real functions, jagged as they are, against the plain dynamic program.
#include "checks.hpp"
#include "instances.hpp"
#include "models/platform_file.hpp"

#include "support/data.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace
{

class Measured : public testing::TestWithParam<const char *>
{
};

// The files have times only: an energy that varies from point to point, in doubles whose sums are not exact.
void add_energies(hpart::Platform &platform)
{
    instances::Random random(1);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto points = platform.points(i);
        std::vector<double> joules;
        for (const auto seconds : points.seconds)
            joules.push_back(seconds * static_cast<double>(10 + 7 * i) *
                             std::uniform_real_distribution<>(0.8, 1.2)(random));
        platform.set_energy_function(i, points.sizes, joules);
    }
    platform.set_base_power(35.5);
}

TEST_P(Measured, OptimaAgreeWithTheDynamicProgram)
{
    const std::string path = support::data("measured/") + GetParam();
    auto platform = hpart::read_platform(path);
    add_energies(platform);
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
    const std::string path = support::data("measured/") + GetParam();
    auto platform = hpart::read_platform(path);
    add_energies(platform);
    for (const std::int64_t n : {100, 240}) checks::against(platform, n, reference::dynamic_program(platform, n));
}

INSTANTIATE_TEST_SUITE_P(Files, Measured, testing::Values("dgemm-rows-by-512-by-512.csv", "zfft-rows-by-512.csv"));

} // namespace
