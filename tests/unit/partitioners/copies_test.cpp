// A million identical processors: no call makes options for each of them.
#include "checks.hpp"
#include "instances.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace
{

using hpart::Objective;
using hpart::Platform;

constexpr std::int64_t million = 1'000'000;

// A million copies of one processor with 1,024 sizes, times and energies of a jagged function.
Platform million_copies(std::int64_t step)
{
    Platform one(1);
    instances::Random random(5);
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds, joules;
    for (std::int64_t k = 1; k <= 1024; ++k) {
        sizes.push_back(k * step);
        seconds.push_back(static_cast<double>(k * step) * support::real_between(random, 1, 1.35));
        joules.push_back(seconds.back() * support::real_between(random, 50, 70));
    }
    instances::set_functions(one, 0, sizes, seconds, joules);
    one.set_base_power(1);
    return one.replicate(million);
}

hpart::Distribution solve(const Platform &platform, hpart::PartitionRequest request)
{
    request.wants_utilisation = false;
    hpart::Control control(nullptr, checks::no_time_limit, std::int64_t{1} << 28);
    return hpart::partition(platform, request, control);
}

void is_optimal(const Platform &platform, const hpart::PartitionRequest &request)
{
    SCOPED_TRACE(request.method);
    const auto found = solve(platform, request);
    EXPECT_FALSE(found.limit_reached);
    EXPECT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), request.size);
}

TEST(MillionCopies, AnInfeasibleSizeHasItsNeighbours)
{
    const auto platform = million_copies(2);
    for (const auto objective : {Objective::time, Objective::energy}) {
        support::expect_error(hpart::Status::infeasible, {"999999998 below and 1000000000 above"}, [&] {
            solve(platform, {objective, 1000 * million - 1});
        });
    }
}

TEST(MillionCopies, HaveSharesByEveryBaseline)
{
    const auto platform = million_copies(1);
    for (const auto *method : {"equal", "cpm", "fpm", "smooth-fpm"})
        is_optimal(platform, {Objective::time, 128 * million + 1, method});
}

TEST(MillionCopies, HaveFewestActiveProcessors)
{
    const auto platform = million_copies(1);
    for (const auto objective : {Objective::time, Objective::energy, Objective::sum_time}) {
        hpart::PartitionRequest request{objective, 128 * million};
        request.ties = hpart::Ties::fewest;
        is_optimal(platform, request);
    }
}

TEST(MillionCopies, KeepABoundOnActiveProcessors)
{
    const auto platform = million_copies(1);
    for (const auto objective : {Objective::time, Objective::energy}) {
        hpart::PartitionRequest request{objective, 128 * million};
        request.options.set_int("max_active", million / 5);
        is_optimal(platform, request);
        request.options.set_int("max_active", million / 9);
        support::expect_error(hpart::Status::infeasible, {"the fewest are 125000"}, [&] { solve(platform, request); });
    }
}

// No second search begins where the first one meets the limit.
TEST(MillionCopies, EndAtTheMemoryLimit)
{
    const auto platform = million_copies(1);
    hpart::PartitionRequest request{Objective::energy, 128 * million};
    request.wants_utilisation = false;
    hpart::Control control(nullptr, checks::no_time_limit, 1);
    const auto found = hpart::partition(platform, request, control);
    EXPECT_TRUE(found.limit_reached);
    EXPECT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), request.size);
}

// A choice of the preferred optimum takes no states for each processor.
TEST(ManyCopies, HaveThePreferredOptimumOfEnergies)
{
    constexpr std::int64_t copies = 100'000;
    Platform one(1);
    instances::Random random(5);
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds, joules;
    for (std::int64_t k = 1; k <= 20; ++k) {
        sizes.push_back(k);
        seconds.push_back(static_cast<double>(k) * support::real_between(random, 1, 1.35));
        joules.push_back(seconds.back() * support::real_between(random, 50, 70));
    }
    instances::set_functions(one, 0, sizes, seconds, joules);
    one.set_base_power(100);
    const auto platform = one.replicate(copies);
    for (const auto objective : {Objective::energy, Objective::total_energy}) {
        hpart::PartitionRequest fewest{objective, 7 * copies + 3};
        fewest.ties = hpart::Ties::fewest;
        is_optimal(platform, fewest);
        hpart::PartitionRequest least_moved{objective, 7 * copies + 3};
        least_moved.options.set_previous(std::vector<std::int64_t>(copies, 5));
        is_optimal(platform, least_moved);
    }
}

// A base power that rounding swallows: one search for the fewest active processors, not one for each time.
TEST(TotalEnergy, WithABasePowerThatVanishesIsOneSearch)
{
    instances::Random random(9);
    auto platform = instances::full_platform(
        6, 40, [&](auto, auto size) { return static_cast<double>(size) * support::real_between(random, 1, 1.4); },
        [&](auto, auto size) { return static_cast<double>(size) * support::real_between(random, 50, 70); });
    hpart::PartitionRequest request{Objective::total_energy, 120};
    request.ties = hpart::Ties::fewest;
    platform.set_base_power(1e-14);
    const auto swallowed = checks::partition(platform, request);
    platform.set_base_power(0);
    const auto without = checks::partition(platform, request);
    EXPECT_EQ(swallowed.joules, without.joules);
    EXPECT_EQ(checks::count_active(swallowed.x), checks::count_active(without.x));
    EXPECT_LT(std::get<std::int64_t>(swallowed.report.get("searches")), 20);
}

} // namespace
