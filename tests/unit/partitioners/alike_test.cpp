// Least sums and best choices of very many alike parts, and of huge sizes. Random ones are in identical_test.cpp.
#include "checks.hpp"
#include "core/numbers.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/least_sum.hpp"
#include "support/errors.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::infinity;

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

// Parts of 15 make most of 15,000,000 - 1; the rest of it takes four parts of 6 and two of 10, so that three parts more are needed in all.
TEST(AlikeSums, TooFewPartsAreProvedToBeTooFew)
{
    const std::vector<std::int64_t> sizes{0, 6, 10, 15};
    const std::vector<double> costs{0, 1, 1, 1};
    for (const std::int64_t copies : {3, 999'999, 1'000'002, 1'000'003}) {
        auto control = checks::usual_control();
        const auto found = hpart::least_sum_of_alike({sizes, costs, copies, copies == 3 ? 29 : 14'999'999}, control);
        ASSERT_TRUE(found) << copies;
        EXPECT_EQ(found->outcome, copies == 1'000'003 ? Outcome::found : Outcome::none) << copies;
    }
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
