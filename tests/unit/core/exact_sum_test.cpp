// The sum that is rounded once, against expansions.
#include "core/numbers.hpp"

#include "support/expansion.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace
{

using hpart::infinity;

using hpart::ExactSum;

double any_term(support::Random &random, int style)
{
    const auto digits = std::ldexp(static_cast<double>(support::between(random, 0, std::int64_t{1} << 53)), -53);
    switch (style) {
    case 0: return static_cast<double>(support::between(random, 0, 9));
    case 1: return digits;
    case 2: return 1e15 + static_cast<double>(support::between(random, 0, 40)) / 8;
    case 3: return std::ldexp(digits, static_cast<int>(support::between(random, -1000, 900)));
    case 4: return std::ldexp(digits, -1060);
    default: return std::ldexp(1.0, static_cast<int>(support::between(random, -60, 60)));
    }
}

TEST(ExactSum, AgreesWithExpansions)
{
    auto random = support::seeded(3);
    for (auto left = support::how_many(10); left > 0 && !HasFailure(); --left) {
        const auto style = static_cast<int>(support::between(random, 0, 6));
        const bool has_signs = support::between(random, 0, 1) == 1;
        std::vector<double> terms;
        ExactSum sum;
        for (auto count = support::between(random, 0, 30); count > 0; --count) {
            auto term = any_term(random, style == 6 ? static_cast<int>(support::between(random, 0, 5)) : style);
            if (has_signs && support::between(random, 0, 1) == 1) term = -term;
            terms.push_back(term);
            sum.add(term);
        }
        support::Expansion expected;
        for (const auto term : terms) expected.add(term);
        EXPECT_EQ(sum.rounded(), expected.rounded()) << testing::PrintToString(terms);
        if (terms.empty()) continue;
        ExactSum first;
        ExactSum others;
        for (std::size_t k = 0; k < terms.size(); ++k) (k % 3 == 0 ? first : others).add(terms[k]);
        EXPECT_EQ(first + others, sum);
        auto more = sum;
        more.add(1e-300);
        EXPECT_LT(sum, more);
        EXPECT_LT(sum, ExactSum(1e300) + more);
    }
}

TEST(ExactSum, CopiesAreAddedAtOnce)
{
    auto random = support::seeded(4);
    for (int left = 20'000; left > 0 && !HasFailure(); --left) {
        const auto term = any_term(random, static_cast<int>(support::between(random, 0, 5)));
        const auto copies = support::between(random, 0, 200);
        ExactSum at_once;
        at_once.add(term, copies);
        ExactSum one_by_one;
        for (auto k = copies; k > 0; --k) one_by_one.add(term);
        EXPECT_EQ(at_once, one_by_one) << term << " x " << copies;
    }
    ExactSum most;
    most.add(3, std::int64_t{1} << 62);
    EXPECT_EQ(most.rounded(), 3 * 0x1p62);
}

TEST(ExactSum, ProductsAreExact)
{
    ExactSum sum;
    sum.add_product(1 + 0x1p-52, 1 + 0x1p-52); // 1 + 2^-51 + 2^-104
    sum.add(-1);
    sum.add(-0x1p-51);
    EXPECT_EQ(sum.rounded(), 0x1p-104);
}

TEST(ExactSum, LimitsOfDoubles)
{
    ExactSum sum(std::numeric_limits<double>::max());
    EXPECT_EQ(sum.rounded(), std::numeric_limits<double>::max());
    sum.add(std::numeric_limits<double>::max());
    EXPECT_EQ(sum.rounded(), infinity);
    sum.add(-std::numeric_limits<double>::max());
    EXPECT_EQ(sum.rounded(), std::numeric_limits<double>::max());
    ExactSum smallest(std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(smallest.rounded(), std::numeric_limits<double>::denorm_min());
    smallest.add(-3 * std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(smallest.rounded(), -2 * std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(ExactSum().rounded(), 0);
    sum.add(infinity);
    EXPECT_EQ(sum.rounded(), infinity);
    sum.add(std::numeric_limits<double>::quiet_NaN());
    EXPECT_TRUE(std::isnan(sum.rounded()));
}

} // namespace
