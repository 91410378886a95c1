// Report key utilisation of partitions: each processor's time by its function over the time of all.
#include "checks.hpp"
#include "instances.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numeric>

namespace
{

TEST(Utilisation, OfPartitions)
{
    auto random = instances::seeded(733);
    std::int64_t feasible = 0;
    for (std::int64_t k = 0; k < instances::how_many(0.2) && !HasFailure(); ++k) {
        const auto platform = instances::with_whole_energies(instances::any_platform(random, {5, 6}));
        hpart::PartitionRequest request;
        request.size = instances::any_size(random, platform, 40);
        request.objective = std::array{hpart::Objective::energy, hpart::Objective::sum_time, hpart::Objective::time}.at(
            static_cast<std::size_t>(k % 3));
        if (k % 5 == 0) request.method = "equal";
        hpart::Distribution found;
        try {
            found = checks::partition(platform, request);
        } catch (const hpart::Error &) {
            continue; // infeasible, or without energies
        }
        ++feasible;
        std::vector<double> busy(found.x.size(), 0);
        for (std::size_t i = 0; i < busy.size(); ++i) {
            const auto &points = platform.points(static_cast<std::int64_t>(i));
            if (found.x[i] > 0) busy[i] = points.seconds[points.find(found.x[i])];
        }
        const double all = request.objective == hpart::Objective::sum_time
                               ? std::accumulate(busy.begin(), busy.end(), 0.0)
                               : *std::max_element(busy.begin(), busy.end());
        const auto utilisation = std::get<std::vector<double>>(found.report.get("utilisation"));
        ASSERT_EQ(utilisation.size(), busy.size());
        for (std::size_t i = 0; i < busy.size(); ++i)
            ASSERT_NEAR(utilisation[i], all > 0 ? busy[i] / all : 0, 1e-12)
                << instances::describe(platform, request.size);
    }
    EXPECT_GT(feasible, instances::how_many(0.02));
}

TEST(Utilisation, IsNotComputedUnlessAskedFor)
{
    hpart::Platform platform(1);
    platform.set_time_function(0, std::vector<std::int64_t>{4}, std::vector<double>{2});
    hpart::PartitionRequest request{hpart::Objective::time, 4};
    request.wants_utilisation = false;
    hpart::Control control;
    EXPECT_EQ(hpart::partition(platform, request, control).report.find("utilisation"), nullptr);
}

} // namespace
