// The papers' methods for identical processors against the exact ones.
#include "checks.hpp"
#include "combined_options.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "reference.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::Objective;
using hpart::Platform;
using instances::between;

Platform alike(std::int64_t copies, const std::vector<std::int64_t> &sizes, const std::vector<double> &seconds,
               const std::vector<double> &joules)
{
    Platform node(1);
    instances::set_functions(node, 0, sizes, seconds, joules);
    return node.replicate(copies);
}

hpart::Distribution ask(const Platform &platform, Objective objective, std::int64_t n, const char *method,
                        std::int64_t threads = 1)
{
    hpart::Options options;
    options.set_int("threads", threads);
    return checks::partition(platform, {objective, n, method, hpart::Ties::deterministic, options});
}

TEST(IdenticalProcessors, MethodsAgreeWithTheExactOnes)
{
    instances::for_each_instance(41, 0.015, [](auto &random, auto) {
        const bool many = between(random, 0, 9) == 0;
        const auto platform = instances::any_platform(random, {1, 9}).replicate(between(random, 1, many ? 20 : 6));
        const auto n = between(random, 0, instances::largest_sum(platform) + 2);
        const auto agrees = [&](const Platform &on, Objective objective, const char *method, double tolerance) {
            checks::agrees_with_exact(on, n, objective, method, hpart::Ties::deterministic, tolerance);
        };
        agrees(platform, Objective::time, "popta", 0);
        agrees(platform, Objective::time, "paraleph", 0);
        agrees(platform, Objective::energy, "paraleph", checks::rounding);
        agrees(platform, Objective::energy, "eopta", checks::rounding);
        const auto whole = instances::with_whole_energies(platform);
        agrees(whole, Objective::energy, "paraleph", 0);
        agrees(whole, Objective::energy, "eopta", 0);
        if (!many) checks::front_agrees_with_exact(whole, n, hpart::FrontEnergy::dynamic, "aleph");
    });
}

// Residues decide most of these; the general search does where they cannot.
TEST(IdenticalProcessors, SizesOfLeastEnergyDoNotIncrease)
{
    instances::for_each_instance(67, 0.3, [](auto &random, auto) {
        const auto platform = instances::any_platform(random, {1, 30}).replicate(between(random, 2, 9));
        const auto n = instances::any_size(random, platform, 2000);
        for (const auto objective : {Objective::energy, Objective::sum_time}) {
            const auto found = checks::unless_infeasible([&] { return ask(platform, objective, n, "exact"); });
            if (found) {
                EXPECT_TRUE(std::is_sorted(found->x.begin(), found->x.end(), std::greater<>()));
            }
        }
    });
}

// Among the distributions of least energy, or total energy, the fewest active processors, or the least work moved: by enumeration.
TEST(IdenticalProcessors, ThePreferredOfEqualEnergies)
{
    instances::for_each_instance(62, 0.1, [](auto &random, auto k) {
        const auto copies = between(random, 2, 4);
        auto platform = instances::any_platform(random, {1, 6}).replicate(copies);
        platform.set_base_power(static_cast<double>(between(random, 0, 2)));
        const auto n = instances::any_size(random, platform, 1000);
        combined::Wanted wanted;
        if (k % 2 == 0)
            wanted.previous.assign(static_cast<std::size_t>(copies),
                                   between(random, 0, instances::largest_sum(platform) / copies));
        const auto all = combined::all_candidates(platform, n, true, wanted);
        for (const auto objective : {Objective::energy, Objective::total_energy}) {
            const auto value = [&](const combined::Candidate &each) {
                return objective == Objective::energy ? each.joules : each.total(platform.base_power());
            };
            const auto use = [&](const combined::Candidate &each) { return k % 2 == 0 ? each.moved : each.active; };
            hpart::PartitionRequest request{objective, n};
            if (k % 2 == 0)
                request.options.set_previous(wanted.previous);
            else
                request.ties = hpart::Ties::fewest;
            SCOPED_TRACE(describe(platform, n, wanted));
            const auto found = checks::unless_infeasible([&] { return checks::partition(platform, request); });
            ASSERT_EQ(found.has_value(), !all.empty());
            if (!found) continue;
            const combined::Candidate *best = nullptr;
            const combined::Candidate *own = nullptr;
            for (const auto &each : all) {
                if (best == nullptr || std::pair(value(each), use(each)) < std::pair(value(*best), use(*best)))
                    best = &each;
                if (each.x == found->x) own = &each;
            }
            ASSERT_NE(own, nullptr);
            ASSERT_EQ(value(*own), value(*best));
            ASSERT_EQ(use(*own), use(*best));
        }
    });
}

TEST(IdenticalProcessors, ThePrintedCounterexampleOfPoptaIsSolved)
{
    const auto platform = alike(3, {1, 2, 3}, {3, 1, 1}, {1, 1, 1});
    for (const auto *method : {"exact", "popta", "paraleph"})
        EXPECT_EQ(ask(platform, Objective::time, 5, method).seconds, 1) << method;
}

TEST(IdenticalProcessors, EoptaTakesPointsThatAreNotConvexWhereNoOtherIsLeft)
{
    const auto platform = alike(1, {1, 2, 3}, {1, 1, 1}, {1, 4, 5});
    EXPECT_EQ(ask(platform, Objective::energy, 2, "eopta").joules, 4);
}

TEST(IdenticalProcessors, ParalephGivesTheSameOnAnyNumberOfThreads)
{
    instances::Random random(2);
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
    std::vector<double> joules;
    for (std::int64_t k = 1; k <= 80; ++k) {
        sizes.push_back(k);
        seconds.push_back(static_cast<double>(k) * std::uniform_real_distribution<>(1, 1.5)(random));
        joules.push_back(static_cast<double>(k) * std::uniform_real_distribution<>(1, 1.5)(random));
    }
    const auto platform = alike(30, sizes, seconds, joules);
    for (const auto objective : {Objective::time, Objective::energy}) {
        const auto one = ask(platform, objective, 1401, "paraleph");
        EXPECT_EQ(checks::value_of(one, objective),
                  checks::value_of(ask(platform, objective, 1401, "exact"), objective));
        for (const std::int64_t threads : {2, 3, 8, 0})
            EXPECT_EQ(ask(platform, objective, 1401, "paraleph", threads).x, one.x) << threads;
    }
}

TEST(IdenticalProcessors, OthersAreRefusedByName)
{
    Platform platform(3);
    for (std::int64_t i = 0; i < 3; ++i) {
        const std::vector<double> values{i == 2 ? 2.0 : 1.0};
        instances::set_functions(platform, i, {4}, values, values);
    }
    const auto refuses = [&](auto &&call, const std::string &what, const std::string &instead) {
        EXPECT_EQ(support::message_of(call),
                  "method is " + what +
                      ", which is for identical processors, but the usable points of processor[2] are not those of "
                      "processor[0]; use " +
                      instead);
    };
    refuses([&] { checks::solve(platform, Objective::time, 4, hpart::Ties::deterministic, "popta"); }, "popta",
            "hpopta or exact");
    refuses([&] { checks::solve(platform, Objective::energy, 4, hpart::Ties::deterministic, "eopta"); }, "eopta",
            "heopta or exact");
    refuses([&] { checks::solve(platform, Objective::time, 4, hpart::Ties::deterministic, "paraleph"); }, "paraleph",
            "exact");
    refuses(
        [&] {
            checks::compute_front(platform, {4, hpart::FrontEnergy::dynamic, "aleph"});
        },
        "aleph", "hepopta or exact");
}

TEST(IdenticalProcessors, LimitsEndTheSearches)
{
    std::vector<std::int64_t> sizes;
    std::vector<double> costs;
    instances::Random random(3);
    for (std::int64_t k = 1; k <= 300; ++k) {
        sizes.push_back(k);
        costs.push_back(static_cast<double>(k) + std::uniform_real_distribution<>(0, 100)(random));
    }
    const auto platform = alike(50, sizes, costs, costs);
    for (const bool by_memory : {false, true}) {
        for (const auto *method : {"popta", "eopta", "paraleph"}) {
            const auto objective = method == std::string("eopta") ? Objective::energy : Objective::time;
            hpart::Control control(nullptr, by_memory ? checks::no_time_limit : 0,
                                   by_memory ? 64 : checks::usual_memory);
            const auto found =
                hpart::partition(platform, {objective, 7777, method, hpart::Ties::deterministic}, control);
            EXPECT_TRUE(found.limit_reached) << method;
            EXPECT_GT(std::get<double>(found.report.get("lower_bound")), 0) << method;
            EXPECT_EQ(found.feasible, method == std::string("popta")); // the load-equal distribution
        }
        hpart::Control control(nullptr, by_memory ? checks::no_time_limit : 0, by_memory ? 64 : checks::usual_memory);
        support::expect_error(hpart::Status::limit, {}, [&] {
            hpart::compute_front(platform, {7777, hpart::FrontEnergy::dynamic, "aleph"}, control);
        });
    }
}

// A table with a cell for each workload would not fit any memory; what two processors can reach of it does.
TEST(IdenticalProcessors, FewHugeSizesAreExact)
{
    instances::Random random(5);
    for (int k = 0; k < 300; ++k) {
        const auto large = (std::int64_t{1} << 61) - instances::between(random, 0, 1000);
        const std::vector<std::int64_t> sizes{large / instances::between(random, 2, 9), large};
        const auto cost = [&] { return static_cast<double>(instances::between(random, 1, 9)); };
        const auto platform = alike(2, sizes, {cost(), cost()}, {cost(), cost()});
        const auto n = sizes[static_cast<std::size_t>(instances::between(random, 0, 1))] + (k % 3 == 0 ? 0 : sizes[1]);
        for (const auto objective : {Objective::time, Objective::energy}) {
            const auto found = checks::solve(platform, objective, n, hpart::Ties::deterministic, "paraleph");
            const auto best = reference::brute_force(platform, n);
            EXPECT_FALSE(found.limit_reached);
            EXPECT_TRUE(checks::is_distribution(platform, objective, n, found));
            EXPECT_EQ(objective == Objective::time ? found.seconds : found.joules,
                      objective == Objective::time ? best.least_seconds : best.least_joules);
        }
    }
}

} // namespace
