// Every constraint and any combination of them, against enumeration of all distributions. HPART_TEST_INSTANCES sets how many.
#include "checks.hpp"
#include "combined_options.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "instances.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace
{

using hpart::infinity;

using combined::all_candidates;
using combined::any_constraints;
using combined::Candidate;
using combined::one_in;
using hpart::Objective;
using hpart::Options;
using hpart::Platform;

// The words before a least value, and it.
using Least = std::pair<std::string, double>;

Least named_time(const std::vector<Candidate> &all) { return {"the least time is ", least_seconds(all)}; }
Least named_energy(const std::vector<Candidate> &all) { return {"the least energy is ", least_joules(all)}; }

// Bounds on time and energy, in the options and on the candidates. The least value that the message of the first to leave nothing names.
std::optional<Least> bound_values(instances::Random &random, Options &options, std::vector<Candidate> &all, bool time,
                                  bool energy)
{
    std::optional<Least> least;
    if (time && one_in(random, 2)) {
        auto deadline = any_bound(random, all, &Candidate::seconds);
        if (one_in(random, 2)) {
            const auto slowdown = 1 + 0.25 * static_cast<double>(instances::between(random, 0, 8));
            options.set_double("slowdown", slowdown);
            deadline = all.empty() ? 0 : slowdown * least_seconds(all);
        } else {
            options.set_double("deadline", deadline);
            if (!all.empty()) least = named_time(all);
        }
        keep(all, &Candidate::seconds, deadline);
        if (all.empty()) return least;
    }
    if (energy && one_in(random, 2)) {
        const auto budget = any_bound(random, all, &Candidate::joules);
        options.set_double("energy_budget", budget);
        if (!all.empty()) least = named_energy(all);
        keep(all, &Candidate::joules, budget);
        if (all.empty()) return least;
    }
    return std::nullopt;
}

double value_of(const Candidate &candidate, Objective objective, double power)
{
    switch (objective) {
    case Objective::time: return candidate.seconds;
    case Objective::energy: return candidate.joules;
    case Objective::total_energy:
    case Objective::sum_time: break; // not asked for here
    }
    return candidate.total(power);
}

struct Counts {
    int feasible = 0;
    int bounded = 0; // infeasible by a bound on time or energy
};

void check_partition(instances::Random &random, const Platform &platform, std::int64_t n, Objective objective,
                     Counts &counts)
{
    Options options;
    const auto wanted = any_constraints(random, platform, n, options, true);
    const bool time = objective == Objective::time;
    const bool with_budget = time && one_in(random, 2);
    auto all = all_candidates(platform, n, !time || with_budget, wanted);
    std::optional<Least> least;
    if (with_budget) {
        const auto budget = any_bound(random, all, &Candidate::joules);
        options.set_double("energy_budget", budget);
        if (!all.empty()) least = named_energy(all);
        keep(all, &Candidate::joules, budget);
    } else if (!time) {
        least = bound_values(random, options, all, true, false);
    }
    const auto where = [&] {
        return hpart::text("objective ", static_cast<int>(objective), ' ', describe(platform, n, wanted));
    };
    try {
        const auto ties = wanted.fewest ? hpart::Ties::fewest : hpart::Ties::deterministic;
        const auto found = checks::partition(platform, {objective, n, "exact", ties, options});
        ++counts.feasible;
        ASSERT_FALSE(all.empty()) << where();
        const auto power = platform.base_power();
        const auto same = std::find_if(all.begin(), all.end(), [&](const auto &each) { return each.x == found.x; });
        ASSERT_NE(same, all.end()) << where();
        auto best = infinity;
        for (const auto &each : all) best = std::min(best, value_of(each, objective, power));
        ASSERT_EQ(value_of(*same, objective, power), best) << where();
        ASSERT_EQ(time ? found.seconds : found.joules, best) << where();
        ASSERT_EQ(std::get<std::int64_t>(found.report.get("optimal")), 1) << where();
        ASSERT_EQ(std::get<std::int64_t>(found.report.get("active")), same->active) << where();
        if (!wanted.previous.empty()) {
            ASSERT_EQ(std::get<std::int64_t>(found.report.get("moved")), same->moved) << where();
        }
        for (const auto &each : all) {
            if (value_of(each, objective, power) != best) continue;
            if (wanted.fewest) {
                ASSERT_LE(same->active, each.active) << where();
            } else if (!wanted.previous.empty()) {
                ASSERT_LE(same->moved, each.moved) << where();
            } else if (with_budget) {
                ASSERT_LE(same->joules, each.joules) << where();
            }
        }
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << where();
        ASSERT_TRUE(all.empty()) << error.what() << '\n' << where();
        if (!least) return;
        ASSERT_TRUE(combined::names_least(error.what(), least->first, least->second))
            << error.what() << "\nnot " << least->first << least->second << where();
        ++counts.bounded;
    }
}

TEST(Constraints, PartitionsAgreeWithEnumeration)
{
    auto random = instances::seeded(1);
    const auto count = instances::how_many(0.6);
    Counts counts;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, {4, 6, true});
        const auto n = instances::any_size(random, platform, 300);
        const auto objective = static_cast<Objective>(instances::between(random, 0, 2));
        check_partition(random, platform, n, objective, counts);
    }
    EXPECT_GT(counts.feasible, count / 8);
    EXPECT_GT(counts.bounded, count / 100);
}

std::vector<Candidate> front_of(std::vector<Candidate> all)
{
    std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
        return std::tie(a.seconds, a.joules) < std::tie(b.seconds, b.joules);
    });
    std::vector<Candidate> front;
    for (const auto &each : all)
        if (front.empty() || each.joules < front.back().joules) front.push_back(each);
    return front;
}

void check_front(instances::Random &random, const Platform &platform, std::int64_t n, Counts &counts)
{
    Options options;
    const auto wanted = any_constraints(random, platform, n, options, false);
    const bool total = one_in(random, 3);
    auto all = all_candidates(platform, n, true, wanted);
    const auto dynamic = all;
    if (total)
        for (auto &each : all) each.joules = each.total(platform.base_power());
    const auto least = bound_values(random, options, all, true, true);
    const auto eps = one_in(random, 2) ? 0.1 * static_cast<double>(instances::between(random, 1, 9)) : 0.0;
    if (eps > 0) options.set_double("eps", eps);
    const auto most_points = one_in(random, 2) ? static_cast<double>(instances::between(random, 2, 6)) : infinity;
    if (most_points < infinity) options.set_int("max_points", static_cast<std::int64_t>(most_points));
    const auto where = [&] {
        return hpart::text("total ", total ? 1 : 0, " eps ", eps, " points ", most_points, ' ',
                           describe(platform, n, wanted));
    };
    const auto whole = front_of(all);
    try {
        const auto energy = total ? hpart::FrontEnergy::total : hpart::FrontEnergy::dynamic;
        const auto found = checks::compute_front(platform, {n, energy, "exact", options}).points;
        ++counts.feasible;
        ASSERT_FALSE(whole.empty()) << where();
        ASSERT_LE(static_cast<double>(found.size()), most_points) << where();
        ASSERT_EQ(found.front().seconds, whole.front().seconds) << where();
        ASSERT_EQ(found.back().seconds, whole.back().seconds) << where();
        for (const auto &point : found) {
            const auto same = std::find_if(whole.begin(), whole.end(), [&](const auto &each) {
                return each.seconds == point.seconds && each.joules == point.joules;
            });
            ASSERT_NE(same, whole.end()) << where();
            const auto x =
                std::find_if(dynamic.begin(), dynamic.end(), [&](const auto &each) { return each.x == point.x; });
            ASSERT_NE(x, dynamic.end()) << where();
            ASSERT_EQ(x->seconds, point.seconds) << where();
            // Dynamic energies that are equal once rounded may have different totals: where the sum is half-way between two doubles.
            const auto joules_of = [&](const Candidate &each) {
                return total ? each.total(platform.base_power()) : each.joules;
            };
            ASSERT_EQ(joules_of(*x), point.joules) << where();
            for (const auto &each : dynamic)
                if (each.seconds <= x->seconds && joules_of(each) <= point.joules) {
                    ASSERT_LE(x->moved, each.moved) << where();
                }
        }
        if (most_points < infinity) return;
        if (eps == 0) {
            ASSERT_EQ(found.size(), whole.size()) << where();
        }
        for (const auto &each : whole)
            ASSERT_TRUE(std::any_of(found.begin(), found.end(),
                                    [&](const auto &point) {
                                        return point.seconds <= (1 + eps) * each.seconds &&
                                               point.joules <= (1 + eps) * each.joules;
                                    }))
                << each.seconds << ' ' << each.joules << where();
    } catch (const hpart::Error &error) {
        ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what() << where();
        ASSERT_TRUE(whole.empty()) << error.what() << '\n' << where();
        if (!least) return;
        ASSERT_TRUE(combined::names_least(error.what(), least->first, least->second))
            << error.what() << "\nnot " << least->first << least->second << where();
        ++counts.bounded;
    }
}

TEST(Constraints, FrontsAgreeWithEnumeration)
{
    auto random = instances::seeded(2);
    const auto count = instances::how_many(0.4);
    Counts counts;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto platform = instances::any_platform(random, {4, 6, true});
        const auto n = instances::any_size(random, platform, 300);
        check_front(random, platform, n, counts);
    }
    EXPECT_GT(counts.feasible, count / 8);
    EXPECT_GT(counts.bounded, count / 100);
}

} // namespace
