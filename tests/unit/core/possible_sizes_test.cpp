// The sizes that a split can have, against an enumeration of all splits.
#include "core/numbers.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace
{

TEST(PossibleSizes, AreThoseOfSomeSplit)
{
    auto random = support::seeded(91);
    const auto between = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (std::int64_t k = 0; k < support::how_many(0.2) && !testing::Test::HasFailure(); ++k) {
        const auto unit = between(1, 3), size = between(1, 200);
        const auto processors = static_cast<std::size_t>(between(1, 4));
        std::set<std::int64_t> distinct;
        for (auto n = between(0, 7); n > 0; --n) distinct.insert(unit * between(1, 80));
        const std::vector<std::int64_t> sizes(distinct.begin(), distinct.end());
        std::set<std::int64_t> found, chosen;
        const std::function<void(std::size_t, std::int64_t)> choose = [&](std::size_t left, std::int64_t rest) {
            if (rest == 0) found.insert(chosen.begin(), chosen.end());
            if (left == 0 || rest <= 0) return;
            for (const auto one : sizes) {
                const bool is_new = chosen.insert(one).second;
                choose(left - 1, rest - one);
                if (is_new) chosen.erase(one);
            }
        };
        choose(processors, size);
        EXPECT_EQ(hpart::possible_sizes(sizes, processors, size), std::vector(found.begin(), found.end()))
            << processors << " processors, size " << size;
    }
}

TEST(PossibleSizes, OfVeryLargeSizesAndManyProcessors)
{
    const std::int64_t large = std::int64_t{1} << 60;
    EXPECT_EQ(hpart::possible_sizes(std::vector{large, 2 * large, large / 2}, 2, 3 * large),
              (std::vector{large, 2 * large}));
    EXPECT_EQ(hpart::possible_sizes(std::vector{large - 1, large, std::int64_t{1}}, 2, large),
              (std::vector{large - 1, large, std::int64_t{1}})); // too many sums to look at
    EXPECT_TRUE(hpart::possible_sizes(std::vector<std::int64_t>{4, 6}, 1000, 7).empty());
    const std::vector<std::int64_t> two{1000, 3};
    EXPECT_EQ(hpart::possible_sizes(two, 1000, 2997), std::vector<std::int64_t>{3});
    EXPECT_TRUE(hpart::possible_sizes(two, 998, 2997).empty());
}

} // namespace
