// Least sums over alike classes against a plain dynamic program, bit for bit.
#include "checks.hpp"
#include "core/doubles.hpp"
#include "core/text.hpp"
#include "instances.hpp"
#include "partitioners/search/alike_sum.hpp"
#include "partitioners/search/exact_costs.hpp"
#include "support/expansion.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using hpart::infinity;

using hpart::Outcome;
using instances::between;

struct Alike {
    std::vector<std::int64_t> sizes;
    std::vector<double> costs;
    std::int64_t copies;
    std::int64_t target;

    std::size_t find(std::int64_t size) const
    {
        return static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), size) - sizes.begin());
    }
};

double any_alike_cost(instances::Random &random, std::int64_t style, std::int64_t size)
{
    const auto x = static_cast<double>(size);
    switch (style) {
    case 0: return static_cast<double>(between(random, 0, 5));
    case 1: return static_cast<double>(between(random, 1, 1000));
    case 2: return 10 * x + static_cast<double>(between(random, 0, 40));
    case 3: return 3 * x;
    case 4: return 0.1 * x;
    case 5: return 0.1 * static_cast<double>(between(random, 1, 30));
    case 6:
        return std::ldexp(1 + 1e-13 * static_cast<double>(between(random, 0, 1000)),
                          static_cast<int>(between(random, -6, 6)));
    case 7: return x + 0.001 * static_cast<double>(between(random, 0, 9)) + 5;
    case 8:
        return std::ldexp(std::uniform_real_distribution<>(1, 2)(random), static_cast<int>(between(random, -60, 60)));
    default: return std::uniform_real_distribution<>(0, 1)(random);
    }
}

Alike any_alike(instances::Random &random)
{
    constexpr std::int64_t cost_styles = 10;
    Alike out;
    const auto points = between(random, 1, between(random, 0, 4) == 0 ? 60 : 12);
    out.copies = between(random, 1, between(random, 0, 5) == 0 ? 40 : 9);
    const auto unit = between(random, 1, 3);
    const auto style = between(random, 0, cost_styles - 1);
    const auto holes = between(random, 0, 2);
    const bool idle = between(random, 0, 4) > 0;
    auto size = idle ? 0 : between(random, 0, 3);
    for (std::int64_t k = 0; k < points; ++k) {
        out.sizes.push_back(size);
        out.costs.push_back(idle && k == 0 ? 0 : any_alike_cost(random, style, size));
        const auto late = k == 0 ? between(random, 1, 10) : 1;
        size += unit * (holes == 0 ? 1 : holes == 1 ? between(random, 1, 3) : late);
    }
    // Mostly feasible.
    const auto most = out.copies * (out.sizes.back() - out.sizes.front()) / unit;
    out.target = out.copies * out.sizes.front() + unit * between(random, 0, most) + between(random, 0, 9) / 9;
    return out;
}

// Least sum, and fewest active classes among the choices of it.
struct Least {
    support::Expansion cost;
    std::int64_t active = 0;
    bool exists = false;
};

Least dynamic_program(const Alike &alike)
{
    const auto width = static_cast<std::size_t>(alike.target) + 1;
    std::vector<Least> best(width);
    best.at(0).exists = true;
    for (std::int64_t i = 0; i < alike.copies; ++i) {
        std::vector<Least> next(width);
        for (std::size_t sum = 0; sum < width; ++sum)
            for (std::size_t k = 0; k < alike.sizes.size() && best[sum].exists; ++k) {
                const auto whole = sum + static_cast<std::size_t>(alike.sizes[k]);
                if (whole >= width) break;
                const Least fresh{best[sum].cost + alike.costs[k], best[sum].active + (alike.sizes[k] > 0 ? 1 : 0),
                                  true};
                auto &old = next[whole];
                if (!old.exists || fresh.cost < old.cost || (fresh.cost == old.cost && fresh.active < old.active))
                    old = fresh;
            }
        best = std::move(next);
    }
    return best.back();
}

std::string describe(const Alike &alike)
{
    auto out = hpart::text(alike.copies, " copies, target ", alike.target, ": ");
    for (std::size_t k = 0; k < alike.sizes.size(); ++k)
        out += hpart::text("(", alike.sizes[k], ",", alike.costs[k], ")");
    return out;
}

struct Seen {
    std::int64_t solved = 0;
    std::int64_t infeasible = 0;
    std::int64_t left_to_others = 0;
};

void check(const Alike &alike, bool fewest, Seen &seen)
{
    auto control = checks::usual_control();
    hpart::Work work;
    const auto expected = dynamic_program(alike);
    const auto found =
        hpart::least_sum_of_alike({alike.sizes, alike.costs, alike.copies, alike.target, fewest}, control, work);
    if (!found) {
        ++seen.left_to_others;
        return;
    }
    if (found->outcome == Outcome::none) {
        ++seen.infeasible;
        ASSERT_FALSE(expected.exists) << describe(alike);
        return;
    }
    ++seen.solved;
    ASSERT_EQ(found->outcome, Outcome::found) << describe(alike);
    ASSERT_EQ(static_cast<std::int64_t>(found->sizes.size()), alike.copies);
    std::int64_t sum = 0;
    support::Expansion cost;
    for (const auto size : found->sizes) {
        const auto k = alike.find(size);
        ASSERT_LT(k, alike.sizes.size());
        ASSERT_EQ(alike.sizes[k], size);
        sum += size;
        cost.add(alike.costs[k]);
    }
    ASSERT_EQ(sum, alike.target) << describe(alike);
    ASSERT_TRUE(cost == expected.cost) << describe(alike);
    ASSERT_EQ(found->cost, cost.rounded());
    ASSERT_EQ(found->lower_bound, found->cost);
    ASSERT_TRUE(std::is_sorted(found->sizes.rbegin(), found->sizes.rend()));
    if (fewest) {
        ASSERT_EQ(checks::count_active(found->sizes), expected.active) << describe(alike);
    }
}

TEST(AlikeSums, AgreeWithTheDynamicProgram)
{
    instances::Random random(29);
    Seen seen;
    for (auto left = instances::how_many(0.07); left > 0 && !HasFatalFailure(); --left)
        check(any_alike(random), between(random, 0, 3) == 0, seen);
    EXPECT_GT(seen.solved, 2 * seen.left_to_others);
    EXPECT_GT(seen.infeasible, 0);
    EXPECT_GT(seen.left_to_others, 0);
}

// Two sizes a part, 64 units apart at most: the counts of each are all there is to choose.
TEST(AlikeSums, AMillionPartsOfThreeSizesAgreeWithCounting)
{
    constexpr std::int64_t million = 1'000'000;
    const std::vector<std::int64_t> sizes{3, 10, 24};
    const std::vector<double> costs{5, 19, 40};
    for (const std::int64_t target : {3 * million, 5 * million + 3, 9 * million, 20 * million - 7, 24 * million - 14}) {
        auto least = infinity;
        for (std::int64_t tens = 0; tens <= million; ++tens) {
            const auto rest = target - 3 * million - 7 * tens; // made by 21 each
            if (rest < 0 || rest % 21 != 0 || tens + rest / 21 > million) continue;
            const auto large = rest / 21;
            least = std::min(least, 5 * static_cast<double>(million - tens - large) + 19 * static_cast<double>(tens) +
                                        40 * static_cast<double>(large));
        }
        auto control = checks::usual_control();
        hpart::Work work;
        const auto found = hpart::least_sum_of_alike({sizes, costs, million, target}, control, work);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->cost, least) << target;
        EXPECT_EQ(found->outcome, least < infinity ? Outcome::found : Outcome::none) << target;
    }
}

TEST(AlikeSums, SizesNearTheLargestIntegersAreExact)
{
    const auto unit = std::int64_t{1} << 58;
    const std::vector<std::int64_t> sizes{0, unit, 3 * unit, 5 * unit};
    const std::vector<double> costs{0, 4, 7, 10};
    auto control = checks::usual_control();
    hpart::Work work;
    const auto found = hpart::least_sum_of_alike({sizes, costs, 7, 31 * unit}, control, work);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->cost, 64); // 6 x 5 + 1: 60 + 4
    EXPECT_EQ(found->sizes, (std::vector{5 * unit, 5 * unit, 5 * unit, 5 * unit, 5 * unit, 5 * unit, unit}));
}

TEST(ExactCosts, TheUnitIsTheLowestBitOfAll)
{
    const std::vector<double> costs{0, 0.75, 6, 1e3};
    const auto exact = hpart::ExactCosts::of(costs, 20);
    ASSERT_TRUE(exact);
    EXPECT_EQ(exact->values()[1], 3);
    EXPECT_EQ(exact->values()[3], 4000);
    EXPECT_EQ(exact->as_sum(4027).rounded(), 1006.75);
    EXPECT_FALSE(hpart::ExactCosts::of(costs, 11)); // 4000 has 12 bits
}

} // namespace
