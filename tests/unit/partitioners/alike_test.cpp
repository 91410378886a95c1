// Least sums and best choices of very many alike parts, and of huge sizes. Random ones are in identical_test.cpp.
#include "checks.hpp"
#include "core/doubles.hpp"
#include "partitioners/search/alike_sum.hpp"
#include "partitioners/search/exact_costs.hpp"
#include "partitioners/search/halving.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::infinity;

using hpart::Halving;
using hpart::Join;
using hpart::Outcome;

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
        const auto found = hpart::least_sum_of_alike({sizes, costs, million, target}, control);
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
    const auto found = hpart::least_sum_of_alike({sizes, costs, 7, 31 * unit}, control);
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

struct Classes {
    std::vector<std::int64_t> sizes;
    std::vector<double> costs;

    double cost_of(std::int64_t size) const
    {
        for (std::size_t k = 0; k < sizes.size(); ++k)
            if (sizes[k] == size) return costs[k];
        return infinity;
    }
};

void check_parts(const Halving &best, const Classes &options, std::int64_t copies, std::int64_t sum, Join how)
{
    std::int64_t total = 0;
    std::int64_t count = 0;
    double cost = 0;
    auto previous = std::numeric_limits<std::int64_t>::max();
    for (const auto &part : best.parts(sum)) {
        ASSERT_LT(part.size, previous);
        ASSERT_GT(part.copies, 0);
        previous = part.size;
        total += part.size * part.copies;
        count += part.copies;
        const auto one = options.cost_of(part.size);
        cost = how == Join::sum ? cost + one * static_cast<double>(part.copies) : std::max(cost, one);
    }
    ASSERT_EQ(total, sum);
    ASSERT_EQ(count, copies);
    ASSERT_EQ(cost, best.cost(sum));
}

TEST(Halving, AMillionPartsAgreeWithArithmetic)
{
    const Classes options{{0, 2, 3, 7}, {0, 5, 6, 7}};
    constexpr std::int64_t million = 1'000'000;
    for (std::int64_t remainder = 0; remainder < 7; ++remainder) {
        const auto sum = 7 * (million / 2) + remainder;
        // Costs of the remainder above all sevens, found by hand: 2 -> 5, 3 -> 6, 4 -> 2 x 2, 5 -> 2 + 3, 6 -> 3 + 3, 1 -> 3 + 3 + 2 - 7.
        constexpr double above[] = {0, 10, 5, 6, 10, 11, 12};
        auto control = checks::usual_control();
        const Halving best(options.sizes, options.costs, million, sum, sum, Join::sum, control);
        EXPECT_EQ(best.cost(sum), 7 * (million / 2) + above[remainder]) << remainder;
        check_parts(best, options, million, sum, Join::sum);
    }
}

TEST(Halving, HugeSizesAreCountedInTheirCommonDivisor)
{
    const auto unit = std::int64_t{1} << 58;
    const Classes options{{unit + 5, 2 * unit + 5, 5 * unit + 5}, {1, 3, 4}};
    const auto sum = 8 * unit + 20;
    auto control = checks::usual_control();
    const Halving best(options.sizes, options.costs, 4, sum, sum, Join::sum, control);
    EXPECT_EQ(best.cost(sum), 7); // 5 + 1 + 1 + 1 against 2 + 2 + 2 + 2
    const Halving odd(options.sizes, options.costs, 4, sum + 1, sum + 1, Join::sum, control);
    EXPECT_EQ(odd.cost(sum + 1), infinity);
}

TEST(Halving, TablesBeyondTheMemoryEndInTheLimit)
{
    const Classes options{{0, (std::int64_t{1} << 40) + 1, std::int64_t{1} << 41}, {0, 1, 1}};
    auto control = checks::usual_control();
    support::expect_error(hpart::Status::limit, {},
                          [&] { const Halving best(options.sizes, options.costs, 4, 5, 5, Join::max, control); });
    EXPECT_GT(Halving::bytes(options.sizes, 4), 1e12);
}

} // namespace
