// Instances that broke prototypes or printed algorithms, and messages.
#include "checks.hpp"
#include "core/error.hpp"

#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace
{

using hpart::Objective;
using hpart::Platform;

using Pairs = std::vector<std::pair<double, double>>;

// Here a front walk that kept the multiplier of an earlier solve lost points.
TEST(Regressions, FrontOfNearProportionalCosts)
{
    const auto platform = reference::platform_of(
        {{{5, 61, 48}},
         {{5, 72, 65}, {7, 85, 86}, {8, 108, 71}, {9, 105, 97}, {10, 102, 101}},
         {{1, 37, 25}, {2, 22, 16}, {3, 67, 43}},
         {{2, 26, 18}},
         {{1, 43, 36}, {2, 29, 21}, {3, 67, 50}},
         {{1, 13, 16}, {6, 75, 63}, {8, 81, 75}, {9, 105, 86}, {10, 119, 104}, {11, 138, 113}, {12, 123, 106}},
         {},
         {{2, 45, 43}, {4, 45, 49}, {5, 79, 59}, {7, 109, 80}, {8, 114, 90}, {9, 130, 73}}});
    EXPECT_EQ(checks::front_of(platform, 36),
              (Pairs{{102, 394}, {105, 376}, {109, 359}, {114, 350}, {123, 339}, {130, 314}}));
}

TEST(Regressions, NothingToDo)
{
    const auto platform = reference::platform_of({{{3, 1, 1}}, {}});
    for (const auto *method : {"exact", "equal", "cpm", "fpm", "balanced"}) {
        const auto found = checks::solve(platform, Objective::energy, 0, hpart::Ties::fewest, method);
        EXPECT_EQ(found.x, (std::vector<std::int64_t>{0, 0}));
        EXPECT_EQ(found.seconds, 0);
        EXPECT_EQ(found.joules, 0);
        EXPECT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 1);
    }
    EXPECT_EQ(checks::front_of(platform, 0), (Pairs{{0, 0}}));
    const auto schedule = checks::compute_schedule(platform, {0, "exact", hpart::Ties::deterministic});
    EXPECT_EQ(schedule.makespan, 0);
    EXPECT_TRUE(schedule.tasks.empty());
}

TEST(Regressions, EnergySumsThatOverflow)
{
    const auto huge = 1.7e308;
    const auto platform = reference::platform_of({{{1, 1, huge}}, {{1, 1, huge}}, {{2, 5, huge}, {3, 1, 1}}});
    support::expect_error(hpart::Status::numerical, {}, [&] { checks::solve(platform, Objective::energy, 2); });
    EXPECT_EQ(checks::solve(platform, Objective::time, 4).seconds, 1);
    const auto large = 1e279;
    const auto sums = reference::platform_of({{{1, 1, large}}, {{1, 1, large}}, {{2, 5, large}, {3, 1, 1}}});
    EXPECT_EQ(checks::solve(sums, Objective::energy, 4).joules, large + 1);
}

TEST(Regressions, SmallestDoubles)
{
    const auto tiny = 4.9406564584124654e-324;
    const auto platform = reference::platform_of({{{1, 1, tiny}, {2, 1, 2 * tiny}}, {{1, 1, 3 * tiny}, {2, 1, 1}}});
    EXPECT_EQ(checks::solve(platform, Objective::energy, 2).joules, 2 * tiny);
    EXPECT_EQ(checks::solve(platform, Objective::energy, 3).joules, 5 * tiny);
}

std::string message_of(const Platform &platform, Objective objective, std::int64_t n, const char *method = "exact")
{
    return support::message_of([&] { checks::solve(platform, objective, n, hpart::Ties::deterministic, method); });
}

TEST(Messages, SayWhatWouldBeRight)
{
    const auto platform = reference::platform_of({{{4, 1, 1}, {6, 1, 1}}});
    EXPECT_EQ(message_of(platform, Objective::time, 5), "no distribution of size 5 exists; the nearest feasible sizes "
                                                        "are 4 below and 6 above; option interpolate=linear "
                                                        "allows size 5");
    EXPECT_EQ(message_of(platform, Objective::energy, 7),
              "no distribution of size 7 exists; the nearest feasible sizes are 6 below and none above");
    EXPECT_EQ(message_of(platform, Objective::time, 1),
              "no distribution of size 1 exists; the nearest feasible sizes are 0 below and 4 above");
    Platform of_times(1);
    of_times.set_time_function(0, std::vector<std::int64_t>{4}, std::vector<double>{1});
    EXPECT_EQ(
        message_of(of_times, Objective::energy, 4),
        "no distribution of size 4 exists; the nearest feasible sizes are 0 below and none above: no processor has an "
        "energy at any size, only times");
    of_times.set_limits(0, {5, 6});
    EXPECT_NE(message_of(of_times, Objective::time, 4)
                  .find("0 below and none above: no processor has a size within its limits that has a time"),
              std::string::npos);
    EXPECT_NE(message_of(platform, Objective::total_energy, 4).find("base power is not set"), std::string::npos);
    const auto of_time = message_of(platform, Objective::time, 4, "hpopt");
    EXPECT_EQ(of_time.find("method is 'hpopt'; did you mean 'hpopta'? Partition by time has the methods exact, "), 0)
        << of_time;
    EXPECT_NE(of_time.find(", hpopta, "), std::string::npos) << of_time;
    EXPECT_EQ(message_of(platform, Objective::energy, 4, "hpopt").find("hpopta"), std::string::npos);
    EXPECT_EQ(message_of(platform, Objective::time, 4, "heopta")
                  .find("method is 'heopta', which has another objective; partition by time has the methods exact, "),
              0);
    EXPECT_THROW(checks::compute_front(platform, {4, hpart::FrontEnergy::dynamic, "fpm"}), hpart::Error);
    EXPECT_THROW(checks::compute_front(platform, {4, hpart::FrontEnergy::total, "exact"}), hpart::Error);
    EXPECT_THROW(checks::compute_schedule(platform, {4, "balanced", hpart::Ties::deterministic}), hpart::Error);
}

TEST(Messages, InfeasibleSchedulesNameTheNearestTotals)
{
    const auto platform = reference::platform_of({{{4, 1, 1}, {6, 1, 1}}, {{9, 1, 1}}});
    support::expect_error(hpart::Status::infeasible, {"the nearest feasible sizes are 6 below and 8 above"}, [&] {
        checks::compute_schedule(platform, {7, "exact", hpart::Ties::deterministic});
    });
}

} // namespace
