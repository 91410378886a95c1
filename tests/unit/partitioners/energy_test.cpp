// Least sums against a plain dynamic program: cost and choice, bit for bit, whatever guides the search.
#include "checks.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "instances.hpp"
#include "partitioners/search/break_solution.hpp"
#include "partitioners/search/least_sum.hpp"

#include "support/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <numeric>

namespace
{

using hpart::infinity;

using hpart::Choices;
using hpart::Outcome;
using instances::between;

struct Problem {
    Choices choices;
    std::int64_t target = 0;
};

double any_cost(instances::Random &random, std::int64_t style, std::int64_t size)
{
    const auto x = static_cast<double>(size);
    const auto fraction = [&] { return std::uniform_real_distribution<>(0, 1)(random); };
    switch (style) {
    case 0: return static_cast<double>(between(random, 0, 5));
    case 1: return static_cast<double>(between(random, 1, 1000));
    case 2: return 10 * x + static_cast<double>(between(random, 0, 40));
    case 3: return 3 * x;
    case 4: return 0.1 * x;
    case 5: return 0.1 * static_cast<double>(between(random, 1, 30));
    case 6: return std::ldexp(1 + fraction(), static_cast<int>(between(random, -60, 60)));
    case 7: return size == 0 ? 0 : 5 + 0.1 * x;
    case 8: return std::ldexp(fraction(), -1070);
    case 9: return x * x + fraction();
    case 10: return 1e6 - 0.3 * x; // less for more
    default: return fraction();
    }
}
constexpr std::int64_t cost_styles = 12;

Problem any_problem(instances::Random &random)
{
    Problem out;
    const auto style = between(random, 0, cost_styles - 1);
    const bool mixed_steps = between(random, 0, 2) == 0;
    const bool odd_only = between(random, 0, 5) == 0;
    const auto idles = between(random, 0, 3) != 0;
    const auto step = between(random, 1, 3);
    const auto scale = between(random, 0, 9) == 0 ? std::int64_t{1} << between(random, 20, 45) : 1;
    const bool is_sparse = scale > 1 && between(random, 0, 1) == 0; // no two sums alike
    const auto classes = between(random, 1, is_sparse ? 4 : between(random, 0, 39) == 0 ? 30 : 6);
    const auto longest = between(random, 0, 19) == 0 && !is_sparse ? 60 : 12;
    for (std::int64_t i = 0; i < classes; ++i) {
        constexpr std::int64_t steps[] = {1, 7, 16, 50};
        const auto own = mixed_steps ? steps[between(random, 0, 3)] : step;
        const auto holes = between(random, 0, 2);
        if (idles) out.choices.add(0, style == 10 ? 1e6 : 0);
        for (std::int64_t k = 1; k <= longest; ++k) {
            if (between(random, 0, 9) < 2 * holes) continue;
            const auto size = odd_only && i > 0 ? 2 * k - 1 : own * k;
            out.choices.add(size * scale + (is_sparse ? between(random, 0, scale / 4) : 0),
                            any_cost(random, style, size));
        }
        if (out.choices.first.back() == out.choices.sizes.size()) out.choices.add(scale, 1);
        out.choices.end_class();
    }
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < out.choices.classes(); ++i) {
        least += out.choices.sizes_of(i).front();
        most += out.choices.sizes_of(i).back();
    }
    out.target = between(random, least / scale, most / scale + 1) * scale + (between(random, 0, 19) == 0 ? 1 : 0);
    if (is_sparse) {
        out.target = 0;
        for (std::size_t i = 0; i < out.choices.classes(); ++i) {
            const auto sizes = out.choices.sizes_of(i);
            out.target +=
                sizes[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(sizes.size()) - 1))];
        }
    }
    return out;
}

struct Answer {
    double cost = infinity;
    std::vector<std::int64_t> sizes;
};

// From the last class to the first the smallest size that attains the least partial sum.
Answer plain_answer(const Problem &problem)
{
    const auto &choices = problem.choices;
    std::vector<std::map<std::int64_t, support::Expansion>> layers{{{0, {}}}};
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        std::map<std::int64_t, support::Expansion> next;
        for (const auto &[sum, cost] : layers.back())
            for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) {
                if (sum + choices.sizes[k] > problem.target) break;
                const auto [at, is_new] = next.try_emplace(sum + choices.sizes[k], cost + choices.costs[k]);
                if (!is_new) at->second = std::min(at->second, cost + choices.costs[k]);
            }
        layers.push_back(std::move(next));
    }
    Answer answer;
    const auto end = layers.back().find(problem.target);
    if (end == layers.back().end()) return answer;
    answer.cost = end->second.rounded();
    answer.sizes.resize(choices.classes());
    auto sum = problem.target;
    for (auto i = choices.classes(); i-- > 0;) {
        const auto &cost = layers[i + 1].at(sum);
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) {
            const auto before = layers[i].find(sum - choices.sizes[k]);
            if (before == layers[i].end() || !(before->second + choices.costs[k] == cost)) continue;
            answer.sizes[i] = choices.sizes[k];
            sum -= choices.sizes[k];
            break;
        }
    }
    return answer;
}

// A value that only guides the search, sensible or absurd.
double any_guide(instances::Random &random, double sensible)
{
    switch (between(random, 0, 5)) {
    case 0: return 0;
    case 1: return std::ldexp(1.0, static_cast<int>(between(random, -300, 300)));
    case 2: return -std::ldexp(1.0, static_cast<int>(between(random, -60, 60)));
    case 3: return sensible * std::uniform_real_distribution<>(0, 3)(random);
    default: return sensible;
    }
}

std::string describe(const Problem &problem)
{
    auto out = hpart::text("target ", problem.target, '\n');
    for (std::size_t i = 0; i < problem.choices.classes(); ++i) {
        for (auto k = problem.choices.first[i]; k < problem.choices.first[i + 1]; ++k)
            out += hpart::text("(", problem.choices.sizes[k], ",", problem.choices.costs[k], ")");
        out += '\n';
    }
    return out;
}

struct Paths {
    std::int64_t none = 0;
    std::int64_t without_search = 0;
    std::int64_t by_one_search = 0;
    std::int64_t by_more = 0;
    std::int64_t of_any_sizes = 0;
    std::int64_t above_cap = 0;
};

void check(const Problem &problem, const Answer &expected, const hpart::SumOverFunctions &sum,
           const hpart::SumQuery &query, Paths &paths)
{
    auto control = checks::usual_control();
    const auto found = hpart::least_sum(sum, query, control);
    const bool exists = !expected.sizes.empty() && expected.cost <= query.cap;
    ASSERT_EQ(found.outcome, exists ? Outcome::found : Outcome::none) << describe(problem);
    if (!exists) {
        ++(expected.sizes.empty() ? paths.none : paths.above_cap);
        return;
    }
    ASSERT_EQ(found.cost, expected.cost) << describe(problem);
    ASSERT_EQ(found.lower_bound, expected.cost) << describe(problem);
    ASSERT_EQ(found.sizes, expected.sizes) << describe(problem);
    if (found.points.empty()) ++paths.of_any_sizes;
    if (control.counters.searches == 0) ++paths.without_search;
    if (control.counters.searches == 1) ++paths.by_one_search;
    if (control.counters.searches > 1) ++paths.by_more;
}

TEST(LeastSum, IsThatOfThePlainDynamicProgramWhateverGuidesIt)
{
    auto random = instances::seeded(2611);
    const auto count = instances::how_many(0.2);
    const auto levels = checks::available_simd_levels();
    Paths paths;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto problem = any_problem(random);
        const auto expected = plain_answer(problem);
        std::vector<std::uint32_t> function_of(problem.choices.classes());
        std::iota(function_of.begin(), function_of.end(), std::uint32_t{0});
        for (const auto level : levels) {
            hpart::CostFunctions functions(hpart::cost_points_of(problem.choices), level);
            hpart::SumQuery query;
            if (between(random, 0, 1) == 0) query.near_multiplier = any_guide(random, 1);
            if (between(random, 0, 1) == 0) query.expected_gap = std::abs(any_guide(random, 1));
            if (between(random, 0, 3) == 0) query.cap = any_guide(random, expected.cost);
            functions.set_tilt(any_guide(random, 1));
            check(problem, expected, {functions, function_of, problem.target}, query, paths);
        }
        auto control = checks::usual_control();
        const auto found = hpart::least_sum(problem.choices, problem.target, {}, control);
        ASSERT_EQ(found.sizes, expected.sizes) << describe(problem);
    }
    if (count < 400) return; // too few to meet every path
    EXPECT_GT(paths.none, 0);
    EXPECT_GT(paths.without_search, 0);
    EXPECT_GT(paths.by_one_search, 0);
    EXPECT_GT(paths.by_more, 0);
    EXPECT_GT(paths.of_any_sizes, 0);
    EXPECT_GT(paths.above_cap, 0);
}

// Classes that share functions, in any order: as of alike processors and of clusters.
TEST(LeastSum, OfCopiesIsThatOfThePlainDynamicProgram)
{
    auto random = instances::seeded(2613);
    const auto count = instances::how_many(0.05);
    Paths paths;
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        const auto nodes = any_problem(random);
        const auto &choices = nodes.choices;
        const auto most = static_cast<std::int64_t>(choices.classes()) - 1;
        const auto classes = static_cast<std::size_t>(between(random, 2, 16));
        std::vector<std::uint32_t> function_of;
        std::map<std::int64_t, std::uint32_t> numbers; // of the functions in use, as they first occur
        hpart::Choices used;
        Problem problem;
        double combinations = 1;
        double largest = 0;
        while (function_of.size() < classes &&
               std::min(combinations, largest) < 20'000) { // what the plain program can do
            const auto function = between(random, 0, most);
            const auto number = numbers.try_emplace(function, static_cast<std::uint32_t>(numbers.size())).first->second;
            function_of.push_back(number);
            const auto begin = choices.first[static_cast<std::size_t>(function)],
                       end = choices.first[static_cast<std::size_t>(function) + 1];
            if (used.functions() < numbers.size()) {
                for (auto j = begin; j < end; ++j) used.add(choices.sizes[j], choices.costs[j]);
                used.end_function();
            }
            combinations *= static_cast<double>(end - begin);
            largest += static_cast<double>(choices.sizes[end - 1]);
            for (auto j = begin; j < end; ++j) problem.choices.add(choices.sizes[j], choices.costs[j]);
            problem.choices.end_class();
            const auto any = between(random, 0, static_cast<std::int64_t>(end - begin) - 1);
            problem.target += choices.sizes[begin + static_cast<std::size_t>(any)];
        }
        const hpart::CostFunctions functions(hpart::cost_points_of(used), hpart::best_simd_level());
        hpart::SumQuery query;
        if (between(random, 0, 3) == 0) query.near_multiplier = any_guide(random, 1);
        if (between(random, 0, 3) == 0) query.expected_gap = std::abs(any_guide(random, 1));
        check(problem, plain_answer(problem), {functions, function_of, problem.target}, query, paths);
    }
    if (count < 50) return; // too few to meet every path
    EXPECT_GT(paths.by_one_search, 0);
    EXPECT_GT(paths.by_more, 0);
}

// Points that go one after another, as under a falling bound on the time.
TEST(LeastSum, FollowsPointsThatGo)
{
    instances::for_each_instance(2612, 0.01, [&](auto &random, auto) {
        auto problem = any_problem(random);
        auto choices = problem.choices;
        auto &costs = choices.costs;
        hpart::CostFunctions functions(hpart::cost_points_of(choices), hpart::best_simd_level());
        std::vector<std::uint32_t> function_of(problem.choices.classes());
        std::iota(function_of.begin(), function_of.end(), std::uint32_t{0});
        Paths paths;
        for (int round = 0; round < 4 && !HasFatalFailure(); ++round) {
            Problem left;
            left.target = problem.target;
            for (std::size_t i = 0; i < function_of.size(); ++i) {
                std::vector<std::size_t> removed;
                for (auto j = problem.choices.first[i]; j < problem.choices.first[i + 1]; ++j) {
                    if (costs[j] != infinity && between(random, 0, 5) == 0) {
                        costs[j] = infinity;
                        removed.push_back(j - problem.choices.first[i]);
                    }
                    if (costs[j] != infinity) left.choices.add(problem.choices.sizes[j], costs[j]);
                }
                left.choices.end_class();
                functions.update(i, removed);
            }
            check(left, plain_answer(left), {functions, function_of, left.target}, {}, paths);
        }
    });
}

// The points of a time <= longest.
Problem problem_within(const Problem &problem, const std::vector<double> &seconds, double longest)
{
    Problem out;
    out.target = problem.target;
    const auto &choices = problem.choices;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k)
            if (seconds[k] <= longest) out.choices.add(choices.sizes[k], choices.costs[k]);
        out.choices.end_class();
    }
    return out;
}

// Under bounds on the time that fall and rise: no choice costs less than the relaxation at any multiplier, and its base may begin the search.
TEST(LeastSum, KeepsABoundOnTheTime)
{
    const auto levels = checks::available_simd_levels();
    Paths paths;
    std::int64_t highest = 0; // bounds that are the least cost, nearly
    instances::for_each_instance(2618, 0.05, [&](auto &random, auto) {
        const auto problem = any_problem(random);
        const auto &choices = problem.choices;
        std::vector<double> seconds;
        for (std::size_t k = 0; k < choices.sizes.size(); ++k)
            seconds.push_back(static_cast<double>(between(random, 0, 8)));
        std::vector<std::span<const double>> of_functions;
        for (std::size_t f = 0; f < choices.functions(); ++f)
            of_functions.push_back(
                std::span(seconds).subspan(choices.first[f], choices.first[f + 1] - choices.first[f]));
        const hpart::PointTimes times(of_functions);
        const auto level =
            levels[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(levels.size()) - 1))];
        hpart::CostFunctions functions(hpart::cost_points_of(choices), level);
        functions.set_tilt(any_guide(random, 1));
        hpart::SumOverFunctions sum{functions, choices.function_of, problem.target, &times, 8};
        auto relaxed = std::make_unique<hpart::RelaxedSum>(sum, any_guide(random, 1));
        const auto dearest = std::accumulate(choices.costs.begin(), choices.costs.end(), 0.0);
        for (int round = 0; round < 4 && !testing::Test::HasFatalFailure(); ++round) {
            sum.longest = static_cast<double>(between(random, 0, 8));
            if (sum.longest <= relaxed->longest() && between(random, 0, 1) == 0)
                relaxed->shorten(sum.longest);
            else
                relaxed = std::make_unique<hpart::RelaxedSum>(relaxed->within(sum.longest));
            const auto expected = plain_answer(problem_within(problem, seconds, sum.longest));
            hpart::SumQuery query;
            if (between(random, 0, 3) == 0) query.cap = any_guide(random, expected.cost);
            check(problem, expected, sum, query, paths);
            EXPECT_LE(relaxed->bound(), expected.cost) << describe(problem);
            auto renewed = relaxed->renewed();
            if (!renewed) {
                EXPECT_TRUE(expected.sizes.empty()) << describe(problem);
                continue;
            }
            EXPECT_LE(renewed->bound(), expected.cost) << describe(problem);
            EXPECT_GE(renewed->bound(), relaxed->bound() - 1e-9 * dearest) << describe(problem);
            query.base = renewed->base();
            check(problem, expected, sum, query, paths);
            if (renewed->bound() >= 0.99 * expected.cost) ++highest;
            if (between(random, 0, 1) == 0) relaxed = std::move(renewed);
        }
    });
    EXPECT_GT(highest, 0);
}

// Beside 2^52 the conversion of sizes changes; of equal costs the first is the least.
TEST(LeastReduced, IsTheSameOnEveryLevel)
{
    auto random = instances::seeded(2617);
    for (std::int64_t k = 0; k < instances::how_many(0.2); ++k) {
        const auto count = static_cast<std::size_t>(between(random, 0, 40));
        auto size = between(random, 0, 3) == 0 ? (std::int64_t{1} << 52) - between(random, 0, 60) : std::int64_t{0};
        std::vector<std::int64_t> sizes;
        std::vector<double> costs;
        for (std::size_t j = 0; j < count; ++j) {
            sizes.push_back(size += between(random, 1, 3));
            costs.push_back(between(random, 0, 9) == 0 ? hpart::infinity : static_cast<double>(between(random, 0, 20)));
        }
        const auto multiplier = static_cast<double>(between(random, -4, 4)) / 2;
        auto expected = count;
        const auto reduced = [&](std::size_t j) { return costs[j] - multiplier * static_cast<double>(sizes[j]); };
        for (std::size_t j = 0; j < count; ++j)
            if (reduced(j) < (expected == count ? hpart::infinity : reduced(expected))) expected = j;
        for (const auto level : checks::available_simd_levels())
            ASSERT_EQ(hpart::least_reduced(level, sizes.data(), costs.data(), count, multiplier), expected);
        std::vector<double> seconds(count);
        for (auto &time : seconds) time = static_cast<double>(between(random, 0, 3));
        const std::vector<double> real_sizes(sizes.begin(), sizes.end());
        expected = count;
        for (std::size_t j = 0; j < count; ++j)
            if (seconds[j] <= 2 && reduced(j) < (expected == count ? hpart::infinity : reduced(expected))) expected = j;
        for (const auto level : checks::available_simd_levels()) {
            const auto within = [&](const auto &of) {
                return hpart::least_reduced_within(level, of.data(), costs.data(), seconds.data(), count, multiplier,
                                                   2);
            };
            ASSERT_EQ(within(sizes), expected);
            ASSERT_EQ(within(real_sizes), expected);
        }
    }
}

} // namespace
