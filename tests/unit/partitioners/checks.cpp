#include "checks.hpp"

#include "core/error.hpp"
#include "instances.hpp"
#include "support/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
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
        try {
            const auto found = solve(platform, objective, n, ties);
            ASSERT_TRUE(expected.feasible) << where();
            ASSERT_FALSE(found.limit_reached) << where();
            ASSERT_TRUE(is_distribution(platform, objective, n, found)) << where();
            ASSERT_EQ(value_of(found, objective), expected.value) << where();
            if (ties == Ties::fewest) {
                ASSERT_EQ(count_active(found.x), expected.fewest) << where();
            }
            ASSERT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 1) << where();
            ASSERT_EQ(std::get<double>(found.report.get("gap")), 0) << where();
        } catch (const hpart::Error &error) {
            ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << '\n' << where();
            ASSERT_FALSE(expected.feasible) << where();
        }
    }
}

void check_front(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy, bool feasible,
                 const reference::Front &expected)
{
    const auto where = [&] { return instances::describe(platform, n); };
    try {
        auto control = usual_control();
        const auto front = hpart::compute_front(platform, {n, energy, "exact"}, control);
        ASSERT_TRUE(feasible) << where();
        ASSERT_EQ(front.points.size(), expected.size()) << where();
        auto at = expected.begin();
        for (const auto &point : front.points) {
            ASSERT_EQ(point.seconds, at->first) << where();
            ASSERT_EQ(point.joules, at->second) << where();
            ++at;
            hpart::Distribution found;
            found.x = point.x;
            found.seconds = point.seconds;
            found.joules = point.joules;
            const auto objective = energy == hpart::FrontEnergy::total ? Objective::total_energy : Objective::energy;
            ASSERT_TRUE(is_distribution(platform, objective, n, found)) << where();
        }
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << '\n' << where();
        ASSERT_FALSE(feasible) << where();
    }
}

} // namespace

double value_of(const hpart::Distribution &found, Objective objective)
{
    return objective == Objective::time ? found.seconds : found.joules;
}

hpart::Control usual_control() { return {nullptr, no_time_limit, usual_memory}; }

std::vector<std::pair<double, double>> front_of(const Platform &platform, std::int64_t n, hpart::FrontEnergy energy,
                                                const char *method)
{
    auto control = usual_control();
    std::vector<std::pair<double, double>> pairs;
    for (const auto &point : hpart::compute_front(platform, {n, energy, method}, control).points)
        pairs.emplace_back(point.seconds, point.joules);
    return pairs;
}

hpart::Distribution solve(const Platform &platform, Objective objective, std::int64_t n, Ties ties, const char *method)
{
    auto control = usual_control();
    return hpart::partition(platform, {objective, n, method, ties}, control);
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
    try {
        const auto found = solve(platform, objective, n);
        ASSERT_TRUE(expected.has_value()) << where();
        ASSERT_FALSE(found.limit_reached) << where();
        ASSERT_TRUE(is_distribution(platform, objective, n, found)) << where();
        ASSERT_EQ(value_of(found, objective), *expected) << where();
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << where();
        ASSERT_FALSE(expected.has_value()) << where();
    }
}

void schedule_is(const Platform &platform, std::int64_t n)
{
    const auto expected = reference::schedule(platform, n);
    const auto where = [&] { return instances::describe(platform, n); };
    for (const auto ties : {Ties::deterministic, Ties::fewest}) {
        try {
            auto control = usual_control();
            const auto found = hpart::compute_schedule(platform, {n, "exact", ties}, control);
            ASSERT_TRUE(expected.makespan.has_value()) << where();
            ASSERT_EQ(found.makespan, *expected.makespan) << where();
            std::int64_t sum = 0;
            std::map<std::int64_t, double> seconds;
            std::pair<std::int64_t, std::int64_t> previous{-1, 0};
            for (const auto &task : found.tasks) {
                ASSERT_TRUE(task.processor > previous.first || task.size < previous.second) << where();
                previous = {task.processor, task.size};
                ASSERT_GT(task.repeats, 0) << where();
                sum += task.size * task.repeats;
                double one = -1;
                for (const auto &point : reference::usable(platform, task.processor, false))
                    if (point.size == task.size) one = point.seconds;
                ASSERT_GE(one, 0) << where();
                for (std::int64_t k = 0; k < task.repeats; ++k) seconds[task.processor] += one;
            }
            ASSERT_EQ(sum, n) << where();
            double longest = 0;
            for (const auto &[processor, time] : seconds) longest = std::max(longest, time);
            ASSERT_EQ(longest, found.makespan) << where();
            if (ties == Ties::fewest) {
                ASSERT_EQ(static_cast<std::int64_t>(seconds.size()), expected.fewest) << where();
            }
        } catch (const hpart::Error &error) {
            ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << where();
            ASSERT_FALSE(expected.makespan.has_value()) << where();
        }
    }
}

void balance_is(const Platform &platform, std::int64_t n)
{
    const auto expected = reference::balance(platform, n);
    const auto where = [&] { return instances::describe(platform, n); };
    try {
        const auto found = solve(platform, Objective::time, n, Ties::deterministic, "balanced");
        ASSERT_TRUE(expected.feasible) << where();
        ASSERT_TRUE(is_distribution(platform, Objective::time, n, found)) << where();
        ASSERT_EQ(count_active(found.x), expected.active) << where();
        ASSERT_EQ(found.seconds, expected.longest) << where();
        double shortest = found.seconds;
        for (std::int64_t i = 0; i < platform.count(); ++i)
            for (const auto &point : reference::usable(platform, i, false))
                if (point.size == found.x[static_cast<std::size_t>(i)]) shortest = std::min(shortest, point.seconds);
        ASSERT_EQ(found.seconds - shortest, expected.spread) << where();
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << where();
        ASSERT_FALSE(expected.feasible) << where();
    }
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
    const auto front_by = [&](const char *name) {
        auto control = usual_control();
        return unless_infeasible([&] { return hpart::compute_front(platform, {n, energy, name}, control); });
    };
    const auto expected = front_by("exact");
    const auto found = front_by(method);
    ASSERT_EQ(found.has_value(), expected.has_value()) << where();
    if (!found) return;
    ASSERT_EQ(found->points.size(), expected->points.size()) << where();
    for (std::size_t k = 0; k < found->points.size(); ++k) {
        const auto &point = found->points[k];
        ASSERT_EQ(point.seconds, expected->points[k].seconds) << where();
        ASSERT_EQ(point.joules, expected->points[k].joules) << where();
        hpart::Distribution distribution;
        distribution.x = point.x;
        distribution.seconds = point.seconds;
        distribution.joules = point.joules;
        const auto objective = energy == hpart::FrontEnergy::total ? Objective::total_energy : Objective::energy;
        ASSERT_TRUE(is_distribution(platform, objective, n, distribution)) << where();
    }
}

} // namespace checks
