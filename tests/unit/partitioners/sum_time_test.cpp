// The least sum of times, of processors that run one after another.
#include "checks.hpp"
#include "instances.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace
{

using hpart::Platform;

hpart::Distribution partition(const Platform &platform, const hpart::PartitionRequest &request)
{
    auto control = checks::usual_control();
    return hpart::partition(platform, request, control);
}

// All distributions, one size or none a processor.
void least_sum(const Platform &platform, std::int64_t i, std::int64_t left, double most, double sum, double &least)
{
    if (i == platform.count()) {
        if (left == 0) least = std::min(least, sum);
        return;
    }
    least_sum(platform, i + 1, left, most, sum, least);
    const auto &points = platform.points(i);
    const auto limits = platform.processor(i).limits;
    for (std::size_t k = 0; k < points.count(); ++k) {
        const auto size = points.sizes[k];
        const double seconds = points.seconds[k];
        if (size <= left && seconds <= most && size >= limits.smallest && size <= limits.largest)
            least_sum(platform, i + 1, left - size, most, sum + seconds, least);
    }
}

TEST(SumTime, IsTheLeastOfAllDistributions)
{
    auto random = instances::seeded(131);
    const auto count = instances::how_many(0.5);
    std::int64_t feasible = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto platform = instances::with_whole_energies(instances::any_platform(random, {4, 6}));
        const auto n = instances::any_size(random, platform, 40);
        hpart::PartitionRequest request;
        request.size = n;
        request.objective = Objective::sum_time;
        double most = std::numeric_limits<double>::infinity(), least = most;
        if (k % 3 == 0 && platform.points(0).count() > 0 && !std::isnan(platform.points(0).seconds.front()))
            request.options.set_double("deadline", most = platform.points(0).seconds.front());
        least_sum(platform, 0, n, most, 0, least);
        try {
            const auto found = partition(platform, request);
            ++feasible;
            EXPECT_NEAR(found.seconds, least, 1e-12 * least) << instances::describe(platform, n);
            EXPECT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 1);
        } catch (const hpart::Error &error) {
            EXPECT_EQ(error.status(), hpart::Status::infeasible) << error.what();
            EXPECT_EQ(least, std::numeric_limits<double>::infinity()) << instances::describe(platform, n);
        }
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
        hpart::PartitionRequest request;
        request.size = 3;
        request.objective = Objective::sum_time;
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

} // namespace
