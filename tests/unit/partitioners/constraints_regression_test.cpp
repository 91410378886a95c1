// Instances that were answered wrongly once.
#include "checks.hpp"
#include "core/options.hpp"
#include "partitioners/partition.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace
{

using hpart::Objective;
using hpart::Platform;

void set_functions(Platform &platform, std::int64_t i, const std::vector<std::int64_t> &sizes,
                   const std::vector<double> &seconds, const std::vector<double> &joules)
{
    platform.set_time_function(i, sizes, seconds);
    platform.set_energy_function(i, sizes, joules);
}

hpart::Distribution solve(const Platform &platform, Objective objective, std::int64_t n, const hpart::Options &options)
{
    auto control = checks::usual_control();
    const auto ties = options.get_text("ties") == "fewest" ? hpart::Ties::fewest : hpart::Ties::deterministic;
    return hpart::partition(platform, {objective, n, "exact", ties, options}, control);
}

// Slopes of such energies lose their digits, and bounds that were made of them lost the optimum.
TEST(ConstrainedRegressions, EnergiesNearTheSmallestDouble)
{
    constexpr double least = 5e-324;
    Platform platform(4);
    for (std::int64_t i = 0; i < 3; ++i)
        set_functions(platform, i, {8, 14, 18, 30}, {2, 4, 0, 4}, {9 * least, 11 * least, 9 * least, 17 * least});
    set_functions(platform, 3, {2147483646, 2147483649, 2147483650, 2147483652}, {1, 1, 1, 1}, {0, 0, 0, 0});
    platform.set_base_power(0);
    constexpr std::int64_t n = 2147483664;
    hpart::Options fewest;
    fewest.set_text("ties", "fewest");
    hpart::Options moved;
    moved.set_previous({0, 0, 0, 0});
    for (const auto objective : {Objective::energy, Objective::total_energy})
        for (const auto &options : {hpart::Options{}, fewest, moved}) {
            const auto found = solve(platform, objective, n, options);
            EXPECT_EQ(found.joules, 9 * least);
            EXPECT_TRUE(checks::is_distribution(platform, objective, n, found));
        }
}

// The front's energies hide differences of the dynamic energy.
TEST(ConstrainedRegressions, TotalFrontsMoveLeast)
{
    Platform platform(2);
    platform.set_base_power(1);
    for (std::int64_t i = 0; i < 2; ++i) set_functions(platform, i, {1, 2}, {1e20, 1e20}, {1, 5});
    hpart::Options options;
    options.set_previous({2, 0});
    auto control = checks::usual_control();
    const auto front = hpart::compute_front(platform, {2, hpart::FrontEnergy::total, "exact", options}, control).points;
    ASSERT_EQ(front.size(), 1U);
    EXPECT_EQ(front[0].x, (std::vector<std::int64_t>{2, 0}));
}

// The times of a front within rules are those of its distributions.
TEST(ConstrainedRegressions, FrontsOfOneActiveProcessor)
{
    Platform platform(2);
    set_functions(platform, 0, {1, 2}, {1, 2}, {2, 3});
    set_functions(platform, 1, {1, 2}, {3, 1}, {1, 1.5});
    hpart::Options options;
    options.set_int("max_active", 1);
    auto control = checks::usual_control();
    const auto front =
        hpart::compute_front(platform, {1, hpart::FrontEnergy::dynamic, "exact", options}, control).points;
    ASSERT_EQ(front.size(), 2U);
    EXPECT_EQ(front[0].seconds, 1);
    EXPECT_EQ(front[0].joules, 2);
    EXPECT_EQ(front[1].seconds, 3);
    EXPECT_EQ(front[1].joules, 1);
}

} // namespace
