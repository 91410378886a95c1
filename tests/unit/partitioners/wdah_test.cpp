// Schedules by WDAH: its worked example, its search against a plain recursion, and its answers against the exact ones.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "models/platform_file.hpp"
#include "reference.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include "support/data.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <numeric>
#include <optional>

namespace
{

using checks::is_schedule;
using hpart::Platform;
using hpart::Schedule;
using hpart::Status;
using Sizes = std::vector<std::int64_t>;

struct Setting {
    const char *method = "exact";
    std::int64_t backtracks = 100;
    bool rising = false;
    bool compare = false;
    std::int64_t memory = std::int64_t{1} << 30;
};

Schedule schedule(const Platform &platform, std::int64_t n, const Setting &setting)
{
    hpart::ScheduleRequest request;
    request.size = n;
    request.method = setting.method;
    request.options.set_int("backtrack_limit", setting.backtracks);
    if (setting.rising) request.options.set_text("packages", "rising");
    if (setting.compare) request.options.set_text("compare", "exact");
    hpart::Control control(nullptr, std::numeric_limits<double>::infinity(), setting.memory);
    return hpart::compute_schedule(platform, request, control);
}

Status status_of(const Platform &platform, std::int64_t n, const Setting &setting)
{
    return support::error_of([&] { schedule(platform, n, setting); }).status();
}

double real(const Schedule &found, const char *key) { return std::get<double>(found.report.get(key)); }

Platform platform_with_times(const std::vector<std::pair<Sizes, std::vector<double>>> &functions)
{
    Platform platform(static_cast<std::int64_t>(functions.size()));
    for (std::size_t i = 0; i < functions.size(); ++i)
        platform.set_time_function(static_cast<std::int64_t>(i), functions[i].first, functions[i].second);
    return platform;
}

TEST(Wdah, WorkedExample)
{
    // Equation 4.9.
    const auto platform = platform_with_times({{{2, 4, 8}, {2, 3, 4}}, {{2, 4, 8}, {3, 4, 6}}});
    for (const auto *method : {"exact", "wdah", "wdah-heuristic"}) {
        const auto found = schedule(platform, 16, {.method = method});
        EXPECT_EQ(found.makespan, 6) << method;
        is_schedule(platform, 16, found);
    }
    // 8 on each processor: busy 4 of 6 and 6 of 6 seconds.
    EXPECT_EQ(
        std::get<std::vector<double>>(schedule(platform, 16, {.method = "wdah-heuristic"}).report.get("utilisation")),
        (std::vector{4.0 / 6, 1.0}));
    const std::string file = support::data("wdah-eq-4.9.csv");
    EXPECT_EQ(schedule(hpart::read_platform(file), 16, {.method = "wdah"}).makespan, 6);
}

TEST(Wdah, ComparesWithTheExactSchedule)
{
    // The fast processor's one size first, which leaves the slow one a package that the fast one does in no time.
    const auto platform = platform_with_times({{{3, 4}, {1, 1}}, {{1, 2}, {10, 11}}});
    const auto found = schedule(platform, 6, {.method = "wdah-heuristic", .compare = true});
    EXPECT_EQ(real(found, "exact_value"), 2);
    EXPECT_EQ(real(found, "excess"), found.makespan / 2 - 1);
    EXPECT_GT(found.makespan, 2);
    EXPECT_EQ(real(found, "lower_bound"), 2);
    const auto exact = schedule(platform, 6, {.method = "exact", .compare = true});
    EXPECT_EQ(real(exact, "excess"), 0);
    EXPECT_THROW(schedule(platform, 6, {.method = "wdah"}).report.get("excess"), hpart::Error);
}

TEST(Wdah, RisingPackagesEndAtTheHighestSpeed)
{
    // Speeds 1, 1.5, 3, 2, 3.
    const auto platform = platform_with_times({{{2, 3, 6, 8, 12}, {2, 2, 2, 4, 4}}});
    const auto found = schedule(platform, 12, {.method = "exact", .rising = true});
    ASSERT_EQ(found.tasks.size(), 1U);
    EXPECT_EQ(found.tasks[0].size, 6);
    EXPECT_EQ(found.tasks[0].repeats, 2);
    EXPECT_EQ(schedule(platform, 12, {}).tasks[0].size, 12); // 4 s either way
    const auto steep = platform_with_times({{{5, 7}, {1, 9}}});
    EXPECT_EQ(status_of(steep, 7, {}), Status::success);
    for (const auto *method : {"exact", "wdah", "wdah-heuristic"})
        EXPECT_EQ(status_of(steep, 7, {.method = method, .rising = true}), Status::infeasible);
    support::expect_error(Status::infeasible, {"the nearest feasible sizes are 5 below and 10 above"},
                          [&] { schedule(steep, 7, {.method = "wdah", .rising = true}); });
}

TEST(Wdah, GapsAndParityDoNotStrandTheFirstDescent)
{
    // By speed alone: 10, then 10, and nothing makes the rest of 1.
    const auto platform = platform_with_times({{{7, 10}, {7, 1}}});
    const auto found = schedule(platform, 21, {.method = "wdah-heuristic"});
    is_schedule(platform, 21, found);
    EXPECT_EQ(found.makespan, 21);
}

TEST(Wdah, NothingToDoAndNothingToDoItWith)
{
    const Platform idle(2);
    for (const auto *method : {"wdah", "wdah-heuristic"}) {
        EXPECT_TRUE(schedule(idle, 0, {.method = method, .compare = true}).tasks.empty());
        EXPECT_EQ(status_of(idle, 1, {.method = method}), Status::infeasible);
    }
    const auto free_of_charge = platform_with_times({{{1, 2}, {0, 0}}, {{1, 2}, {0, 0}}, {{3}, {1}}});
    const auto found = schedule(free_of_charge, 9, {.method = "wdah"});
    is_schedule(free_of_charge, 9, found);
    EXPECT_EQ(found.makespan, 0);
}

TEST(Wdah, LimitsEndTheSearch)
{
    const auto platform = platform_with_times({{{1}, {1}}, {{2}, {1}}});
    EXPECT_EQ(status_of(platform, std::int64_t{1} << 60, {.method = "wdah-heuristic", .memory = 1 << 20}),
              Status::limit);
    // Few packages of huge sizes are no trouble.
    const auto unit = std::int64_t{1} << 58;
    const auto huge = platform_with_times({{{3 * unit, 5 * unit}, {3, 4}}, {{2 * unit}, {3}}});
    is_schedule(huge, 15 * unit, schedule(huge, 15 * unit, {.method = "wdah"}));
    // A smallest size whose remainders do not fit the memory.
    const auto coprime = platform_with_times({{{unit - 1, unit}, {1, 1}}});
    EXPECT_EQ(status_of(coprime, 3 * unit, {.method = "wdah"}), Status::limit);
    // A branch of the tree for every order of packages: only the time limit ends it.
    const auto wide = platform_with_times({{{1, 2, 3, 4}, {1, 2.1, 3.3, 4.2}}, {{1, 2, 3, 4}, {1.1, 2, 3.1, 4.3}}});
    hpart::ScheduleRequest request;
    request.size = 1000;
    request.method = "wdah";
    request.options.set_int("backtrack_limit", 0);
    hpart::Control control(nullptr, 0.05, std::int64_t{1} << 30);
    support::expect_error(Status::limit, {}, [&] { hpart::compute_schedule(wide, request, control); });
}

// Algorithms 1 to 3 as a recursion, for functions that all have the size 1, where the repairs change nothing.
class PlainSearch
{
  public:
    PlainSearch(const Platform &platform, std::int64_t n, std::int64_t backtracks)
        : backtracks_(backtracks == 0 ? std::numeric_limits<std::int64_t>::max() : backtracks)
    {
        double sum = 0;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            auto points = reference::usable(platform, i, false);
            const auto speed = [](const reference::Point &point) {
                return static_cast<double>(point.size) / point.seconds;
            };
            std::stable_sort(points.begin(), points.end(), [&](const auto &a, const auto &b) {
                return speed(a) > speed(b) || (speed(a) == speed(b) && a.size > b.size);
            });
            priorities_.push_back(speed(points[0]));
            packages_.push_back(points);
        }
        const auto fastest = *std::max_element(priorities_.begin(), priorities_.end());
        for (auto &priority : priorities_) sum += (priority /= fastest);
        for (auto &priority : priorities_) priority = priority / sum * static_cast<double>(n);
        busy_.assign(packages_.size(), 0);
        branch(n);
    }
    double best = std::numeric_limits<double>::infinity();

  private:
    void branch(std::int64_t rest)
    {
        if (rest == 0) {
            best = *std::max_element(busy_.begin(), busy_.end());
            return;
        }
        const auto i =
            static_cast<std::size_t>(std::max_element(priorities_.begin(), priorities_.end()) - priorities_.begin());
        for (const auto &package : packages_[i]) {
            if (package.size > rest || backtracks_ <= 0) continue;
            const auto busy = busy_;
            const auto priorities = priorities_;
            busy_[i] += package.seconds;
            priorities_[i] -= static_cast<double>(package.size);
            if (*std::max_element(busy_.begin(), busy_.end()) < best) {
                branch(rest - package.size);
                --backtracks_;
            }
            busy_ = busy;
            priorities_ = priorities;
        }
    }
    std::int64_t backtracks_;
    std::vector<std::vector<reference::Point>> packages_;
    std::vector<double> priorities_;
    std::vector<double> busy_;
};

TEST(Wdah, SearchesAsPrinted)
{
    auto random = support::seeded(41);
    const auto count = instances::how_many(0.05);
    for (std::int64_t k = 0; k < count; ++k) {
        const auto p = instances::between(random, 1, 3);
        Platform platform(p);
        for (std::int64_t i = 0; i < p; ++i) {
            Sizes sizes(static_cast<std::size_t>(instances::between(random, 1, 4)));
            std::iota(sizes.begin(), sizes.end(), 1);
            std::vector<double> seconds;
            for (const auto size : sizes)
                seconds.push_back(static_cast<double>(size + instances::between(random, 0, 8)));
            platform.set_time_function(i, sizes, seconds);
        }
        const auto n = instances::between(random, 1, 9);
        for (const std::int64_t backtracks : {1, 2, 5, 20, 0})
            ASSERT_EQ(schedule(platform, n, {.method = "wdah", .backtracks = backtracks}).makespan,
                      PlainSearch(platform, n, backtracks).best)
                << backtracks << instances::describe(platform, n);
        ASSERT_EQ(schedule(platform, n, {.method = "wdah-heuristic"}).makespan, PlainSearch(platform, n, 1).best);
    }
}

TEST(Wdah, NeverBetterThanExactAndFeasibleWhenItIs)
{
    std::int64_t worse = 0;
    instances::for_each_instance(42, 0.1, [&](auto &random, auto k) {
        const auto platform = instances::any_platform(random, {4, 5});
        const auto n = instances::between(random, 0, k % 2 == 0 ? 12 : 60);
        const bool rising = instances::between(random, 0, 1) == 1;
        SCOPED_TRACE(instances::describe(platform, n));
        const auto status = status_of(platform, n, {.rising = rising});
        if (status != Status::success) {
            ASSERT_EQ(status, Status::infeasible);
            ASSERT_EQ(status_of(platform, n, {.method = "wdah", .rising = rising}), Status::infeasible);
            ASSERT_EQ(status_of(platform, n, {.method = "wdah-heuristic", .rising = rising}), Status::infeasible);
            return;
        }
        const auto exact = schedule(platform, n, {.rising = rising});
        is_schedule(platform, n, exact);
        for (const std::int64_t backtracks : {1, 10, 100}) {
            const auto found = schedule(
                platform, n, {.method = "wdah", .backtracks = backtracks, .rising = rising, .compare = k % 2 == 0});
            is_schedule(platform, n, found);
            ASSERT_GE(found.makespan, exact.makespan);
            ASSERT_LE(real(found, "lower_bound"), exact.makespan);
            ASSERT_EQ(real(found, "gap"), found.makespan - real(found, "lower_bound"));
            if (k % 2 == 0) {
                ASSERT_EQ(real(found, "exact_value"), exact.makespan);
            }
            worse += found.makespan > exact.makespan ? 1 : 0;
        }
    });
    EXPECT_GT(worse, 0);
}

} // namespace
