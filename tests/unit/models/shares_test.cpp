#include "core/error.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;

TEST(Shares, OfSimpleDistributions)
{
    EXPECT_EQ(shares_of(Sizes{1, 3}), (std::vector<double>{0.25, 0.75}));
    EXPECT_EQ(shares_of(Sizes{0, 7, 0}), (std::vector<double>{0, 1, 0}));
}

TEST(Shares, SumToOneInAnyOrder)
{
    std::mt19937_64 random(4);
    for (int k = 0; k < 20'000; ++k) {
        const auto bits = std::uniform_int_distribution<>(1, 55)(random);
        Sizes x(std::uniform_int_distribution<std::size_t>(1, 60)(random));
        for (auto &size : x)
            size = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() >> (64 - static_cast<unsigned>(bits)));
        x[0] += 1;
        auto shares = shares_of(x);
        const auto whole = static_cast<long double>(std::accumulate(x.begin(), x.end(), std::int64_t{0}));
        for (std::size_t i = 0; i < x.size(); ++i) {
            ASSERT_NEAR(shares[i], static_cast<double>(static_cast<long double>(x[i]) / whole), 0x1.1p-53);
            ASSERT_TRUE(x[i] > 0 || shares[i] == 0);
        }
        ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0);
        std::shuffle(shares.begin(), shares.end(), random);
        ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0);
    }
}

TEST(Shares, OfHugeSizes)
{
    const auto largest = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(shares_of(Sizes{largest}), (std::vector<double>{1}));
    EXPECT_EQ(shares_of(Sizes{largest / 2, largest / 2 + 1}), (std::vector<double>{0.5, 0.5}));
    EXPECT_EQ(shares_of(Sizes{1, largest - 1}), (std::vector<double>{0, 1}));
}

TEST(Shares, RefuseWhatHasNone)
{
    for (const auto &x : {Sizes{}, Sizes{0, 0}, Sizes{1, -1}, Sizes{std::numeric_limits<std::int64_t>::max(), 1}})
        EXPECT_THROW(shares_of(x), Error);
}

} // namespace
} // namespace hpart
