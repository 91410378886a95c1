// Bounds on distributions where the time or memory limit comes first: what is given keeps the bounds, and the bound is proved.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::Objective;
using hpart::Platform;

std::vector<std::int64_t> first_sizes(const Platform &platform)
{
    std::vector<std::int64_t> x;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        x.push_back(i < 18 ? platform.points(i).sizes[static_cast<std::size_t>(i % 7)] : 0);
    return x;
}

class ConstrainedLimits : public testing::TestWithParam<std::tuple<Objective, int, bool>>
{
};

TEST_P(ConstrainedLimits, EndTheSearchWithABound)
{
    const auto [objective, which, by_memory] = GetParam();
    const auto platform = instances::hard_platform(4, 24, 30, 40);
    const auto previous = first_sizes(platform);
    hpart::PartitionRequest request;
    request.objective = objective;
    for (const auto size : previous) request.size += size;
    switch (which) {
    case 0: request.options.set_int("max_active", 18); break;
    case 1: request.options.set_text("idle_processors", "forbidden"); break;
    case 2:
        request.options.set_previous(previous);
        request.options.set_int("max_moved", request.size / 2);
        break;
    default:
        if (objective == Objective::time)
            request.options.set_double("energy_budget", 1.2 * static_cast<double>(request.size));
        else
            request.options.set_double("slowdown", 1.5);
    }
    hpart::Control control(nullptr, by_memory ? std::numeric_limits<double>::infinity() : 0,
                           by_memory ? std::int64_t{1} << 18 : std::int64_t{1} << 30);
    const auto found = hpart::partition(platform, request, control);
    if (!by_memory) {
        EXPECT_TRUE(found.limit_reached);
    }
    EXPECT_GT(std::get<double>(found.report.get("lower_bound")), 0);
    if (!found.feasible) return;
    EXPECT_TRUE(checks::is_distribution(platform, objective, request.size, found));
    const auto value = objective == Objective::time ? found.seconds : found.joules;
    EXPECT_GE(value, std::get<double>(found.report.get("lower_bound")));
    if (which == 0) {
        EXPECT_LE(checks::count_active(found.x), 18);
    } else if (which == 1) {
        EXPECT_EQ(checks::count_active(found.x), platform.count());
    } else if (which == 2) {
        EXPECT_LE(std::get<std::int64_t>(found.report.get("moved")), request.size / 2);
    } else if (objective == Objective::time) {
        EXPECT_LE(found.joules, 1.2 * static_cast<double>(request.size));
    }
}

INSTANTIATE_TEST_SUITE_P(All, ConstrainedLimits,
                         testing::Combine(testing::Values(Objective::time, Objective::energy, Objective::total_energy),
                                          testing::Range(0, 4), testing::Bool()));

} // namespace
