// The worked examples of the papers, step by step: the bounds, thresholds, priorities and costs that the texts print.
#include "checks.hpp"
#include "models/platform_file.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree.hpp"
#include "partitioners/problem/problem.hpp"

#include "support/data.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using hpart::Objective;
using hpart::Platform;
using Sizes = std::vector<std::int64_t>;

Platform read_example(const std::string &name) { return hpart::read_platform(support::data(name)); }

struct PrintedBound {
    double value;
    Sizes thresholds; // sigma_0, sigma_1, ...
};

// The largest workload of each level that the search does not cut.
Sizes uncut(const hpart::SizeThresholds &thresholds, std::size_t levels)
{
    Sizes largest(levels, 0);
    hpart::SearchCounters counters;
    for (std::size_t level = 0; level < levels; ++level)
        while (!thresholds.cuts(level, largest[level] + 1, counters)) ++largest[level];
    return largest;
}

// Points of the bound's own cost are kept if `with_equal`, as HEPOPTA does.
void thresholds_fall(const char *file, hpart::TreeKey key, const std::vector<PrintedBound> &bounds,
                     bool with_equal = false)
{
    const auto instance = hpart::usable_points(read_example(file), hpart::Needs::time_and_energy);
    const hpart::Tree tree(instance, instance.processors(), key, hpart::LevelOrder::first_processor_at_root);
    hpart::SizeThresholds thresholds(tree);
    for (const auto &[value, expected] : bounds) {
        thresholds.lower_to(with_equal ? std::nextafter(value, HUGE_VAL) : value);
        EXPECT_EQ(uncut(thresholds, tree.levels()), expected) << file << ' ' << value;
    }
}

TEST(WorkedExamples, ThresholdsFallWithTheBound)
{
    using hpart::TreeKey;
    thresholds_fall("hpopta-fig-3.10.csv", TreeKey::seconds,
                    {{12, {40, 24, 15, 8}}, {4, {37, 22, 13, 6}}, {3, {33, 21, 13, 6}}});
    thresholds_fall("heopta-fig-4.2.csv", TreeKey::joules,
                    {{10, {27, 18, 11, 6}}, {8, {21, 17, 10, 5}}, {6, {20, 16, 9, 4}}, {5, {19, 16, 9, 4}}});
    thresholds_fall("hepopta-fig-5.1.csv", TreeKey::joules, {{5, {8, 5, 3, 1}}}, true);
}

// The distribution and value that a method finds.
struct PrintedAnswer {
    const char *file;
    Objective objective;
    std::int64_t size;
    const char *method;
    Sizes x;
    double value;
};

TEST(WorkedExamples, MethodsFindThePrintedDistributions)
{
    const PrintedAnswer table[] = {
        {"hpopta-fig-3.10.csv", Objective::time, 16, "equal", {4, 4, 4, 4}, 12},
        {"hpopta-fig-3.10.csv", Objective::time, 16, "hpopta", {8, 8, 0, 0}, 1},
        {"hpopta-fig-3.10.csv", Objective::time, 31, "hpopta", {9, 9, 7, 6}, 3},
        {"hpopta-fig-3.10.csv", Objective::time, 31, "balanced", {2, 11, 9, 9}, 13},
        {"heopta-fig-4.2.csv", Objective::energy, 12, "equal", {3, 3, 3, 3}, 10},
        {"heopta-fig-4.2.csv", Objective::energy, 12, "heopta", {0, 7, 5, 0}, 5},
        {"heopta-fig-4.2.csv", Objective::energy, 12, "exact", {0, 7, 5, 0}, 5},
    };
    for (const auto &[file, objective, size, method, x, value] : table) {
        const auto found = checks::solve(read_example(file), objective, size, hpart::Ties::deterministic, method);
        EXPECT_EQ(found.x, x) << file << ' ' << method;
        EXPECT_EQ(checks::value_of(found, objective), value) << file << ' ' << method;
    }
}

// A printed distribution on the way to the optimum.
struct PrintedStep {
    const char *file;
    Sizes x;
    double seconds;
    double joules;
};

TEST(WorkedExamples, DistributionsOnTheWayHaveThePrintedValues)
{
    const PrintedStep table[] = {
        {"hpopta-fig-3.10.csv", {0, 8, 3, 5}, 4, 0}, {"hpopta-fig-3.10.csv", {0, 9, 1, 6}, 3, 0},
        {"heopta-fig-4.2.csv", {0, 2, 5, 5}, 1, 8},  {"heopta-fig-4.2.csv", {0, 3, 5, 4}, 1, 6},
        {"hepopta-fig-5.1.csv", {2, 0, 2, 0}, 2, 5}, // HEPOPTA's epsilon
    };
    for (const auto &[file, x, seconds, joules] : table) {
        const auto cost = read_example(file).evaluate(x);
        EXPECT_EQ(cost.seconds, seconds) << file;
        EXPECT_EQ(cost.joules(), joules) << file;
    }
}

// HEPOPTA's epsilon: the energy of a fastest distribution. The text has the one of least energy.
TEST(WorkedExamples, LeastEnergyOfTheFastestIsHepoptasEpsilon)
{
    hpart::PartitionRequest request{Objective::energy, 4, "exact"};
    request.options.set_double("deadline", 2);
    const auto found = checks::partition(read_example("hepopta-fig-5.1.csv"), request);
    EXPECT_EQ(found.x, (Sizes{2, 0, 2, 0}));
    EXPECT_EQ(found.joules, 5);
}

// Figure 1.4: the fastest distribution takes 1.29 s and 219 J, the one of least energy 1.72 s and 151 J. One processor for each; the first
// one's is the equal distribution.
TEST(WorkedExamples, ExcessOverTheOptimumIsThatOfFigure14)
{
    const reference::Point fastest{1, 1.29, 219}, thriftiest{1, 1.72, 151};
    const auto per_cent = [](const Platform &platform, Objective objective) {
        hpart::PartitionRequest request{objective, 1, "equal"};
        request.options.set_text("compare", "exact");
        return std::round(100 * std::get<double>(checks::partition(platform, request).report.get("excess")));
    };
    EXPECT_EQ(per_cent(reference::platform_of({{thriftiest}, {fastest}}), Objective::time), 33);
    EXPECT_EQ(per_cent(reference::platform_of({{fastest}, {thriftiest}}), Objective::energy), 45);
}

TEST(WorkedExamples, WdahPrioritiesAndCosts)
{
    const auto priorities = hpart::shares_by_speed({8.0 / 4, 8.0 / 6}, 16);
    ASSERT_EQ(priorities.size(), 2U);
    EXPECT_DOUBLE_EQ(priorities[0], 9.6);
    EXPECT_DOUBLE_EQ(priorities[1], 6.4);
    // The first schedule, and the two that the search then gives up.
    const std::pair<std::vector<hpart::ScheduleTask>, double> table[] = {
        {{{0, 8, 1}, {1, 8, 1}}, 6}, {{{0, 8, 1}, {1, 4, 2}}, 8}, {{{0, 8, 1}, {1, 4, 1}, {1, 2, 1}}, 7}};
    const auto platform = read_example("wdah-eq-4.9.csv");
    const auto instance = hpart::usable_points(platform, hpart::Needs::time);
    for (const auto &[tasks, cost] : table) {
        const auto busy = hpart::busy_seconds(instance, tasks);
        EXPECT_EQ(*std::max_element(busy.begin(), busy.end()), cost);
    }
}

} // namespace
