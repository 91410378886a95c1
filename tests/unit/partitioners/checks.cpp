#include "checks.hpp"

#include "core/error.hpp"
#include "instances.hpp"
#include "support/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <utility>

namespace checks
{

using hpart::Objective;
using hpart::Platform;
using hpart::Ties;

namespace
{

struct Expected {
    bool feasible;
    double value;
    std::int64_t fewest;
};

Expected expected_of(const reference::Answers &answers, Objective objective)
{
    switch (objective) {
    case Objective::time: return {answers.feasible_in_time, answers.least_seconds, answers.fewest_for_time};
    case Objective::energy: return {answers.feasible_in_energy, answers.least_joules, answers.fewest_for_energy};
    case Objective::total_energy:
    case Objective::sum_time: break; // not asked for here
    }
    return {answers.feasible_in_energy, answers.least_total, answers.fewest_for_total};
}

void check_objective(const Platform &platform, Objective objective, std::int64_t n, const Expected &expected)
{
    for (const auto ties : {Ties::deterministic, Ties::fewest}) {
        const auto where = [&] {
            return hpart::text("objective ", static_cast<int>(objective), " ties ", static_cast<int>(ties), " ",
                               instances::describe(platform, n));
        };
        const auto found = unless_infeasible([&] { return solve(platform, objective, n, ties); });
        ASSERT_EQ(found.has_value(), expected.feasible) << where();
        if (!found) continue;
        ASSERT_FALSE(found->limit_reached) << where();
        ASSERT_TRUE(is_distribution(platform, objective, n, *found)) << where();
        ASSERT_EQ(value_of(*found, objective), expected.value) << where();
        if (ties == Ties::fewest) {
            ASSERT_EQ(count_active(found->x), expected.fewest) << where();
        }
        ASSERT_EQ(std::get<std::int64_t>(found->report.get("optimal")), 1) << where();
        ASSERT_EQ(std::get<double>(found->report.get("gap")), 0) << where();
    }
}

// These pairs of time and energy, each of a distribution that has them.
void points_are(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy,
                const std::vector<hpart::FrontPoint> &points, const std::vector<std::pair<double, double>> &expected)
{
    const auto objective = energy == hpart::FrontEnergy::total ? Objective::total_energy : Objective::energy;
    std::vector<std::pair<double, double>> pairs;
    for (const auto &point : points) {
        pairs.emplace_back(point.seconds, point.joules);
        hpart::Distribution found;
        found.x = point.x;
        found.seconds = point.seconds;
        found.joules = point.joules;
        ASSERT_TRUE(is_distribution(platform, objective, n, found)) << instances::describe(platform, n);
    }
    ASSERT_EQ(pairs, expected) << instances::describe(platform, n);
}

void check_front(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy, bool feasible,
                 const reference::Front &expected)
{
    const auto front = unless_infeasible([&] { return compute_front(platform, {n, energy, "exact"}); });
    ASSERT_EQ(front.has_value(), feasible) << instances::describe(platform, n);
    if (front) points_are(platform, n, energy, front->points, {expected.begin(), expected.end()});
}

} // namespace

double value_of(const hpart::Distribution &found, Objective objective)
{
    return objective == Objective::time ? found.seconds : found.joules;
}

hpart::Control usual_control() { return {nullptr, no_time_limit, usual_memory}; }

hpart::Distribution partition(const Platform &platform, const hpart::PartitionRequest &request)
{
    auto control = usual_control();
    return hpart::partition(platform, request, control);
}

hpart::Front compute_front(const Platform &platform, const hpart::FrontRequest &request)
{
    auto control = usual_control();
    return hpart::compute_front(platform, request, control);
}

hpart::Schedule compute_schedule(const Platform &platform, const hpart::ScheduleRequest &request)
{
    auto control = usual_control();
    return hpart::compute_schedule(platform, request, control);
}

std::vector<std::pair<double, double>> front_of(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy,
                                                const char *method)
{
    std::vector<std::pair<double, double>> pairs;
    for (const auto &point : compute_front(platform, {n, energy, method}).points)
        pairs.emplace_back(point.seconds, point.joules);
    return pairs;
}

hpart::Distribution solve(const Platform &platform, Objective objective, std::int64_t n, Ties ties, const char *method)
{
    return partition(platform, {objective, n, method, ties});
}

bool is_distribution(const Platform &platform, Objective objective, std::int64_t n, const hpart::Distribution &found)
{
    std::int64_t sum = 0;
    double seconds = 0;
    support::Expansion energy;
    bool has_energy = true;
    if (static_cast<std::int64_t>(found.x.size()) != platform.count()) return false;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto size = found.x[static_cast<std::size_t>(i)];
        if (size == 0) continue;
        const auto points = reference::usable(platform, i, objective != Objective::time);
        const auto point =
            std::find_if(points.begin(), points.end(), [&](const auto &candidate) { return candidate.size == size; });
        if (point == points.end()) return false;
        sum += size;
        seconds = std::max(seconds, point->seconds);
        has_energy = has_energy && !std::isnan(point->joules);
        if (has_energy) energy.add(point->joules);
    }
    if (objective == Objective::total_energy) energy.add_product(platform.base_power(), seconds);
    const bool same_energy = has_energy ? found.joules == energy.rounded() : std::isnan(found.joules);
    return sum == n && found.seconds == seconds && same_energy;
}

std::int64_t count_active(const std::vector<std::int64_t> &x)
{
    return std::count_if(x.begin(), x.end(), [](std::int64_t size) { return size > 0; });
}

void optimum_is(const Platform &platform, Objective objective, std::int64_t n, std::optional<double> expected)
{
    const auto where = [&] { return instances::describe(platform, n); };
    const auto found = unless_infeasible([&] { return solve(platform, objective, n); });
    ASSERT_EQ(found.has_value(), expected.has_value()) << where();
    if (!found) return;
    ASSERT_FALSE(found->limit_reached) << where();
    ASSERT_TRUE(is_distribution(platform, objective, n, *found)) << where();
    ASSERT_EQ(value_of(*found, objective), *expected) << where();
}

void is_schedule(const Platform &platform, std::int64_t n, const hpart::Schedule &found)
{
    std::vector<double> busy(static_cast<std::size_t>(platform.count()), 0);
    std::int64_t sum = 0;
    std::pair<std::int64_t, std::int64_t> previous{-1, 0};
    for (const auto &task : found.tasks) {
        ASSERT_TRUE(task.processor > previous.first || task.size < previous.second);
        previous = {task.processor, task.size};
        ASSERT_GT(task.repeats, 0);
        sum += task.size * task.repeats;
        double seconds = -1;
        for (const auto &point : reference::usable(platform, task.processor, false))
            if (point.size == task.size) seconds = point.seconds;
        ASSERT_GE(seconds, 0);
        for (std::int64_t k = 0; k < task.repeats; ++k) busy[static_cast<std::size_t>(task.processor)] += seconds;
    }
    ASSERT_EQ(sum, n);
    const auto longest = *std::max_element(busy.begin(), busy.end());
    ASSERT_EQ(longest, found.makespan);
    for (auto &seconds : busy) seconds = longest > 0 ? seconds / longest : 0;
    ASSERT_EQ(std::get<std::vector<double>>(found.report.get("utilisation")), busy);
}

void schedule_is(const Platform &platform, std::int64_t n)
{
    const auto expected = reference::schedule(platform, n);
    SCOPED_TRACE(instances::describe(platform, n));
    for (const auto ties : {Ties::deterministic, Ties::fewest}) {
        const auto found = unless_infeasible([&] { return compute_schedule(platform, {n, "exact", ties}); });
        ASSERT_EQ(found.has_value(), expected.makespan.has_value());
        if (!found) continue;
        ASSERT_EQ(found->makespan, *expected.makespan);
        is_schedule(platform, n, *found);
        std::set<std::int64_t> active;
        for (const auto &task : found->tasks) active.insert(task.processor);
        if (ties == Ties::fewest) {
            ASSERT_EQ(static_cast<std::int64_t>(active.size()), expected.fewest);
        }
    }
}

void balance_is(const Platform &platform, std::int64_t n)
{
    const auto expected = reference::balance(platform, n);
    SCOPED_TRACE(instances::describe(platform, n));
    const auto found =
        unless_infeasible([&] { return solve(platform, Objective::time, n, Ties::deterministic, "balanced"); });
    ASSERT_EQ(found.has_value(), expected.feasible);
    if (!found) return;
    ASSERT_TRUE(is_distribution(platform, Objective::time, n, *found));
    ASSERT_EQ(count_active(found->x), expected.active);
    ASSERT_EQ(found->seconds, expected.longest);
    double shortest = found->seconds;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        for (const auto &point : reference::usable(platform, i, false))
            if (point.size == found->x[static_cast<std::size_t>(i)]) shortest = std::min(shortest, point.seconds);
    ASSERT_EQ(found->seconds - shortest, expected.spread);
}

void against(const Platform &platform, std::int64_t n, const reference::Answers &expected)
{
    for (const auto objective : {Objective::time, Objective::energy, Objective::total_energy}) {
        check_objective(platform, objective, n, expected_of(expected, objective));
        if (testing::Test::HasFatalFailure()) return;
    }
    check_front(platform, n, hpart::FrontEnergy::dynamic, expected.feasible_in_energy, expected.front);
    if (testing::Test::HasFatalFailure()) return;
    check_front(platform, n, hpart::FrontEnergy::total, expected.feasible_in_energy, expected.total_front);
}

void agrees_with_exact(const Platform &platform, std::int64_t n, Objective objective, const char *method, Ties ties,
                       double tolerance)
{
    const auto where = [&] { return hpart::text(method, " ", instances::describe(platform, n)); };
    const auto expected = unless_infeasible([&] { return solve(platform, objective, n, ties); });
    const auto found = unless_infeasible([&] { return solve(platform, objective, n, ties, method); });
    ASSERT_EQ(found.has_value(), expected.has_value()) << where();
    if (!found) return;
    ASSERT_TRUE(is_distribution(platform, objective, n, *found)) << where();
    const auto value = value_of(*found, objective);
    const auto least = value_of(*expected, objective);
    ASSERT_GE(value, least) << where();
    ASSERT_LE(value, least * (1 + tolerance)) << where();
    ASSERT_EQ(std::get<std::int64_t>(found->report.get("optimal")), value == least ? 1 : 0) << where();
    if (ties == Ties::fewest) {
        ASSERT_EQ(count_active(found->x), count_active(expected->x)) << where();
    }
}

void front_agrees_with_exact(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy, const char *method)
{
    const auto where = [&] { return hpart::text(method, " ", instances::describe(platform, n)); };
    const auto expected = unless_infeasible([&] { return front_of(platform, n, energy); });
    const auto found = unless_infeasible([&] { return compute_front(platform, {n, energy, method}); });
    ASSERT_EQ(found.has_value(), expected.has_value()) << where();
    if (found) points_are(platform, n, energy, found->points, *expected);
}

} // namespace checks
