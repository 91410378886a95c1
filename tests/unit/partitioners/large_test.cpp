// Larger instances against the textbook dynamic program, and fronts at all of their thresholds.
#include "checks.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "instances.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace
{

using hpart::infinity;

using hpart::Objective;
using hpart::Platform;

// Jagged functions of contiguous sizes; several kinds of roughness, whole or fractional energies.
Platform jagged_platform(instances::Random &random, std::int64_t p, std::int64_t m)
{
    Platform platform(p);
    const auto kind = instances::between(random, 0, 5);
    const auto different = kind == 4 ? instances::between(random, 1, 3) : p; // groups of identical processors
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    std::vector<double> joules;
    const auto fraction = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
    for (std::int64_t i = 0; i < p; ++i) {
        if (i >= different) {
            const auto &points = platform.points(i % different);
            platform.set_time_function(i, std::vector<std::int64_t>(points.sizes), std::vector<double>(points.seconds));
            platform.set_energy_function(i, std::vector<std::int64_t>(points.sizes),
                                         std::vector<double>(points.joules));
            continue;
        }
        sizes.clear(), seconds.clear(), joules.clear();
        const auto speed = 1 + 9 * fraction();
        const auto step = kind == 5 ? instances::between(random, 1, 9) : 1;
        for (std::int64_t k = 1; k <= m; ++k) {
            if (kind == 2 && fraction() < 0.7) continue;
            const auto x = static_cast<double>(k * step);
            const auto t = kind == 1 ? fraction() : x / (speed * (1 - 0.35 * fraction())) + 1e-3;
            const auto e = kind == 3 ? 5 + 0.1 * x : t * (1 + fraction());
            sizes.push_back(k * step);
            seconds.push_back(kind == 0 ? std::ceil(t) : t);
            joules.push_back(kind == 0 ? std::ceil(10 * e) : e);
        }
        instances::set_functions(platform, i, sizes, seconds, joules);
    }
    platform.set_base_power(1);
    return platform;
}

std::int64_t some_size(instances::Random &random, const Platform &platform)
{
    return instances::between(random, 0, instances::largest_sum(platform) + 1);
}

TEST(LargeInstances, AgreeWithTheDynamicProgram)
{
    instances::for_each_instance(101, 0.004, [&](auto &random, auto) {
        const auto p = instances::between(random, 2, 40);
        const auto platform = jagged_platform(random, p, instances::between(random, 20, 120));
        const auto n = some_size(random, platform);
        checks::optimum_is(platform, Objective::time, n, reference::dense_least_time(platform, n));
        checks::optimum_is(platform, Objective::energy, n, reference::dense_least_energy(platform, n));
    });
}

// At every time of a usable point, the cheapest point of the front that is no slower has the least energy.
TEST(LargeInstances, FrontsAreRightAtEveryThreshold)
{
    auto random = instances::seeded(102);
    const auto count = instances::how_many(0.0005);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto platform = jagged_platform(random, instances::between(random, 3, 16), 60);
        const auto n = some_size(random, platform);
        const auto front = checks::unless_infeasible([&] {
            return checks::compute_front(platform, {n, hpart::FrontEnergy::dynamic, "exact"});
        });
        const auto points = front ? front->points : std::vector<hpart::FrontPoint>();
        std::set<double> thresholds{infinity};
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            const auto &seconds = platform.points(i).seconds;
            thresholds.insert(seconds.begin(), seconds.end());
        }
        for (const auto threshold : thresholds) {
            const auto after = std::partition_point(points.begin(), points.end(),
                                                    [&](const auto &point) { return point.seconds <= threshold; });
            const auto expected = reference::dense_least_energy(platform, n, threshold);
            ASSERT_EQ(after != points.begin(), expected.has_value()) << threshold;
            if (expected) {
                ASSERT_EQ((after - 1)->joules, *expected) << threshold << instances::describe(platform, n);
            }
        }
    }
}

// Least energy by a map of all sums, among the points that take at most `seconds`; nothing if n is no sum.
std::optional<double> least_energy_of_sums(const Platform &platform, std::int64_t n, double seconds)
{
    std::map<std::int64_t, double> sums{{0, 0}};
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &points = platform.points(i);
        auto next = sums;
        for (const auto &[sum, joules] : sums)
            for (std::size_t k = 0; k < points.count(); ++k) {
                if (points.seconds[k] > seconds || sum + points.sizes[k] > n) continue;
                const auto [at, is_new] = next.try_emplace(sum + points.sizes[k], joules + points.joules[k]);
                if (!is_new) at->second = std::min(at->second, joules + points.joules[k]);
            }
        sums = std::move(next);
    }
    const auto found = sums.find(n);
    return found == sums.end() ? std::nullopt : std::optional(found->second);
}

// Huge sizes with few different sums: dense layers would take seconds.
TEST(LargeInstances, FewSumsOfManyProcessors)
{
    constexpr std::int64_t unit = 720'720;
    auto random = instances::seeded(103);
    const auto count = instances::how_many(0.005);
    for (std::int64_t instance = 0; instance < count && !HasFatalFailure(); ++instance) {
        Platform platform(instances::between(random, 20, 40));
        platform.set_base_power(static_cast<double>(instances::between(random, 0, 3)));
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            std::set<std::int64_t> sizes;
            for (auto k = instances::between(random, 1, 2); k > 0; --k)
                sizes.insert(unit * instances::between(random, 1, 3) + instances::between(random, 0, 1));
            std::vector<double> seconds, joules;
            for (std::size_t k = 0; k < sizes.size(); ++k) {
                seconds.push_back(static_cast<double>(instances::between(random, 1, 5)));
                joules.push_back(static_cast<double>(instances::between(random, 0, 3)));
            }
            if (instances::between(random, 0, 2) == 0) n += *sizes.begin();
            instances::set_functions(platform, i, {sizes.begin(), sizes.end()}, seconds, joules);
        }
        checks::optimum_is(platform, Objective::energy, n, least_energy_of_sums(platform, n, infinity));
        std::optional<double> total;
        for (double seconds = 0; seconds <= 5; ++seconds)
            if (const auto joules = least_energy_of_sums(platform, n, seconds))
                total = std::min(total.value_or(infinity), *joules + seconds * platform.base_power());
        checks::optimum_is(platform, Objective::total_energy, n, total);
    }
}

// Real functions, jagged as they are, against the plain dynamic program.
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
