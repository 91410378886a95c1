// The messages of infeasible calls are true: every size, time, energy and count that they name, by enumeration.
#include "checks.hpp"
#include "combined_options.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "support/errors.hpp"
#include "support/fake_clock.hpp"
#include "support/options.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <optional>
#include <regex>
#include <set>

namespace
{

using hpart::infinity;

using combined::Candidate;
using combined::one_in;
using combined::Wanted;
using hpart::Objective;
using hpart::Platform;

// All bounds of a call.
struct Bounds {
    Wanted wanted;
    double deadline = infinity;
    double slowdown = 0; // 0: not set
    double budget = infinity;
    bool with_energy = false;
    bool total = false; // what the budget bounds
};

// The distributions of a size that keep those of the bounds whose names are there.
std::vector<Candidate> within(const Platform &platform, std::int64_t n, const Bounds &bounds,
                              const std::set<std::string> &kept)
{
    auto wanted = bounds.wanted;
    if (kept.count("max_active") == 0) wanted.most_active = std::numeric_limits<std::int64_t>::max();
    if (kept.count("max_moved") == 0) wanted.most_moved = std::numeric_limits<std::int64_t>::max();
    auto all = combined::all_candidates(platform, n, bounds.with_energy, wanted);
    if (bounds.total)
        for (auto &each : all) each.joules = each.total(platform.base_power());
    if (kept.count("deadline") > 0)
        combined::keep(all, &Candidate::seconds,
                       bounds.slowdown > 0 && !all.empty() ? bounds.slowdown * combined::least_seconds(all)
                                                           : bounds.deadline);
    if (kept.count("energy_budget") > 0) combined::keep(all, &Candidate::joules, bounds.budget);
    return all;
}

const std::set<std::string> every_bound{"deadline", "energy_budget", "max_active", "max_moved"};

// Those that are blamed together: the budget of a front of total energy stands apart.
std::set<std::string> others_than(const std::string &blamed, const Bounds &bounds)
{
    auto others = every_bound;
    others.erase(blamed);
    if (bounds.total) others.erase("energy_budget");
    if (bounds.slowdown > 0 && blamed != "energy_budget") others.erase("deadline"); // it is not known
    return others;
}

bool is_feasible(const Platform &platform, std::int64_t n, const Bounds &bounds,
                 const std::set<std::string> &kept = every_bound)
{
    return !within(platform, n, bounds, kept).empty();
}

// They keep all bounds.
void check_nearest(const std::smatch &found, const Platform &platform, std::int64_t n, const Bounds &bounds)
{
    const auto largest = instances::largest_sum(platform);
    std::optional<std::int64_t> below;
    std::optional<std::int64_t> above;
    for (auto size = std::min(n - 1, largest); size >= 0 && !below; --size)
        if (is_feasible(platform, size, bounds)) below = size;
    for (auto size = n + 1; size <= largest && !above; ++size)
        if (is_feasible(platform, size, bounds)) above = size;
    EXPECT_EQ(found[1], below ? std::to_string(*below) : "none");
    EXPECT_EQ(found[2], above ? std::to_string(*above) : "none");
    EXPECT_TRUE(within(platform, n, bounds, {}).empty()) << "the size is a sum";
}

// The bound named leaves nothing where those kept are kept, and the least value that would do is the one named.
template <typename Value>
void check_blamed(const std::string &message, const std::string &blamed, const char *before, Value Candidate::*value,
                  const Platform &platform, std::int64_t n, const Bounds &bounds)
{
    if (bounds.total && bounds.budget < infinity && blamed != "energy_budget") {
        EXPECT_EQ(message.find("that keeps the other bounds"), std::string::npos) << "the budget is not among them";
    }
    auto kept = others_than(blamed, bounds);
    const auto all = within(platform, n, bounds, kept);
    ASSERT_FALSE(all.empty());
    auto least = all.front().*value;
    for (const auto &each : all) least = std::min(least, each.*value);
    EXPECT_TRUE(combined::names_least(message, before, static_cast<double>(least))) << "not " << before << least;
    kept.insert(blamed);
    EXPECT_TRUE(within(platform, n, bounds, kept).empty());
}

double least_alone(const std::string &bound, const Platform &platform, std::int64_t n, const Bounds &bounds)
{
    double least = infinity;
    for (const auto &each : within(platform, n, bounds, {}))
        least = std::min(least, bound == "deadline"        ? each.seconds
                                : bound == "energy_budget" ? each.joules
                                : bound == "max_active"    ? static_cast<double>(each.active)
                                                           : static_cast<double>(each.moved));
    return least;
}

// The size is a sum, and none of the bounds named is at fault alone. Each has the least value that it would need alone.
void check_together(const std::string &names, const std::string &values, const Platform &platform, std::int64_t n,
                    const Bounds &bounds)
{
    EXPECT_FALSE(within(platform, n, bounds, {}).empty());
    int named = 0;
    for (const auto &bound : every_bound) {
        const std::string words = bound == "energy_budget" ? "energy budget" : bound;
        if (names.find(words) == std::string::npos) continue;
        ++named;
        EXPECT_TRUE(within(platform, n, bounds, others_than(bound, bounds)).empty()) << bound;
        EXPECT_TRUE(combined::names_least(values, words + " ", least_alone(bound, platform, n, bounds)))
            << bound << ": " << values;
    }
    EXPECT_GE(named, 2);
}

struct MessageCounts {
    int nearest = 0;
    int blamed = 0;
    int together = 0;
    int interpolated = 0;
};

void check_message(const std::string &message, const Platform &platform, std::int64_t n, const Bounds &bounds,
                   MessageCounts &counts)
{
    static const std::regex nearest("nearest feasible sizes are (\\d+|none) below and (\\d+|none) above");
    std::smatch found;
    static const std::regex together("keeps (.*) together; to relax one of them is not enough(.*)");
    if (std::regex_search(message, found, together)) {
        ++counts.together;
        check_together(found[1], found[2], platform, n, bounds);
        return;
    }
    if (std::regex_search(message, found, nearest)) {
        ++counts.nearest;
        check_nearest(found, platform, n, bounds);
        return;
    }
    ++counts.blamed;
    if (message.find("the deadline;") != std::string::npos)
        check_blamed(message, "deadline", "the least time is ", &Candidate::seconds, platform, n, bounds);
    else if (message.find("the energy budget;") != std::string::npos)
        check_blamed(message, "energy_budget", "the least energy is ", &Candidate::joules, platform, n, bounds);
    else if (message.find("max_active;") != std::string::npos)
        check_blamed(message, "max_active", "the fewest are ", &Candidate::active, platform, n, bounds);
    else if (message.find("max_moved;") != std::string::npos)
        check_blamed(message, "max_moved", "the least is ", &Candidate::moved, platform, n, bounds);
    else
        ADD_FAILURE() << "names nothing";
}

// A bound that some distribution of some size keeps, or none.
double any_bound(instances::Random &random, const Platform &platform, const Bounds &bounds, double Candidate::*value)
{
    const auto n = instances::between(random, 0, instances::largest_sum(platform));
    return combined::any_bound(random, within(platform, n, bounds, {}), value);
}

template <typename Solve>
void check_call(instances::Random &random, const Platform &platform, std::int64_t n, Bounds bounds,
                hpart::Options options, bool with_deadline, bool with_budget, MessageCounts &counts, const Solve &solve)
{
    if (with_deadline && one_in(random, 2)) {
        bounds.deadline = any_bound(random, platform, bounds, &Candidate::seconds);
        options.set_double("deadline", bounds.deadline);
    } else if (with_deadline && one_in(random, 4)) {
        bounds.slowdown = 1.25;
        options.set_double("slowdown", bounds.slowdown);
    }
    if (with_budget) {
        bounds.budget = any_bound(random, platform, bounds, &Candidate::joules);
        options.set_double("energy_budget", bounds.budget);
    }
    SCOPED_TRACE(describe(platform, n, bounds.wanted) +
                 hpart::text("deadline ", bounds.deadline, " slowdown ", bounds.slowdown, " budget ", bounds.budget));
    try {
        solve(options);
        ASSERT_TRUE(is_feasible(platform, n, bounds));
    } catch (const hpart::Error &error) {
        const std::string message = error.what();
        SCOPED_TRACE(message);
        ASSERT_EQ(error.status(), hpart::Status::infeasible);
        check_message(message, platform, n, bounds, counts);
        const bool advised = message.find(hpart::text("interpolate=linear allows size ", n)) != std::string::npos;
        options.set_text("interpolate", "linear");
        bool helps = true;
        try {
            solve(options);
        } catch (const hpart::Error &) {
            helps = false;
        }
        const bool names_sizes = message.find("nearest feasible sizes") != std::string::npos;
        EXPECT_EQ(advised, helps && names_sizes);
        counts.interpolated += advised ? 1 : 0;
    }
}

TEST(Infeasible, MessagesAreTrue)
{
    auto random = instances::seeded(31);
    const auto count = instances::how_many(0.2);
    MessageCounts counts;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto platform = instances::any_platform(random, {4, 6});
        if (instances::largest_sum(platform) > 100) continue; // all sizes around are enumerated
        const auto n = instances::between(random, 0, instances::largest_sum(platform) + 3);
        hpart::Options options;
        Bounds bounds;
        bounds.wanted = combined::any_constraints(random, platform, n, options, false);
        const bool front = one_in(random, 4);
        const auto objective = static_cast<Objective>(instances::between(random, 0, 2));
        const bool total = front && one_in(random, 3);
        const bool with_budget = (front || objective == Objective::time) && one_in(random, 2);
        bounds.with_energy = front || objective != Objective::time || with_budget;
        bounds.total = total;
        const bool with_deadline = front || objective != Objective::time;
        check_call(random, platform, n, bounds, options, with_deadline, with_budget, counts,
                   [&](const hpart::Options &chosen) {
                       if (front) {
                           const auto energy = total ? hpart::FrontEnergy::total : hpart::FrontEnergy::dynamic;
                           checks::compute_front(platform, {n, energy, "exact", chosen});
                       } else {
                           checks::partition(platform, {objective, n, "exact", hpart::Ties::deterministic, chosen});
                       }
                   });
    }
    EXPECT_GT(counts.nearest, count / 50);
    EXPECT_GT(counts.blamed, count / 50);
    constexpr std::int64_t enough = 400; // for a rare one
    EXPECT_TRUE(count < enough || counts.together > count / 1000);
    EXPECT_GT(counts.interpolated, count / 100);
}

// The largest size that may be asked for is one below the largest integer: no larger one is named, and no sum that does not fit.
TEST(Infeasible, SizesNearTheLargestInteger)
{
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    instances::Random random(32);
    int infeasible = 0;
    for (int k = 0; k < 3000 && !HasFailure(); ++k) {
        Platform platform(instances::between(random, 1, 3));
        std::set<std::int64_t> sums{0};
        const bool all_work = one_in(random, 3);
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            std::set<std::int64_t> sizes;
            for (std::int64_t j = instances::between(random, 1, 4); j > 0; --j)
                sizes.insert(one_in(random, 3)
                                 ? instances::between(random, 1, 5)
                                 : largest / instances::between(random, 1, 3) - instances::between(random, 0, 3));
            platform.set_time_function(i, std::vector(sizes.begin(), sizes.end()), std::vector(sizes.size(), 1.0));
            std::set<std::int64_t> grown;
            for (const auto sum : sums) {
                if (!all_work) grown.insert(sum);
                for (const auto size : sizes)
                    if (const auto total = hpart::checked_add(sum, size); total && *total < largest)
                        grown.insert(*total);
            }
            sums = std::move(grown);
        }
        const auto n = largest - instances::between(random, 1, one_in(random, 2) ? 9 : largest / 2);
        if (sums.count(n) > 0) continue;
        ++infeasible;
        hpart::PartitionRequest request{Objective::time, n};
        if (all_work) request.options.set_text("idle_processors", "forbidden");
        const auto above = sums.upper_bound(n);
        const auto expected = hpart::text(
            "the nearest feasible sizes are ", above == sums.begin() ? "none" : std::to_string(*std::prev(above)),
            " below and ", above == sums.end() ? "none" : std::to_string(*above), " above");
        SCOPED_TRACE(instances::describe(platform, n));
        support::expect_error(hpart::Status::infeasible, {expected}, [&] { checks::partition(platform, request); });
    }
    EXPECT_GT(infeasible, 1000);
}

// Every processor has work, and the size is far below what that takes.
TEST(Infeasible, SizesFarBelowTheSmallestOfAll)
{
    constexpr auto smallest = std::int64_t{1} << 40;
    Platform platform(30);
    for (std::int64_t i = 0; i < platform.count(); ++i)
        platform.set_time_function(i, std::vector{smallest, smallest + 1, smallest + 7}, std::vector(3, 1.0));
    for (const std::int64_t n : {std::int64_t{0}, smallest, 30 * smallest - 1}) {
        hpart::PartitionRequest request{Objective::time, n};
        request.options.set_text("idle_processors", "forbidden");
        support::expect_error(hpart::Status::infeasible,
                              {hpart::text("nearest feasible sizes are none below and ", 30 * smallest, " above")},
                              [&] { checks::partition(platform, request); });
    }
}

// So many points that interpolated ones are not made for the message.
TEST(Infeasible, AnOddSizeAmongManyEvenOnes)
{
    Platform platform(400);
    std::vector<std::int64_t> sizes(1000);
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = 2 * static_cast<std::int64_t>(k + 1);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::vector<double> seconds;
        for (const auto size : sizes) seconds.push_back(static_cast<double>(size * (100 + i) + size % 7));
        platform.set_time_function(i, sizes, seconds);
    }
    const auto message = support::message_of([&] { checks::partition(platform, {Objective::time, 200'001}); });
    EXPECT_EQ(message,
              "no distribution of size 200001 exists; the nearest feasible sizes are 200000 below and 200002 above; "
              "option interpolate=linear allows size 200001");
}

TEST(Infeasible, TheDeadlineOfNothingIsReported)
{
    Platform platform(2);
    for (std::int64_t i = 0; i < 2; ++i) instances::set_functions(platform, i, {2}, {3}, {4});
    hpart::PartitionRequest request{Objective::energy, 0};
    request.options.set_double("slowdown", 1.5);
    EXPECT_EQ(std::get<double>(checks::partition(platform, request).report.get("deadline")), 0);
    const auto front = checks::compute_front(platform, {0, hpart::FrontEnergy::dynamic, "exact", request.options});
    EXPECT_EQ(std::get<double>(front.report.get("deadline")), 0);
}

// The least time of any energy is not that within the budget.
TEST(Infeasible, TotalFrontsNameTheLeastTimeWithoutTheBudget)
{
    Platform platform(2);
    platform.set_base_power(1);
    instances::set_functions(platform, 0, {4}, {1}, {100});
    instances::set_functions(platform, 1, {4}, {3}, {5});
    const auto options = support::options_of({{"deadline", "0.5"}, {"energy_budget", "10"}});
    const auto message = support::message_of([&] {
        checks::compute_front(platform, {4, hpart::FrontEnergy::total, "exact", options});
    });
    EXPECT_NE(message.find("the least time is 1 s without the energy budget"), std::string::npos) << message;
}

TEST(Infeasible, TheNearestSizesOfTinyTimes)
{
    Platform platform(5);
    platform.set_base_power(1);
    const auto set = [&](std::int64_t i, const std::vector<std::int64_t> &sizes) {
        instances::set_functions(platform, i, sizes,
                                 std::vector<double>(sizes.size(), 1e-301 * static_cast<double>(i + 1)),
                                 std::vector<double>(sizes.size(), 1e-301));
    };
    set(0, {2, 6, 8});
    set(1, {1, 6, 8});
    set(2, {2, 6, 8});
    set(3, {2});
    set(4, {4});
    platform.set_limits(0, {6, 8});
    platform.set_limits(2, {6, 8});
    hpart::PartitionRequest request{Objective::total_energy, 16};
    request.options.set_text("idle_processors", "forbidden");
    request.options.set_double("deadline", 2.7e-90);
    request.options.set_previous({4, 4, 4, 2, 2});
    const auto message = support::message_of([&] { checks::partition(platform, request); });
    EXPECT_NE(message.find("none below and 19 above"), std::string::npos) << message;
}

// That takes minutes to find exactly: the message has a bound of it after a second.
TEST(Infeasible, TheFewestActiveProcessorsOfAHardSize)
{
    auto random = support::seeded(77);
    Platform platform(31);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::vector<std::int64_t> sizes{support::between(random, 1, 50)};
        while (sizes.size() < 1000) sizes.push_back(sizes.back() + support::between(random, 1, 50));
        std::vector<double> times(sizes.size());
        for (auto &time : times) time = static_cast<double>(support::between(random, 1, 1000));
        platform.set_time_function(i, sizes, times);
    }
    hpart::PartitionRequest request{Objective::time, 500'000};
    request.options.set_int("max_active", 2);
    const support::FakeClock clock(0.01);
    const auto message = support::message_of([&] { checks::partition(platform, request); });
    EXPECT_NE(message.find("max_active; no fewer suffice than 20"), std::string::npos) << message;
}

// The same of the work moved, where nearly all choices move as little: the least is known exactly, for each objective.
TEST(Infeasible, TheLeastWorkMovedOfManyCopies)
{
    Platform one(1);
    std::vector<std::int64_t> sizes(64);
    std::iota(sizes.begin(), sizes.end(), std::int64_t{1});
    const std::vector<double> values(sizes.begin(), sizes.end());
    one.set_time_function(0, sizes, values);
    one.set_energy_function(0, sizes, values);
    const auto platform = one.replicate(20'000);
    auto random = support::seeded(79);
    std::vector<std::int64_t> previous(static_cast<std::size_t>(platform.count()));
    for (auto &size : previous) size = support::between(random, 1, 64);
    const auto n = std::accumulate(previous.begin(), previous.end(), std::int64_t{300});
    for (const auto objective : {Objective::time, Objective::energy}) {
        hpart::PartitionRequest request{objective, n};
        request.options.set_previous(previous);
        request.options.set_int("max_moved", 5);
        const support::FakeClock clock(0.01);
        const auto message = support::message_of([&] { checks::partition(platform, request); });
        EXPECT_NE(message.find("max_moved; the least is 300"), std::string::npos) << message;
    }
}

// With one processor the nearest sizes can be read off, also under a budget and a time limit.
TEST(Infeasible, OneProcessorOfHugeSizesUnderABudget)
{
    auto random = support::seeded(78);
    Platform platform(1);
    std::set<std::int64_t> sizes;
    while (sizes.size() < 36) sizes.insert((std::int64_t{1} << 62) - support::between(random, 0, 500'000) * 2);
    const std::vector<std::int64_t> all(sizes.begin(), sizes.end());
    instances::set_functions(platform, 0, all, std::vector<double>(36, 1), std::vector<double>(36, 2));
    hpart::PartitionRequest request{Objective::time, all[17] + 1};
    request.options.set_double("energy_budget", 5);
    hpart::Control control(nullptr, 1, std::int64_t{1} << 30);
    const auto message = support::message_of([&] { hpart::partition(platform, request, control); });
    EXPECT_NE(message.find(hpart::text(all[17], " below and ", all[18], " above")), std::string::npos) << message;
    EXPECT_EQ(message.find("interpolate"), std::string::npos) << "nothing that may overshoot the limit: " << message;
}

} // namespace
