// Least sums under bounds on resources, against enumeration of all choices.
#include "checks.hpp"
#include "instances.hpp"
#include "partitioners/search/least_sum_within.hpp"
#include "support/expansion.hpp"
#include "support/random.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace
{

using hpart::Choices;
using hpart::Outcome;
using hpart::Prefer;
using hpart::Use;

struct BoundedProblem {
    Choices choices;
    std::vector<Use> uses;
    std::int64_t target = 0;
    hpart::ResourceQuery query;
};

double any_cost(instances::Random &random, std::int64_t style, std::int64_t size)
{
    switch (style) {
    case 0: return static_cast<double>(instances::between(random, 0, 5));
    case 1: return 0.1 * static_cast<double>(instances::between(random, 0, 30));
    case 2: return static_cast<double>(10 * size + instances::between(random, 0, 9));
    case 3: return std::ldexp(1.0, static_cast<int>(instances::between(random, -40, 40)));
    default: return std::uniform_real_distribution<>(0, 1)(random);
    }
}

// Some bounds bind, some cannot, some leave nothing.
std::int64_t any_bound(instances::Random &random)
{
    return instances::between(random, 0, 2) == 0 ? hpart::any_amount : instances::between(random, 0, 12);
}

BoundedProblem any_problem(instances::Random &random)
{
    BoundedProblem out;
    const auto cost_style = instances::between(random, 0, 4);
    const auto use_style = instances::between(random, 0, 2);
    const auto unit = instances::between(random, 0, 3) == 0 ? 3 : 1;
    std::int64_t largest_sum = 0;
    for (auto classes = instances::between(random, 1, 5); classes > 0; --classes) {
        const auto origin = instances::between(random, 0, 4) == 0 ? instances::between(random, 1, 3) : 0;
        auto size = origin;
        for (auto options = instances::between(random, 1, 5); options > 0; --options) {
            out.choices.add(size, any_cost(random, cost_style, size));
            const auto moved = use_style == 0 ? std::max<std::int64_t>(0, size - 3) : instances::between(random, 0, 5);
            out.uses.push_back({use_style == 2 ? instances::between(random, 0, 3) : (size != 0 ? 1 : 0), moved});
            size += unit * instances::between(random, 1, 3);
        }
        largest_sum += out.choices.sizes.back();
        out.choices.end_class();
    }
    out.target = instances::between(random, 0, largest_sum + 1);
    out.query.most = {any_bound(random), any_bound(random)};
    return out;
}

struct Value {
    support::Expansion sum;
    Use use;

    double cost() const { return sum.rounded(); }
};

// Every choice that sums to the target.
std::vector<Value> all_choices(const BoundedProblem &problem)
{
    std::vector<std::pair<std::int64_t, Value>> partial{{0, {{}, {0, 0}}}};
    for (std::size_t i = 0; i < problem.choices.classes(); ++i) {
        std::vector<std::pair<std::int64_t, Value>> grown;
        for (const auto &[size, value] : partial)
            for (auto k = problem.choices.first[i]; k < problem.choices.first[i + 1]; ++k)
                grown.push_back({size + problem.choices.sizes[k],
                                 {value.sum + problem.choices.costs[k],
                                  {value.use[0] + problem.uses[k][0], value.use[1] + problem.uses[k][1]}}});
        partial = std::move(grown);
    }
    std::vector<Value> out;
    for (const auto &[size, value] : partial)
        if (size == problem.target) out.push_back(value);
    return out;
}

std::tuple<std::int64_t, support::Expansion> rank(const Value &value, Prefer prefer)
{
    switch (prefer) {
    case Prefer::least_first: return {value.use[0], value.sum};
    case Prefer::least_second: return {value.use[1], value.sum};
    case Prefer::least_cost: break;
    }
    return {0, value.sum};
}

Value value_of(const BoundedProblem &problem, const std::vector<std::int64_t> &sizes)
{
    Value out{{}, {0, 0}};
    for (std::size_t i = 0; i < problem.choices.classes(); ++i)
        for (auto k = problem.choices.first[i]; k < problem.choices.first[i + 1]; ++k)
            if (problem.choices.sizes[k] == sizes[i]) {
                out.sum.add(problem.choices.costs[k]);
                for (std::size_t r = 0; r < 2; ++r) out.use[r] += problem.uses[k][r];
            }
    return out;
}

// Gives how many were found.
int check(const BoundedProblem &problem)
{
    const auto &query = problem.query;
    const Value *best = nullptr;
    const auto all = all_choices(problem);
    for (const auto &value : all)
        if (value.cost() <= query.limit.most && hpart::is_within(value.use, query.most) &&
            (best == nullptr || rank(value, query.prefer) < rank(*best, query.prefer)))
            best = &value;
    auto control = checks::usual_control();
    hpart::Work work;
    const auto found = hpart::least_sum_within(problem.choices, problem.uses, problem.target, query, control, work);
    EXPECT_EQ(found.outcome == Outcome::found, best != nullptr);
    if (found.outcome != Outcome::found || best == nullptr) return 0;
    const auto value = value_of(problem, found.sizes);
    EXPECT_EQ(value.cost(), found.cost);
    EXPECT_LE(value.cost(), query.limit.most);
    EXPECT_TRUE(hpart::is_within(value.use, query.most));
    EXPECT_TRUE(rank(value, query.prefer) == rank(*best, query.prefer));
    EXPECT_LE(found.lower_bound, value.cost());
    return 1;
}

TEST(LeastSumWithin, AgreesWithEnumeration)
{
    auto random = support::seeded(2026);
    const auto count = instances::how_many(0.25);
    int found = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        auto problem = any_problem(random);
        found += check(problem);
        const auto all = all_choices(problem);
        if (all.empty()) continue;
        // A cap that one choice just keeps.
        problem.query.limit.most =
            all[static_cast<std::size_t>(instances::between(random, 0, static_cast<std::int64_t>(all.size()) - 1))]
                .cost();
        for (const auto prefer : {Prefer::least_cost, Prefer::least_first, Prefer::least_second}) {
            problem.query.prefer = prefer;
            found += check(problem);
        }
        if (HasFailure()) ADD_FAILURE() << "instance " << k;
    }
    EXPECT_GT(found, count / 2);
}

} // namespace
