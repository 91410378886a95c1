// Sizes near 2^31, 2^53 and 2^62, where sums do not fit and doubles do not hold them.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::Objective;
using hpart::Platform;

// Sizes scattered around `centre`, or multiples of a unit near it.
Platform huge_platform(instances::Random &random, std::int64_t centre, std::int64_t spread)
{
    const auto p = instances::between(random, 1, 5);
    Platform platform(p);
    const auto unit = instances::between(random, 0, 2) == 0 ? instances::between(random, 2, 7) : 1;
    constexpr std::array units_of_energy{0.1, 1e-300, 1e-320}; // slopes of the last ones underflow
    const auto joule = units_of_energy[static_cast<std::size_t>(instances::between(random, 0, 2))];
    for (std::int64_t i = 0; i < p; ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        std::vector<double> joules;
        const auto count = instances::between(random, 0, 6);
        for (std::int64_t k = 0; k < count; ++k) {
            const auto most = std::min(spread, std::numeric_limits<std::int64_t>::max() - centre / p);
            auto size = (centre / p + instances::between(random, -spread, most)) / unit * unit;
            if (instances::between(random, 0, 3) == 0) size = instances::between(random, 1, 9) * unit;
            if (std::find(sizes.begin(), sizes.end(), size) != sizes.end()) continue;
            sizes.push_back(size);
            seconds.push_back(static_cast<double>(instances::between(random, 0, 9)));
            joules.push_back(joule * static_cast<double>(instances::between(random, 0, 99)));
        }
        instances::set_functions(platform, i, sizes, seconds, joules);
    }
    platform.set_base_power(0.3);
    return platform;
}

// A size that some distribution has, or one beside it.
std::int64_t size_near(instances::Random &random, const Platform &platform)
{
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &sizes = platform.points(i).sizes;
        const auto k = instances::between(random, 0, static_cast<std::int64_t>(sizes.size()));
        if (k == 0) continue;
        const auto size = sizes[static_cast<std::size_t>(k - 1)];
        if (n <= std::numeric_limits<std::int64_t>::max() - size) n += size;
    }
    const bool beside = n > 0 && n < std::numeric_limits<std::int64_t>::max() && instances::between(random, 0, 2) == 0;
    return beside ? n + instances::between(random, -1, 1) : n;
}

using HugeSizes = testing::TestWithParam<std::int64_t>;

TEST_P(HugeSizes, AgreeWithBruteForce)
{
    instances::Random random(GetParam());
    const auto count = instances::how_many(0.02);
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform =
            huge_platform(random, GetParam(), instances::between(random, 0, 1) == 0 ? 9 : GetParam() / 9);
        const auto n = size_near(random, platform);
        checks::against(platform, n, reference::brute_force(platform, n));
    }
}

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, HugeSizes,
                         testing::Values(std::int64_t{1} << 31, std::int64_t{1} << 53, std::int64_t{1} << 62,
                                         std::numeric_limits<std::int64_t>::max()));

TEST(HugeSizes, SumsBeyondTheLargestInteger)
{
    const auto largest = std::numeric_limits<std::int64_t>::max();
    Platform platform(3);
    for (std::int64_t i = 0; i < 3; ++i)
        instances::set_functions(platform, i, {largest - 1, largest, 1}, {2, 3, 1}, {2, 9, 1});
    platform.set_base_power(1);
    EXPECT_EQ(checks::solve(platform, Objective::time, largest).seconds, 2);
    EXPECT_EQ(checks::solve(platform, Objective::energy, largest).joules, 3);
    EXPECT_EQ(checks::solve(platform, Objective::total_energy, largest).joules, 5);
    EXPECT_THROW(checks::solve(platform, Objective::time, largest - 2), hpart::Error);
    const auto schedule = checks::compute_schedule(platform, {7, "exact", hpart::Ties::fewest});
    EXPECT_EQ(schedule.makespan, 3);
}

// Few sizes in a huge range: the lists meet long before all combinations are seen.
TEST(HugeSizes, ManyUnlikeSizesInTime)
{
    instances::Random random(9);
    Platform platform(100);
    std::int64_t n = 0;
    for (std::int64_t i = 0; i < 100; ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> seconds;
        for (std::int64_t k = 1; k <= 100; ++k) {
            sizes.push_back(k * 10'000'000 + instances::between(random, 0, 9'999'999));
            seconds.push_back(static_cast<double>(sizes.back()) * std::uniform_real_distribution<>(1, 2)(random));
        }
        n += sizes[30];
        platform.set_time_function(i, sizes, seconds);
    }
    const auto found = checks::solve(platform, Objective::time, n);
    EXPECT_TRUE(checks::is_distribution(platform, Objective::time, n, found));
    EXPECT_FALSE(found.limit_reached);
}

} // namespace
