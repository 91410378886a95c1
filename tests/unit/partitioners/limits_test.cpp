// Time and memory limits, and the callback that stops a call.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace
{

using hpart::Control;
using hpart::Objective;
using hpart::Platform;

void expect_limit(const hpart::Distribution &found, const Platform &platform, Objective objective, std::int64_t n)
{
    EXPECT_TRUE(found.limit_reached);
    EXPECT_EQ(std::get<std::int64_t>(found.report.get("feasible")), found.feasible ? 1 : 0);
    EXPECT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 0);
    EXPECT_GT(std::get<double>(found.report.get("lower_bound")), 0);
    if (!found.feasible) return;
    EXPECT_TRUE(checks::is_distribution(platform, objective, n, found));
    const auto value = objective == Objective::time ? found.seconds : found.joules;
    EXPECT_EQ(std::get<double>(found.report.get("gap")), value - std::get<double>(found.report.get("lower_bound")));
}

struct Method {
    const char *name;
    Objective objective;
};

class Limits : public testing::TestWithParam<Method>
{
  protected:
    hpart::Distribution solve(Control control) const
    {
        return hpart::partition(platform_, {GetParam().objective, n_, GetParam().name}, control);
    }
    const Platform platform_ = instances::hard_platform(4);
    const std::int64_t n_ = instances::hard_size(platform_);
};

TEST_P(Limits, EndTheSearchWithABound)
{
    for (const auto &[seconds, memory] : {std::pair(checks::no_time_limit, std::int64_t{1} << 20),
                                          {0, checks::usual_memory},
                                          {0.01, checks::usual_memory}})
        expect_limit(solve({nullptr, seconds, memory}), platform_, GetParam().objective, n_);
}

TEST_P(Limits, TheCallbackStopsTheSearch)
{
    int calls = 0;
    const auto stop = std::make_shared<const hpart::ProgressCallback>([&](double, const char *what) {
        EXPECT_STRNE(what, "");
        ++calls;
        return 1;
    });
    support::expect_error(hpart::Status::cancelled, {}, [&] {
        solve({stop, checks::no_time_limit, checks::usual_memory});
    });
    EXPECT_EQ(calls, 1);
}

INSTANTIATE_TEST_SUITE_P(Methods, Limits,
                         testing::Values(Method{"exact", Objective::time}, Method{"exact", Objective::energy},
                                         Method{"exact", Objective::total_energy}, Method{"hpopta", Objective::time},
                                         Method{"heopta", Objective::energy},
                                         Method{"htpopta", Objective::total_energy}));

// Dense instances: a distribution is always at hand when the time is up.
TEST(LimitsWithIncumbent, AnIncumbentIsGivenWhereOneIsKnown)
{
    instances::Random random(3);
    const auto cost = [&](auto, auto k) {
        return std::uniform_real_distribution<>(0, 1)(random) + static_cast<double>(k);
    };
    const auto platform = instances::full_platform(40, 300, cost, cost);
    Control control(nullptr, checks::no_time_limit, 4096);
    const auto found =
        hpart::partition(platform, {Objective::energy, 6000, "exact", hpart::Ties::deterministic}, control);
    EXPECT_TRUE(found.feasible);
    expect_limit(found, platform, Objective::energy, 6000);
}

// No first choice is near the base: the bound is that of the search, and no other search begins.
TEST(LimitsWithIncumbent, ALimitBeforeAFirstChoiceEndsTheCall)
{
    instances::Random random(17);
    Platform platform(12);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::set<std::int64_t> sizes;
        while (sizes.size() < 20) sizes.insert(instances::between(random, 1, 20'000));
        std::vector<double> costs;
        for (const auto size : sizes)
            costs.push_back(static_cast<double>(size) * support::real_between(random, 1, 1.3));
        instances::set_functions(platform, i, {sizes.begin(), sizes.end()}, costs, costs);
    }
    for (const std::int64_t n : {60'001, 70'003, 80'007}) {
        const hpart::PartitionRequest request{Objective::energy, n};
        auto control = Control::of_work(0, checks::usual_memory);
        const auto found = hpart::partition(platform, request, control);
        expect_limit(found, platform, Objective::energy, n);
        EXPECT_EQ(std::get<std::int64_t>(found.report.get("sum_tests")), 0);
        EXPECT_LE(std::get<double>(found.report.get("lower_bound")), checks::partition(platform, request).joules);
    }
}

TEST(LimitsOfFronts, EndInAnError)
{
    const auto platform = instances::hard_platform(4);
    for (const bool by_memory : {false, true}) {
        Control control(nullptr, by_memory ? checks::no_time_limit : 0, by_memory ? 1 << 20 : checks::usual_memory);
        support::expect_error(hpart::Status::limit, {}, [&] {
            hpart::compute_front(platform, {instances::hard_size(platform), hpart::FrontEnergy::dynamic, "exact"},
                                 control);
        });
    }
}

TEST(LimitsOfSchedules, EndInAnError)
{
    const auto platform = instances::hard_platform(4, 2, 5);
    Control control(nullptr, checks::no_time_limit, 1 << 20);
    support::expect_error(hpart::Status::limit, {}, [&] {
        hpart::compute_schedule(
            platform, {std::numeric_limits<std::int64_t>::max(), "exact", hpart::Ties::deterministic}, control);
    });
}

// One processor has all the totals, the other few.
TEST(LimitsOfSchedules, MemoryIsSharedByNeed)
{
    Platform platform(2);
    platform.set_time_function(0, std::vector<std::int64_t>{1, 2, 3}, std::vector{1.0, 1.5, 2.0});
    platform.set_time_function(1, std::vector<std::int64_t>{10'000}, std::vector{9'000.0});
    const hpart::ScheduleRequest request{24'000, "exact", hpart::Ties::deterministic};
    Control control(nullptr, checks::no_time_limit, 1 << 20);
    EXPECT_EQ(hpart::compute_schedule(platform, request, control).makespan,
              checks::compute_schedule(platform, request).makespan);
    Control half(nullptr, checks::no_time_limit, 1 << 19);
    support::expect_error(hpart::Status::limit, {"memory_limit, which is 524288 bytes"},
                          [&] { hpart::compute_schedule(platform, request, half); });
}

TEST(LimitsOfSchedules, FewHugePackagesAreExact)
{
    Platform platform(2);
    const auto unit = std::int64_t{1} << 58;
    platform.set_time_function(0, std::vector{unit + 1, 2 * unit}, std::vector{3.0, 5.0});
    platform.set_time_function(1, std::vector{unit}, std::vector{4.0});
    const auto found = checks::compute_schedule(platform, {6 * unit + 1, "exact", hpart::Ties::deterministic});
    EXPECT_EQ(found.makespan, 12); // 3 + 5 + ... against 4 + 4 + 4
    checks::schedule_is(platform, 0);
}

TEST(LimitsOfMessages, NearestSizesMayBeTooHardToTell)
{
    const auto platform = instances::hard_platform(4);
    support::expect_error(hpart::Status::infeasible,
                          {"no distribution of size 12345 exists; the nearest feasible sizes could not be determined "
                           "within the limits"},
                          [&] { checks::solve(platform, Objective::time, 12345); });
}

// To give up one after another, and to tell.
constexpr std::int64_t most_looks_beyond = 20;

template <typename Solve> void end_in_a_limit_or_answer(Control &control, const Solve &solve)
{
    try {
        solve(control);
    } catch (const hpart::Error &error) {
        EXPECT_TRUE(error.status() == hpart::Status::infeasible || error.status() == hpart::Status::limit);
    }
}

// A second passes at each look at the clock.
template <typename Solve> void expect_kept(const Solve &solve)
{
    for (const std::int64_t looks : {2, 8}) {
        support::FakeClock clock(1);
        Control control(nullptr, static_cast<double>(looks) - 0.5, checks::usual_memory);
        end_in_a_limit_or_answer(control, solve);
        EXPECT_LE(clock.looks(), looks + most_looks_beyond);
    }
}

using Shape = std::pair<std::int64_t, std::int64_t>; // processors, points

class TimeLimits : public testing::TestWithParam<std::tuple<Shape, Objective, int>>
{
};

// Sizes up to 2^61 without any structure: lists and tables of any length could be made of them.
TEST_P(TimeLimits, AreKept)
{
    const auto [shape, objective, which] = GetParam();
    const auto [p, m] = shape;
    auto random = instances::seeded(19);
    Platform platform(p);
    std::vector<std::int64_t> previous;
    for (std::int64_t i = 0; i < p; ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> costs;
        for (std::int64_t k = 0; k < m; ++k) {
            sizes.push_back(instances::between(random, 1, (std::int64_t{1} << 61) / p));
            costs.push_back(static_cast<double>(sizes.back()) * std::uniform_real_distribution<>(1, 1.2)(random));
        }
        previous.push_back(sizes.front());
        instances::set_functions(platform, i, sizes, costs, costs);
    }
    platform.set_base_power(1);
    hpart::PartitionRequest request{objective, std::accumulate(previous.begin(), previous.end(), std::int64_t{which})};
    if (which == 1) request.options.set_int("max_active", p - 1);
    if (which == 2) request.options.set_text("idle_processors", "forbidden");
    if (which == 3 && objective != Objective::time) request.options.set_double("slowdown", 1.5);
    if (which == 3 && objective == Objective::time)
        request.options.set_double("energy_budget", 1.2 * static_cast<double>(request.size));
    // The longer, the longer the lists and tables get.
    expect_kept([&](Control &control) { hpart::partition(platform, request, control); });
    if (objective != Objective::time) {
        const auto energy = objective == Objective::energy ? hpart::FrontEnergy::dynamic : hpart::FrontEnergy::total;
        expect_kept([&](Control &control) {
            hpart::compute_front(platform, {request.size, energy, "exact", request.options}, control);
        });
    } else if (which == 0) {
        expect_kept([&](Control &control) {
            hpart::compute_schedule(platform, {request.size, "exact", hpart::Ties::deterministic}, control);
        });
    }
}

// A table of subproblems that grows as long as it is let.
TEST(TimeLimitsOfPapers, AreKept)
{
    instances::Random random(60);
    Platform platform(7);
    std::set<std::int64_t> sizes;
    while (sizes.size() < 168) sizes.insert(instances::between(random, 1, std::int64_t{1} << 25));
    std::vector<double> costs;
    for (const auto size : sizes) costs.push_back(static_cast<double>(size % 1000));
    for (std::int64_t i = 0; i < platform.count(); ++i)
        instances::set_functions(platform, i, {sizes.begin(), sizes.end()}, costs, costs);
    for (const auto objective : {Objective::time, Objective::energy}) {
        const hpart::PartitionRequest request{objective, (std::int64_t{1} << 26) + 12345,
                                              objective == Objective::time ? "popta" : "eopta"};
        expect_kept([&](Control &control) { hpart::partition(platform, request, control); });
    }
}

// The hint that lines between few sizes would do takes a look at a million points.
TEST(TimeLimitsOfMessages, TwoHintsTakeASecondEach)
{
    Platform platform(4);
    const auto set = [&](std::int64_t i, const std::vector<std::int64_t> &sizes, const std::vector<double> &seconds,
                         const std::vector<double> &parts) {
        auto joules = parts;
        for (auto &each : joules) each += 1e9;
        instances::set_functions(platform, i, sizes, seconds, joules);
    };
    set(0, {49151, 262143}, {3, 3}, {0.4075717, 0.335923});
    set(1, {180225, 245760, 262143, 262145}, {3, 3, 2, 3}, {0.188096, 0.7861671, 0.5010034, 0.3222822});
    set(2, {32769, 49152, 49153, 98305}, {3, 1, 2, 3}, {0.6478988, 0.0975592, 0.5954901, 0.5611174});
    set(3, {16383, 49151, 49152, 65536}, {2, 1, 3, 1}, {0.1051588, 0.1733509, 0.0744184, 0.6822613});
    platform.set_base_power(29231.293857298326);
    const auto options = support::options_of({{"slowdown", "1.739"}, {"energy_budget", "0.8226"}});
    const support::FakeClock clock(0.01);
    EXPECT_THROW(checks::compute_front(platform, {327683, hpart::FrontEnergy::total, "exact", options}), hpart::Error);
    EXPECT_LE(clock.seconds(), 2.5);
}

// Few sizes that make millions of points.
TEST(TimeLimitsOfInterpolation, AreKept)
{
    constexpr std::int64_t largest = 20'000'000;
    Platform platform(2);
    for (std::int64_t i = 0; i < platform.count(); ++i)
        platform.set_time_function(i, std::vector<std::int64_t>{1, largest},
                                   std::vector{1.0, static_cast<double>(2 + i)});
    for (const char *communication : {"none", "chain"}) {
        hpart::PartitionRequest request{Objective::time, largest};
        request.options.set_text("interpolate", "linear");
        request.options.set_text("communication", communication);
        expect_kept([&](Control &control) { hpart::partition(platform, request, control); });
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, TimeLimits,
                         testing::Combine(testing::Values(Shape{17, 7}, Shape{12, 250}, Shape{40, 40}, Shape{2, 1000}),
                                          testing::Values(Objective::time, Objective::energy, Objective::total_energy),
                                          testing::Range(0, 4, support::is_long_run() ? 1 : 3)));

} // namespace
