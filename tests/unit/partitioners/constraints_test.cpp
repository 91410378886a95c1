// Every constraint and any combination of them, against enumeration of all distributions. HPART_TEST_INSTANCES sets how many.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace
{

using hpart::Objective;
using hpart::Options;
using hpart::Platform;

constexpr std::int64_t usual_instances = 100'000;
constexpr double infinity = std::numeric_limits<double>::infinity();

// What the options say, once more.
struct Wanted {
    std::int64_t block = 1;
    bool all_work = false;
    std::int64_t most_active = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> previous;
    std::int64_t most_moved = std::numeric_limits<std::int64_t>::max();
    bool fewest = false;
};

struct Candidate {
    std::vector<std::int64_t> x;
    double seconds = 0;
    double joules = 0;
    std::int64_t active = 0;
    std::int64_t moved = 0;
};

void enumerate(const std::vector<std::vector<reference::Point>> &points, std::int64_t left, Candidate &partial,
               std::vector<Candidate> &all)
{
    const auto i = partial.x.size();
    if (i == points.size()) {
        if (left == 0) all.push_back(partial);
        return;
    }
    for (const auto &point : points[i]) {
        if (point.size > left) continue;
        auto next = partial;
        next.x.push_back(point.size);
        next.seconds = std::max(next.seconds, point.seconds);
        next.joules += point.joules;
        next.active += point.size > 0 ? 1 : 0;
        enumerate(points, left - point.size, next, all);
    }
}

// All distributions that the constraints but those on time and energy allow.
std::vector<Candidate> all_candidates(const Platform &platform, std::int64_t n, bool with_energy, const Wanted &wanted)
{
    std::vector<std::vector<reference::Point>> points;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        points.emplace_back();
        if (!wanted.all_work) points.back().push_back({0, 0, 0});
        for (const auto &point : reference::usable(platform, i, with_energy))
            if (point.size % wanted.block == 0) points.back().push_back(point);
    }
    std::vector<Candidate> all;
    Candidate none;
    enumerate(points, n, none, all);
    std::vector<Candidate> kept;
    for (auto &candidate : all) {
        for (std::size_t i = 0; i < wanted.previous.size(); ++i)
            candidate.moved += std::max<std::int64_t>(0, candidate.x[i] - wanted.previous[i]);
        if (candidate.active <= wanted.most_active && candidate.moved <= wanted.most_moved) kept.push_back(candidate);
    }
    return kept;
}

bool one_in(instances::Random &random, std::int64_t count) { return instances::between(random, 1, count) == 1; }

Wanted any_constraints(instances::Random &random, const Platform &platform, std::int64_t n, Options &options,
                       bool with_ties)
{
    Wanted wanted;
    if (one_in(random, 4)) {
        wanted.block = instances::between(random, 1, 3);
        options.set_int("block", wanted.block);
    }
    if (one_in(random, 4)) {
        wanted.all_work = true;
        options.set_text("idle", "forbidden");
    }
    if (one_in(random, 3)) {
        wanted.most_active = instances::between(random, 1, platform.count() + 1);
        options.set_int("max_active", wanted.most_active);
    }
    constexpr auto largest_with_previous = std::int64_t{1} << 53;
    if (n <= largest_with_previous && one_in(random, 3)) {
        // Small ones, or of the platform's own sizes.
        const bool own = one_in(random, 2);
        std::int64_t largest = 0;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            const auto &sizes = platform.points(i).sizes;
            const auto count = static_cast<std::int64_t>(sizes.size());
            auto size = one_in(random, 3) ? 0 : instances::between(random, 0, 9);
            if (own && size > 0 && count > 0)
                size = sizes[static_cast<std::size_t>(instances::between(random, 0, count - 1))];
            wanted.previous.push_back(size);
            largest = std::max(largest, size);
        }
        options.set_previous(wanted.previous);
        if (one_in(random, 2)) {
            wanted.most_moved = instances::between(random, 0, 12);
            if (own) wanted.most_moved += instances::between(random, 0, 1) * largest;
            options.set_int("max_moved", wanted.most_moved);
        }
    }
    wanted.fewest = with_ties && one_in(random, 3) && (wanted.previous.empty() || options.is_set("max_moved"));
    if (wanted.fewest) options.set_text("ties", "fewest");
    return wanted;
}

std::string describe(const Platform &platform, std::int64_t n, const Wanted &wanted)
{
    auto out =
        hpart::text("block ", wanted.block, " all_work ", wanted.all_work ? 1 : 0, " active ", wanted.most_active,
                    " moved ", wanted.most_moved, " fewest ", wanted.fewest ? 1 : 0, " previous");
    for (const auto size : wanted.previous) out += hpart::text(' ', size);
    return out + '\n' + instances::describe(platform, n);
}

double least_seconds(const std::vector<Candidate> &all)
{
    auto least = infinity;
    for (const auto &candidate : all) least = std::min(least, candidate.seconds);
    return least;
}

double least_joules(const std::vector<Candidate> &all)
{
    auto least = infinity;
    for (const auto &candidate : all) least = std::min(least, candidate.joules);
    return least;
}

// A bound that some keep and some just miss.
double any_bound(instances::Random &random, const std::vector<Candidate> &all, double Candidate::*value)
{
    if (all.empty() || one_in(random, 9)) return static_cast<double>(instances::between(random, 0, 3));
    const auto k = static_cast<std::size_t>(instances::between(random, 0, static_cast<std::int64_t>(all.size()) - 1));
    const auto bound = all[k].*value;
    return one_in(random, 3) ? std::max(0.0, std::nextafter(bound, 0)) : bound;
}

void keep(std::vector<Candidate> &all, double Candidate::*value, double bound)
{
    std::erase_if(all, [&](const Candidate &candidate) { return candidate.*value > bound; });
}

// Bounds on time and energy, in the options and on the candidates. What the first to leave nothing says of the least value.
std::string bound_values(instances::Random &random, Options &options, std::vector<Candidate> &all, bool time,
                         bool energy)
{
    std::string least;
    if (time && one_in(random, 2)) {
        auto deadline = any_bound(random, all, &Candidate::seconds);
        if (one_in(random, 2)) {
            const auto slowdown = 1 + 0.25 * static_cast<double>(instances::between(random, 0, 8));
            options.set_double("slowdown", slowdown);
            deadline = all.empty() ? 0 : slowdown * least_seconds(all);
        } else {
            options.set_double("deadline", deadline);
            if (!all.empty()) least = hpart::text("the least time is ", least_seconds(all), " seconds");
        }
        keep(all, &Candidate::seconds, deadline);
        if (all.empty()) return least;
    }
    if (energy && one_in(random, 2)) {
        const auto budget = any_bound(random, all, &Candidate::joules);
        options.set_double("energy_budget", budget);
        if (!all.empty()) least = hpart::text("the least energy is ", least_joules(all), " joules");
        keep(all, &Candidate::joules, budget);
        if (all.empty()) return least;
    }
    return "";
}

double value_of(const Candidate &candidate, Objective objective, double power)
{
    switch (objective) {
    case Objective::time: return candidate.seconds;
    case Objective::energy: return candidate.joules;
    case Objective::total_energy: break;
    }
    return power * candidate.seconds + candidate.joules;
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
    std::string least;
    if (with_budget) {
        const auto budget = any_bound(random, all, &Candidate::joules);
        options.set_double("energy_budget", budget);
        if (!all.empty()) least = hpart::text("the least energy is ", least_joules(all), " joules");
        keep(all, &Candidate::joules, budget);
    } else if (!time) {
        least = bound_values(random, options, all, true, false);
    }
    const auto where = [&] {
        return hpart::text("objective ", static_cast<int>(objective), ' ', describe(platform, n, wanted));
    };
    try {
        auto control = checks::usual_control();
        hpart::PartitionRequest request;
        request.objective = objective;
        request.size = n;
        request.ties = wanted.fewest ? hpart::Ties::fewest : hpart::Ties::deterministic;
        request.options = options;
        const auto found = hpart::partition(platform, request, control);
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
        ASSERT_NE(std::string(error.what()).find(least), std::string::npos)
            << error.what() << "\nnot " << least << where();
        counts.bounded += least.empty() ? 0 : 1;
    }
}

TEST(Constraints, PartitionsAgreeWithEnumeration)
{
    auto random = instances::seeded(1);
    const auto count = instances::how_many(usual_instances, 0.6);
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
        for (auto &each : all) each.joules += platform.base_power() * each.seconds;
    const auto least = bound_values(random, options, all, true, true);
    const auto eps = one_in(random, 2) ? 0.1 * static_cast<double>(instances::between(random, 1, 9)) : 0.0;
    if (eps > 0) options.set_double("eps", eps);
    const auto most_points = one_in(random, 2) ? static_cast<double>(instances::between(random, 2, 6)) : infinity;
    if (most_points < infinity) options.set_int("points", static_cast<std::int64_t>(most_points));
    const auto where = [&] {
        return hpart::text("total ", total ? 1 : 0, " eps ", eps, " points ", most_points, ' ',
                           describe(platform, n, wanted));
    };
    const auto whole = front_of(all);
    try {
        auto control = checks::usual_control();
        hpart::FrontRequest request;
        request.size = n;
        request.energy = total ? hpart::FrontEnergy::total : hpart::FrontEnergy::dynamic;
        request.options = options;
        const auto found = hpart::compute_front(platform, request, control).points;
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
            ASSERT_EQ(total ? x->joules + platform.base_power() * x->seconds : x->joules, point.joules) << where();
            for (const auto &each : dynamic)
                if (each.seconds <= x->seconds && each.joules <= x->joules) {
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
        ASSERT_NE(std::string(error.what()).find(least), std::string::npos)
            << error.what() << "\nnot " << least << where();
        counts.bounded += least.empty() ? 0 : 1;
    }
}

TEST(Constraints, FrontsAgreeWithEnumeration)
{
    auto random = instances::seeded(2);
    const auto count = instances::how_many(usual_instances, 0.4);
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
