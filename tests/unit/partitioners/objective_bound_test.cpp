// Option objective_bound against enumeration over the ends of the intervals, and the intervals of what is predicted.
#include "checks.hpp"
#include "combined_options.hpp"
#include "communication_costs.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "instances.hpp"
#include "reference.hpp"

#include "support/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using combined::one_in;
using hpart::Bound;
using hpart::FunctionKind;
using hpart::infinity;
using hpart::Objective;
using hpart::Options;
using hpart::Platform;
using hpart::unknown;
using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

// Random intervals around some of the points, wide enough to turn the order of sizes around.
void add_intervals(instances::Random &random, Platform &platform)
{
    const auto most = instances::between(random, 0, 3); // how many points of four have one
    for (std::int64_t i = 0; i < platform.count(); ++i)
        for (const auto kind : {FunctionKind::time, FunctionKind::energy}) {
            const auto &points = platform.points(i);
            Sizes sizes;
            Values low, high;
            for (std::size_t k = 0; k < points.count(); ++k) {
                const auto value = points.values(kind)[k];
                if (std::isnan(value) || instances::between(random, 0, 3) > most) continue;
                sizes.push_back(points.sizes[k]);
                low.push_back(value * static_cast<double>(instances::between(random, 0, 4)) / 4);
                high.push_back(value * static_cast<double>(instances::between(random, 4, 8)) / 4);
            }
            platform.set_interval(i, kind, sizes, low, high);
        }
}

// The same platform with other values, built point by point.
Platform at_end(const Platform &platform, Bound bound)
{
    auto out = platform;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &points = platform.points(i);
        Sizes time_sizes, energy_sizes;
        Values seconds, joules;
        const auto value_at = [&](std::size_t k, FunctionKind kind) {
            if (!points.intervals || bound == Bound::estimate) return points.values(kind)[k];
            const auto end = bound == Bound::low ? points.intervals->low(kind)[k] : points.intervals->high(kind)[k];
            return std::isnan(end) ? points.values(kind)[k] : end;
        };
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (!std::isnan(points.seconds[k])) {
                time_sizes.push_back(points.sizes[k]);
                seconds.push_back(value_at(k, FunctionKind::time));
            }
            if (!std::isnan(points.joules[k])) {
                energy_sizes.push_back(points.sizes[k]);
                joules.push_back(value_at(k, FunctionKind::energy));
            }
        }
        out.set_time_function(i, time_sizes, seconds);
        out.set_energy_function(i, energy_sizes, joules);
    }
    return out;
}

const char *name_of(Bound bound)
{
    return bound == Bound::estimate ? "estimate" : bound == Bound::low ? "low" : "high";
}

Bound any_end(instances::Random &random) { return std::array{Bound::estimate, Bound::low, Bound::high}[random() % 3]; }

struct Example {
    Platform platform{1};
    Bound bound = Bound::estimate;
    Platform ends{1};
    std::int64_t n = 0;
    std::string text;
};

Example any_example(instances::Random &random, instances::Extent extent)
{
    Example out;
    do out.platform = instances::any_platform(random, extent);
    while (reference::count_combinations(out.platform) > 2000);
    add_intervals(random, out.platform);
    out.bound = any_end(random);
    out.ends = at_end(out.platform, out.bound);
    out.n = instances::any_size(random, out.platform, 60);
    out.text = hpart::text("bound ", name_of(out.bound), ' ', instances::describe(out.ends, out.n));
    return out;
}

double known(const hpart::Report &report, const char *key)
{
    const auto *value = report.find(key);
    return value == nullptr ? unknown : std::get<double>(*value);
}

// The ends of the prediction for x, written down once more; NaN: not known for all points.
struct Ends {
    double seconds[2] = {0, 0};
    support::Expansion energy[2] = {};
    bool has_energy[2] = {true, true};
};

Ends ends_of(const Platform &platform, const Sizes &x)
{
    const bool has_work = std::any_of(x.begin(), x.end(), [](auto size) { return size > 0; });
    if (!platform.may_have_intervals() || !has_work) return {{unknown, unknown}, {}, {false, false}};
    Ends ends;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto &points = platform.points(static_cast<std::int64_t>(i));
        const auto k = points.find(x[i]);
        for (std::size_t end = 0; end < 2; ++end) {
            const auto bound = end == 0 ? Bound::low : Bound::high;
            const auto of = [&](FunctionKind kind) {
                if (!points.intervals) return unknown;
                return bound == Bound::low ? points.intervals->low(kind)[k] : points.intervals->high(kind)[k];
            };
            const auto time = of(FunctionKind::time);
            ends.seconds[end] =
                std::isnan(time) || std::isnan(ends.seconds[end]) ? unknown : std::max(ends.seconds[end], time);
            const auto joules = of(FunctionKind::energy);
            ends.has_energy[end] = ends.has_energy[end] && !std::isnan(joules);
            if (ends.has_energy[end]) ends.energy[end].add(joules);
        }
    }
    return ends;
}

void expect_same(double a, double b, const std::string &where)
{
    EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << a << " is not " << b << '\n' << where;
}

void check_ends(const Platform &platform, const hpart::Distribution &found, Objective objective,
                const std::string &where)
{
    const auto ends = ends_of(platform, found.x);
    const auto energy = [&](std::size_t end) {
        auto sum = ends.energy[end];
        if (objective == Objective::total_energy && !std::isnan(ends.seconds[end]))
            sum.add_product(platform.base_power(), ends.seconds[end]);
        const bool total_is_known = objective != Objective::total_energy || !std::isnan(ends.seconds[end]);
        return ends.has_energy[end] && total_is_known ? sum.rounded() : unknown;
    };
    expect_same(known(found.report, "time_low"), ends.seconds[0], where);
    expect_same(known(found.report, "time_high"), ends.seconds[1], where);
    expect_same(known(found.report, "energy_low"), energy(0), where);
    expect_same(known(found.report, "energy_high"), energy(1), where);
}

TEST(ObjectiveBound, PartitionsAreLeastOverTheEndsWithAnyConstraints)
{
    instances::Random random = instances::seeded(1);
    int feasible = 0;
    for (int instance = 0; instance < instances::how_many(0.05); ++instance) {
        auto example = any_example(random, {4, 6});
        example.platform.set_base_power(3);
        const auto objective = std::array{Objective::time, Objective::energy, Objective::total_energy}[random() % 3];
        Options options;
        const auto wanted = combined::any_constraints(random, example.ends, example.n, options, true);
        auto all = combined::all_candidates(example.ends, example.n, objective != Objective::time, wanted);
        if (objective != Objective::time && one_in(random, 2)) {
            const auto deadline = combined::any_bound(random, all, &combined::Candidate::seconds);
            options.set_double("deadline", deadline);
            combined::keep(all, &combined::Candidate::seconds, deadline);
        }
        options.set_text("objective_bound", name_of(example.bound));
        const auto ties = wanted.fewest ? hpart::Ties::fewest : hpart::Ties::deterministic;
        const auto found = checks::unless_infeasible([&] {
            return checks::partition(example.platform, {objective, example.n, "exact", ties, options});
        });
        ASSERT_EQ(found.has_value(), !all.empty()) << example.text;
        if (!found) continue;
        auto least = infinity;
        for (const auto &candidate : all)
            least = std::min(least, objective == Objective::time     ? candidate.seconds
                                    : objective == Objective::energy ? candidate.joules
                                                                     : candidate.total(3));
        ASSERT_EQ(checks::value_of(*found, objective), least) << example.text;
        check_ends(example.platform, *found, objective, example.text);
        ++feasible;
    }
    EXPECT_GT(feasible, instances::how_many(0.05) / 10);
}

TEST(ObjectiveBound, CommunicationIsAddedToTheEnds)
{
    instances::Random random = instances::seeded(2);
    for (int instance = 0; instance < instances::how_many(0.02); ++instance) {
        auto example = any_example(random, {4, 5});
        communication::set_any_links(random, example.platform);
        example.ends = at_end(example.platform, example.bound);
        const auto setting =
            communication::any_setting(random, std::array{"host", "chain", "chain-any", "summa"}[random() % 4]);
        auto request = communication::request_of(example.n, setting);
        request.options.set_text("objective_bound", name_of(example.bound));
        const communication::Costs costs(example.ends, example.n, setting);
        const auto least = communication::least_by_enumeration(example.ends, example.n, costs);
        const auto found = checks::unless_infeasible([&] { return checks::partition(example.platform, request); });
        ASSERT_EQ(found.has_value(), least.has_value()) << example.text;
        if (!found) continue;
        ASSERT_DOUBLE_EQ(found->seconds, *least) << example.text;
        // The report's ends have the communication too.
        for (const auto bound : {Bound::low, Bound::high}) {
            const auto end = known(found->report, bound == Bound::low ? "time_low" : "time_high");
            const auto there = ends_of(example.platform, found->x).seconds[bound == Bound::low ? 0 : 1];
            ASSERT_EQ(std::isnan(end), std::isnan(there)) << example.text;
            if (std::isnan(end)) continue;
            const auto platform = at_end(example.platform, bound);
            ASSERT_DOUBLE_EQ(end, communication::Costs(platform, example.n, setting).seconds(found->x)) << example.text;
        }
    }
}

TEST(ObjectiveBound, FrontsAndSchedulesAreOverTheEnds)
{
    instances::Random random = instances::seeded(3);
    for (int instance = 0; instance < instances::how_many(0.02); ++instance) {
        auto example = any_example(random, {4, 5});
        Options options;
        options.set_text("objective_bound", name_of(example.bound));
        const auto expected = reference::brute_force(example.ends, example.n);
        const auto front = checks::unless_infeasible([&] {
            return checks::compute_front(example.platform, {example.n, hpart::FrontEnergy::dynamic, "exact", options});
        });
        ASSERT_EQ(front.has_value(), !expected.front.empty()) << example.text;
        if (front) {
            reference::Front found;
            for (const auto &point : front->points) found[point.seconds] = point.joules;
            ASSERT_EQ(found, expected.front) << example.text;
            const auto *high = front->report.find("time_high");
            for (std::size_t k = 0; k < front->points.size(); ++k)
                expect_same(high == nullptr ? unknown : std::get<Values>(*high)[k],
                            ends_of(example.platform, front->points[k].x).seconds[1], example.text);
        }
        const auto makespan = reference::schedule(example.ends, example.n).makespan;
        const auto found = checks::unless_infeasible([&] {
            return checks::compute_schedule(example.platform,
                                            {example.n, "exact", hpart::Ties::deterministic, options});
        });
        ASSERT_EQ(found.has_value(), makespan.has_value()) << example.text;
        if (!found) continue;
        ASSERT_EQ(found->makespan, *makespan) << example.text;
        const auto low = known(found->report, "time_low");
        const auto high = known(found->report, "time_high");
        ASSERT_FALSE(low > high) << example.text;
        const auto end = example.bound == Bound::low ? low : high;
        if (example.bound != Bound::estimate && !std::isnan(end)) {
            ASSERT_EQ(end, found->makespan) << example.text;
        }
    }
}

TEST(ObjectiveBound, InterpolatesTheEnds)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{1, 3}, Values{10, 30});
    platform.set_interval(0, FunctionKind::time, Sizes{1, 3}, Values{8, 20}, Values{11, 41});
    hpart::PartitionRequest request{Objective::time, 2};
    request.options.set_text("interpolate", "linear");
    request.options.set_text("objective_bound", "high");
    const auto found = checks::partition(platform, request);
    EXPECT_EQ(found.seconds, 26);
    EXPECT_EQ(found.report.find("time_high"), nullptr) << "a size that was not measured has no interval";
}

TEST(ObjectiveBound, AChangeOfThePlatformIsSeen)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{1}, Values{10});
    platform.set_interval(0, FunctionKind::time, Sizes{1}, Values{8}, Values{11});
    hpart::PreparedPlatform prepared;
    hpart::PartitionRequest request{Objective::time, 1};
    request.options.set_text("objective_bound", "high");
    auto control = checks::usual_control();
    EXPECT_EQ(hpart::partition(platform, prepared, request, control).seconds, 11);
    platform.set_interval(0, FunctionKind::time, Sizes{1}, Values{8}, Values{15});
    prepared.forget();
    EXPECT_EQ(hpart::partition(platform, prepared, request, control).seconds, 15);
}

TEST(ObjectiveBound, ANewBasePowerIsSeenAndWhatFunctionsNeedStays)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{1}, Values{10});
    platform.set_energy_function(0, Sizes{1}, Values{7});
    platform.set_interval(0, FunctionKind::time, Sizes{1}, Values{8}, Values{11});
    hpart::PreparedPlatform prepared;
    hpart::PartitionRequest request{Objective::total_energy, 1};
    auto control = checks::usual_control();
    const auto *const before = &prepared.get(platform, hpart::Needs::time_and_energy);
    for (const auto *end : {"estimate", "high"})
        for (const double watts : {1.0, 2.0}) {
            platform.set_base_power(watts);
            prepared.forget_platforms();
            request.options.set_text("objective_bound", end);
            const auto seconds = end == std::string_view("high") ? 11 : 10;
            EXPECT_EQ(hpart::partition(platform, prepared, request, control).joules, 7 + watts * seconds) << end;
        }
    EXPECT_EQ(&prepared.get(platform, hpart::Needs::time_and_energy), before);
}

// The energy of the links is known where the interval of the time is not.
TEST(ObjectiveBound, EnergyOfLinksWithoutIntervalsOfTime)
{
    for (const std::string communication : {"host", "chain", "summa"})
        for (const bool has_time_interval : {false, true}) {
            Platform platform(2);
            for (std::int64_t i = 0; i < 2; ++i) {
                instances::set_functions(platform, i, {10}, {1}, {5});
                platform.set_interval(i, FunctionKind::energy, Sizes{10}, Values{4}, Values{6});
                if (has_time_interval) platform.set_interval(i, FunctionKind::time, Sizes{10}, Values{1}, Values{1});
                platform.set_host_link(i, {0, 1e9, 2});
            }
            platform.set_link(0, 1, {0, 1e9, 3});
            platform.set_link(1, 0, {0, 1e9, 3});
            platform.set_border_bytes(7);
            hpart::PartitionRequest request{Objective::energy, 20};
            request.options.set_text("communication", communication);
            request.options.set_double("unit_bytes", 1);
            const auto found = checks::partition(platform, request);
            const auto links = found.joules - 10;
            EXPECT_GT(links, 0) << communication;
            EXPECT_EQ(known(found.report, "energy_low"), 8 + links) << communication;
            EXPECT_EQ(known(found.report, "energy_high"), 12 + links) << communication;
            EXPECT_EQ(std::isnan(known(found.report, "time_low")), !has_time_interval) << communication;
        }
}

} // namespace
