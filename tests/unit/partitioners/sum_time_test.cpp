// The least sum of times, of processors that run one after another.
#include "checks.hpp"
#include "core/numbers.hpp"
#include "instances.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace
{

using checks::partition;
using hpart::Objective;
using hpart::Platform;

TEST(SumTime, IsTheLeastOfAllDistributions)
{
    auto random = instances::seeded(131);
    const auto count = instances::how_many(0.5);
    std::int64_t feasible = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto platform = instances::with_whole_energies(instances::any_platform(random, {4, 6}));
        const auto n = instances::any_size(random, platform, 40);
        hpart::PartitionRequest request{Objective::sum_time, n};
        double most = std::numeric_limits<double>::infinity(), least = most;
        if (k % 3 == 0 && platform.points(0).count() > 0 && !std::isnan(platform.points(0).seconds.front()))
            request.options.set_double("deadline", most = platform.points(0).seconds.front());
        reference::for_each_choice(reference::menus(platform, false), n, [&](const auto &chosen) {
            double sum = 0;
            for (const auto &point : chosen) sum += point.seconds <= most ? point.seconds : hpart::infinity;
            least = std::min(least, sum);
        });
        const auto found = checks::unless_infeasible([&] { return partition(platform, request); });
        ASSERT_EQ(found.has_value(), least < hpart::infinity) << instances::describe(platform, n);
        if (!found) continue;
        ++feasible;
        EXPECT_NEAR(found->seconds, least, 1e-12 * least) << instances::describe(platform, n);
        EXPECT_EQ(std::get<std::int64_t>(found->report.get("optimal")), 1);
    }
    EXPECT_GT(feasible, count / 4);
}

TEST(SumTime, HasEnergiesIntervalsAndMethods)
{
    Platform platform(3);
    const std::vector<std::int64_t> sizes{1, 2};
    platform.set_time_function(0, sizes, std::vector{4.0, 5.0});
    platform.set_time_function(1, sizes, std::vector{3.0, 7.0});
    platform.set_time_function(2, sizes, std::vector{6.0, 6.5});
    const auto with = [](const char *key, const char *value) {
        hpart::PartitionRequest request{Objective::sum_time, 3};
        if (key != nullptr) request.options.set_text(key, value);
        request.method = key != nullptr && std::string_view(key) == "method" ? value : "exact";
        return request;
    };
    const auto found = partition(platform, with(nullptr, nullptr));
    EXPECT_EQ(found.x, (std::vector<std::int64_t>{2, 1, 0}));
    EXPECT_EQ(found.seconds, 8);
    EXPECT_TRUE(std::isnan(found.joules)) << "the platform has no energies";
    EXPECT_EQ(found.report.find("energy_low"), nullptr);
    EXPECT_EQ(partition(platform, with("method", "equal")).seconds, 13);
    platform.set_energy_function(0, sizes, std::vector{40.0, 50.0});
    platform.set_energy_function(1, sizes, std::vector{30.0, 70.0});
    platform.set_interval(0, hpart::FunctionKind::time, sizes, std::vector{3.0, 4.0}, std::vector{5.0, 9.0});
    platform.set_interval(1, hpart::FunctionKind::time, sizes, std::vector{2.5, 6.0}, std::vector{3.5, 7.5});
    const auto known = partition(platform, with(nullptr, nullptr));
    EXPECT_EQ(known.joules, 80);
    EXPECT_EQ(std::get<double>(known.report.get("time_low")), 6.5);
    EXPECT_EQ(std::get<double>(known.report.get("time_high")), 12.5);
    const auto robust = partition(platform, with("objective_bound", "high"));
    EXPECT_EQ(robust.x, (std::vector<std::int64_t>{0, 1, 2}));
    EXPECT_EQ(robust.seconds, 10);
    auto refused = with(nullptr, nullptr);
    refused.options.set_double("energy_budget", 5);
    support::expect_error(hpart::Status::invalid_argument, {"energy_budget"}, [&] { partition(platform, refused); });
}

TEST(SumTime, MessagesSpeakOfTimes)
{
    Platform platform(2);
    for (std::int64_t i = 0; i < 2; ++i)
        platform.set_time_function(i, std::vector<std::int64_t>{1, 2}, std::vector{8e279, 8e279});
    const auto large = support::message_of([&] { partition(platform, {Objective::sum_time, 2}); });
    EXPECT_EQ(large.find("the times are so large that their sum can be 1.6e+280"), 0U) << large;
    hpart::PartitionRequest request{Objective::sum_time, 2};
    request.method = "hpopta";
    const auto refused = support::message_of([&] { partition(platform, request); });
    EXPECT_NE(refused.find("artition by sum-time has the methods"), std::string::npos) << refused;
}

} // namespace
