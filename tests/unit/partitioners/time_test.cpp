// HPOPT against a textbook dynamic program: groups of alike processors, parity traps, one fine processor among coarse ones, equal and
// zero times, huge sizes; all SIMD levels and tunings; every way to an answer is met.
#include "checks.hpp"
#include "instances.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/sum_within_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace
{

using hpart::infinity;

using hpart::Platform;
using instances::between;
using instances::Random;

enum class Kind {
    groups,
    parity_near,
    parity_far,
    one_fine,
    equal_times,
    zero_times,
    wide,
    alike,
    some_empty,
    wild_times
};
constexpr std::array all_kinds{Kind::groups,      Kind::parity_near, Kind::parity_far, Kind::one_fine,
                               Kind::equal_times, Kind::zero_times,  Kind::wide,       Kind::alike,
                               Kind::some_empty,  Kind::wild_times};

struct Point {
    std::int64_t size;
    double seconds;
};
using Function = std::vector<Point>;

struct Problem {
    std::vector<Function> functions; // of the processors
    std::int64_t n;

    // Sizes times `scale`.
    Platform platform(std::int64_t scale = 1) const
    {
        Platform out(static_cast<std::int64_t>(functions.size()));
        for (std::size_t i = 0; i < functions.size(); ++i) {
            std::vector<std::int64_t> sizes;
            std::vector<double> seconds;
            for (const auto &point : functions[i]) {
                sizes.push_back(point.size * scale);
                seconds.push_back(point.seconds);
            }
            out.set_time_function(static_cast<std::int64_t>(i), sizes, seconds);
        }
        return out;
    }
};

double time_of(Random &random, Kind kind, std::int64_t size)
{
    const auto x = static_cast<double>(size);
    switch (kind) {
    case Kind::equal_times: return 3;
    case Kind::zero_times: return between(random, 0, 2) == 0 ? static_cast<double>(between(random, 1, 9)) : 0;
    case Kind::wild_times:
        return std::ldexp(1 + static_cast<double>(between(random, 0, 3)), static_cast<int>(between(random, -900, 900)));
    case Kind::groups: return static_cast<double>(between(random, 1, 6));
    default: return x * static_cast<double>(between(random, 100, 150)) / 100;
    }
}

Function any_function(Random &random, Kind kind, std::size_t i, std::size_t p)
{
    Function function;
    if (kind == Kind::some_empty && between(random, 0, 2) == 0) return function;
    const auto m = between(random, 1, kind == Kind::wide ? 40 : 14);
    const bool is_last = i + 1 == p;
    const bool is_trap = kind == Kind::parity_near || kind == Kind::parity_far;
    for (std::int64_t k = 1; k <= m; ++k) {
        auto size = k;
        double slowness = 1;
        if (is_trap) {
            size = 2 * k + (is_last && k % 2 == 0 ? 1 : 0);
            if (size % 2 != 0) slowness = kind == Kind::parity_near ? 1.01 : 1000;
        }
        if (kind == Kind::one_fine && !is_last) size = 16 * k;
        if (kind == Kind::wide) size = 7 * k + between(random, 0, 3);
        if (kind != Kind::one_fine && between(random, 0, 9) == 0) continue;
        function.push_back({size, slowness * time_of(random, kind == Kind::wide ? Kind::equal_times : kind, size)});
    }
    return function;
}

Problem any_problem(Random &random, Kind kind)
{
    Problem problem;
    const auto p =
        static_cast<std::size_t>(between(random, 1, between(random, 0, 9) == 0 || kind == Kind::wide ? 40 : 7));
    const auto different = kind == Kind::alike    ? std::size_t{1}
                           : kind == Kind::groups ? static_cast<std::size_t>(between(random, 1, 3))
                                                  : p;
    std::vector<Function> functions;
    for (std::size_t f = 0; f < different; ++f) functions.push_back(any_function(random, kind, f, different));
    std::int64_t largest = 0;
    for (std::size_t i = 0; i < p; ++i) {
        const auto f =
            different == p ? i : static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(different) - 1));
        problem.functions.push_back(functions[f]);
        if (!functions[f].empty()) largest += functions[f].back().size;
    }
    problem.n = between(random, 0, largest + 3);
    return problem;
}

// The textbook: for every sum the least longest time, and the fewest active processors within that of n.
struct Expected {
    double seconds = infinity; // infinite: infeasible
    std::int64_t fewest = 0;
};

Expected solve_by_the_textbook(const Problem &problem)
{
    auto platform = problem.platform();
    const auto seconds = reference::dense_least_time(platform, problem.n);
    if (!seconds) return {};
    for (std::int64_t i = 0; i < platform.count(); ++i) { // an energy of 1: the least one is their number
        const auto sizes = platform.points(i).sizes;
        platform.set_energy_function(i, sizes, std::vector<double>(sizes.size(), 1));
    }
    const auto fewest = reference::dense_least_energy(platform, problem.n, *seconds);
    return {*seconds, static_cast<std::int64_t>(*fewest)};
}

std::string describe(const Problem &problem) { return instances::describe(problem.platform(), problem.n); }

struct Found {
    bool feasible = true;
    std::vector<std::int64_t> x;
    double seconds = infinity;
    std::int64_t tests = 0;
};

Found solve(const Platform &platform, std::int64_t n, hpart::SimdLevel level, hpart::Ties ties)
{
    auto control = checks::usual_control();
    try {
        const hpart::PreparedPlatform prepared(level);
        const auto found = hpart::partition(platform, prepared, {hpart::Objective::time, n, "exact", ties}, control);
        EXPECT_FALSE(found.limit_reached);
        EXPECT_TRUE(checks::is_distribution(platform, hpart::Objective::time, n, found));
        return {true, found.x, found.seconds, std::get<std::int64_t>(found.report.get("sum_tests"))};
    } catch (const hpart::Error &error) {
        EXPECT_EQ(error.status(), hpart::Status::infeasible) << error.what();
        return {false, {}, infinity, 0};
    }
}

struct Paths {
    int infeasible = 0;
    int first_test = 0;
    int gallop = 0;
    int raised = 0;
    int forbidden = 0;
};

void count_path(const Problem &problem, const Found &found, Paths &paths)
{
    if (problem.n == 0) return;
    paths.infeasible += found.feasible ? 0 : 1;
    paths.first_test += found.tests == 1 ? 1 : 0;
    paths.gallop += found.tests > 3 ? 1 : 0;
    const hpart::Prepared prepared(hpart::usable_points(problem.platform(), hpart::Needs::time));
    const hpart::TimeLevels levels(prepared, problem.n);
    const auto level = levels.least();
    if (!level) return;
    auto control = checks::usual_control();
    const auto raised = hpart::SumWithinTime(prepared, problem.n, control).least_time_by_divisor(levels, *level);
    paths.forbidden += raised ? 0 : 1;
    if (!raised) {
        EXPECT_FALSE(found.feasible);
        return;
    }
    paths.raised += *raised > level->seconds ? 1 : 0;
    EXPECT_GE(found.seconds, *raised); // a bound
    EXPECT_GE(*raised, level->seconds);
}

// F(T) at every time of the problem, whatever the tuning.
void test_all_times(const Problem &problem, hpart::SumTuning tuning)
{
    const auto expected = solve_by_the_textbook(problem);
    const hpart::Prepared prepared(hpart::usable_points(problem.platform(), hpart::Needs::time));
    const hpart::TimeLevels levels(prepared, problem.n);
    const auto least_level = levels.least();
    if (!least_level || problem.n == 0) return;
    auto control = checks::usual_control();
    const hpart::SumWithinTime sums(prepared, problem.n, control, tuning);
    for (const auto seconds : prepared.times()) {
        if (seconds < least_level->seconds) continue;
        const auto level = levels.at(seconds);
        const auto x = sums.test(level);
        ASSERT_EQ(x.has_value(), seconds >= expected.seconds) << seconds << '\n' << describe(problem);
        const auto quick = sums.test_quickly(level);
        if (quick) {
            ASSERT_TRUE(x.has_value()) << describe(problem);
        }
        for (const auto &found : {x, quick}) {
            if (!found) continue;
            ASSERT_EQ(std::accumulate(found->begin(), found->end(), std::int64_t{0}), problem.n);
            ASSERT_LE(hpart::cost_of(prepared.instance(), *found).seconds, seconds) << describe(problem);
        }
    }
}

} // namespace

TEST(LeastTime, AgreesWithTheTextbookOnEveryLevel)
{
    Random random(11);
    Paths paths;
    const auto count = instances::how_many(0.004);
    for (const auto kind : all_kinds)
        for (std::int64_t k = 0; k < (kind == Kind::wide ? count / 8 + 1 : count); ++k) {
            const auto problem = any_problem(random, kind);
            const auto platform = problem.platform();
            const auto expected = solve_by_the_textbook(problem);
            const auto found = solve(platform, problem.n, hpart::SimdLevel::plain, hpart::Ties::deterministic);
            ASSERT_EQ(found.feasible, expected.seconds < infinity) << describe(problem);
            count_path(problem, found, paths);
            if (!found.feasible) continue;
            ASSERT_EQ(found.seconds, expected.seconds) << describe(problem);
            for (const auto level : checks::available_simd_levels())
                ASSERT_EQ(solve(platform, problem.n, level, hpart::Ties::deterministic).x, found.x)
                    << describe(problem);
            const auto fewest = solve(platform, problem.n, hpart::SimdLevel::plain, hpart::Ties::fewest);
            ASSERT_EQ(fewest.seconds, expected.seconds) << describe(problem);
            ASSERT_EQ(checks::count_active(fewest.x), expected.fewest) << describe(problem);
        }
    if (count < 50) return; // too few to meet every path
    EXPECT_GT(paths.infeasible, 0);
    EXPECT_GT(paths.first_test, 0);
    EXPECT_GT(paths.gallop, 0);
    EXPECT_GT(paths.raised, 0);
    EXPECT_GT(paths.forbidden, 0);
}

TEST(LeastTime, HugeSizesAreAsSmallOnes)
{
    Random random(12);
    for (const auto kind : all_kinds)
        for (std::int64_t k = 0; k < instances::how_many(0.0005); ++k) {
            const auto problem = any_problem(random, kind);
            const auto expected = solve_by_the_textbook(problem);
            const auto largest = std::max<std::int64_t>(problem.n, 1000);
            for (const auto limit : {std::int64_t{1} << 31, std::int64_t{1} << 53, std::int64_t{1} << 62}) {
                const auto scale = limit / largest;
                const auto found = solve(problem.platform(scale), problem.n * scale, hpart::best_simd_level(),
                                         hpart::Ties::deterministic);
                ASSERT_EQ(found.seconds, expected.seconds) << scale << '\n' << describe(problem);
                if (problem.n == 0 || scale < 2) continue;
                // One more is no multiple of the scale.
                const auto none = solve(problem.platform(scale), problem.n * scale + 1, hpart::best_simd_level(),
                                        hpart::Ties::deterministic);
                ASSERT_FALSE(none.feasible) << describe(problem);
            }
        }
}

TEST(LeastTime, TheTestIsExactWhateverTheTuning)
{
    Random random(13);
    for (const hpart::SumTuning tuning : {hpart::SumTuning{}, hpart::SumTuning{0, 0}, hpart::SumTuning{0, 1},
                                          hpart::SumTuning{0, 2}, hpart::SumTuning{5, 3}, hpart::SumTuning{1 << 30, 1}})
        for (const auto kind : all_kinds)
            for (std::int64_t k = 0; k < instances::how_many(kind == Kind::wide ? 0.0001 : 0.001); ++k) {
                test_all_times(any_problem(random, kind), tuning);
                if (HasFatalFailure()) return;
            }
}

// Far more alike processors than any table by processor could hold.
TEST(LeastTime, ManyAlikeProcessors)
{
    const std::int64_t p = 300'000;
    Platform one(1);
    one.set_time_function(0, std::vector<std::int64_t>{6, 10, 15}, std::vector<double>{3, 4, 8});
    const auto platform = one.replicate(p);
    const hpart::PreparedPlatform prepared;
    auto control = checks::usual_control();
    const auto least_time = [&](std::int64_t n) {
        const auto found = hpart::partition(platform, prepared, {hpart::Objective::time, n}, control);
        EXPECT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), n);
        return found.seconds;
    };
    EXPECT_EQ(least_time(6 * p), 3);
    EXPECT_EQ(least_time(6 * p + 4), 4);  // one more takes 10
    EXPECT_EQ(least_time(10 * p - 4), 4); // one takes 6
    EXPECT_EQ(least_time(10 * p - 1), 8); // odd sums need a 15
    EXPECT_EQ(least_time(10 * p + 5), 8);
    EXPECT_EQ(least_time(15 * p), 8);
    EXPECT_THROW(least_time(15 * p - 1), hpart::Error); // no step is 1
    EXPECT_THROW(least_time(15 * p + 1), hpart::Error);
}
