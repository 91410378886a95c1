// Least sums of costs with equal and nearly equal slopes, with copies and caps, against enumeration: the sum, and the choice among equals.
#include "combined_options.hpp"
#include "core/numbers.hpp"
#include "instances.hpp"
#include "partitioners/search/least_sum.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>

namespace equal_sums
{

namespace
{

using hpart::Choices;
using hpart::ExactSum;
using hpart::Outcome;
using support::between;
using support::Random;
using Sizes = std::vector<std::int64_t>;

using combined::one_in;
using hpart::infinity;

// Costs of a slope, some a few units in the last place beside it, some with a fixed cost, or of few values.
void add_function(Random &random, Choices &choices, double slope)
{
    const auto kind = between(random, 0, 4);
    const auto fixed = static_cast<double>(between(random, 0, 5));
    const auto step = one_in(random, 4) ? between(random, 2, 3) : 1;
    const auto holes = one_in(random, 3);
    if (!one_in(random, 6)) choices.add(0, 0);
    for (std::int64_t k = 1, count = between(random, 1, 7); k <= count; ++k) {
        if (holes && one_in(random, 3) && k < count) continue;
        const auto size = k * step;
        auto cost = slope * static_cast<double>(size);
        if (kind == 1) cost += fixed;
        if (kind == 2) cost = static_cast<double>(between(random, 0, 3));
        if (kind == 3) cost = fixed;
        for (auto ulps = kind == 4 ? between(random, 0, 2) : 0; ulps > 0; --ulps) cost = std::nextafter(cost, infinity);
        choices.add(size, cost);
    }
    choices.end_function();
}

Choices any_choices(Random &random)
{
    constexpr std::array slopes{0.1, 1.0, 1.1, 0.3, 1e-3, 1e6, 0.7};
    const auto slope = slopes[static_cast<std::size_t>(between(random, 0, slopes.size() - 1))];
    const auto other = slopes[static_cast<std::size_t>(between(random, 0, slopes.size() - 1))];
    const bool is_equal = !one_in(random, 4);
    Choices choices;
    const auto classes = between(random, 2, 5);
    for (std::int64_t i = 0; i < classes; ++i) {
        const auto known = static_cast<std::int64_t>(choices.functions());
        const bool is_copy = known > 0 && one_in(random, 3);
        choices.function_of.push_back(static_cast<std::uint32_t>(is_copy ? between(random, 0, known - 1) : known));
        if (!is_copy) add_function(random, choices, is_equal || one_in(random, 2) ? slope : other);
    }
    return choices;
}

std::int64_t any_target(Random &random, const Choices &choices)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        const auto sizes = choices.sizes_of(i);
        sum += sizes[static_cast<std::size_t>(between(random, 0, static_cast<std::int64_t>(sizes.size()) - 1))];
    }
    return sum + (one_in(random, 5) ? 1 : 0);
}

void for_each_choice(const Choices &choices, std::int64_t target,
                     const std::function<void(const std::vector<std::size_t> &)> &visit)
{
    std::vector<std::size_t> options(choices.classes());
    const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t i, std::int64_t left) {
        if (i == choices.classes()) {
            if (left == 0) visit(options);
            return;
        }
        for (std::size_t k = 0; k < choices.count(i); ++k) {
            options[i] = choices.begin(i) + k;
            if (choices.sizes[options[i]] <= left) choose(i + 1, left - choices.sizes[options[i]]);
        }
    };
    choose(0, target);
}

ExactSum cost_of(const Choices &choices, const std::vector<std::size_t> &options)
{
    ExactSum cost;
    for (const auto k : options) cost.add(choices.costs[k]);
    return cost;
}

Sizes sizes_of(const Choices &choices, const std::vector<std::size_t> &options)
{
    Sizes sizes;
    for (const auto k : options) sizes.push_back(choices.sizes[k]);
    return sizes;
}

struct Best {
    std::int64_t use = 0;
    ExactSum cost;
    Sizes sizes; // empty: none
};

// The least use of the choices whose cost is within the limit, then the least cost, then the smallest size of the last class, and so on.
Best best_of(const Choices &choices, std::int64_t target, const std::vector<std::int64_t> &uses,
             const hpart::CostLimit &limit)
{
    Best best;
    for_each_choice(choices, target, [&](const auto &options) {
        Best fresh{0, cost_of(choices, options), sizes_of(choices, options)};
        for (const auto k : options) fresh.use += uses.empty() ? 0 : uses[k];
        if (!limit.allows(fresh.cost)) return;
        const auto is_better = [&] {
            if (fresh.use != best.use) return fresh.use < best.use;
            if (!(fresh.cost == best.cost)) return fresh.cost < best.cost;
            return std::lexicographical_compare(fresh.sizes.rbegin(), fresh.sizes.rend(), best.sizes.rbegin(),
                                                best.sizes.rend());
        };
        if (best.sizes.empty() || is_better()) best = fresh;
    });
    return best;
}

std::string describe(const Choices &choices, std::int64_t target)
{
    std::ostringstream out;
    out.precision(17);
    out << "target " << target;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        out << "\nfunction " << choices.function_of[i] << ':';
        for (std::size_t k = 0; k < choices.count(i); ++k)
            out << " (" << choices.sizes_of(i)[k] << ", " << choices.costs_of(i)[k] << ')';
    }
    return out.str();
}

// At or beside the least cost, or without a cap.
double any_cap(Random &random, double least)
{
    switch (between(random, 0, 4)) {
    case 0: return least;
    case 1: return std::nextafter(least, 0);
    case 2: return std::nextafter(least, infinity);
    case 3: return least * 1.01;
    default: return infinity;
    }
}

TEST(EqualSums, AgreeWithEnumeration)
{
    instances::for_each_instance(97, 1, [](auto &random, auto) {
        const auto choices = any_choices(random);
        const auto target = any_target(random, choices);
        SCOPED_TRACE(describe(choices, target));
        const auto least = best_of(choices, target, {}, {});
        hpart::SumQuery query;
        query.cap = any_cap(random, least.cost.rounded());
        query.long_search = one_in(random, 2) ? 0 : query.long_search;
        if (one_in(random, 3)) query.expected_gap = support::real_between(random, 0, 1);
        const bool has_any = !least.sizes.empty() && least.cost.rounded() <= query.cap;
        hpart::Control control;
        const hpart::CostFunctions functions(cost_points_of(choices), hpart::best_simd_level());
        const auto found = least_sum_by_core({functions, choices.function_of, target}, query, control);
        if (!found) return;
        ASSERT_EQ(found->outcome, has_any ? Outcome::found : Outcome::none);
        EXPECT_EQ(found->sizes, has_any ? least.sizes : found->sizes);
        if (!found->is_only || !has_any) return;
        for_each_choice(choices, target, [&](const auto &options) {
            if (cost_of(choices, options).rounded() > least.cost.rounded()) return;
            auto mine = sizes_of(choices, options); // an exchange among copies
            auto theirs = found->sizes;
            for (std::uint32_t f = 0; f < choices.functions(); ++f) {
                Sizes a, b;
                for (std::size_t i = 0; i < choices.classes(); ++i) {
                    if (choices.function_of[i] != f) continue;
                    a.push_back(mine[i]);
                    b.push_back(theirs[i]);
                }
                EXPECT_TRUE(std::is_permutation(a.begin(), a.end(), b.begin()));
            }
        });
    });
}

TEST(EqualSums, OfLeastUseAgreeWithEnumeration)
{
    std::int64_t decided = 0;
    instances::for_each_instance(98, 1, [&](auto &random, auto) {
        const auto choices = any_choices(random);
        const auto target = any_target(random, choices);
        SCOPED_TRACE(describe(choices, target));
        const auto least = best_of(choices, target, {}, {});
        if (least.sizes.empty()) return;
        std::vector<std::int64_t> uses;
        const bool counts = one_in(random, 2);
        for (const auto size : choices.sizes) uses.push_back(counts ? (size > 0 ? 1 : 0) : between(random, 0, 6));
        hpart::CostLimit limit{any_cap(random, least.cost.rounded())};
        if (one_in(random, 4)) {
            limit.beside.add(support::real_between(random, 0, 10));
            limit.most += limit.beside.rounded();
        }
        if (one_in(random, 2)) limit.least = least.cost.rounded();
        const auto wanted = best_of(choices, target, uses, limit);
        hpart::Control control;
        const auto found = least_use_by_core(choices, uses, target, limit, control);
        if (!found) return;
        ++decided;
        ASSERT_EQ(found->outcome, Outcome::found);
        EXPECT_EQ(found->sizes, wanted.sizes);
    });
    EXPECT_GT(decided, support::how_many(1) / 4);
}

} // namespace

} // namespace equal_sums
