// Gains of one distribution over another.
#include "comparison.hpp"

#include <gtest/gtest.h>

namespace hpart_command
{
namespace
{

TEST(Gain, IsSureIfTheIntervalsAreApartInEitherDirection)
{
    const Cost fast{1, {0.9, 1.1}}, slow{2, {1.9, 2.1}}, near{1.15, {1.05, 1.25}};
    EXPECT_EQ(gain_of(fast, slow, false).is_sure, true);
    EXPECT_EQ(gain_of(fast, slow, false).value, 0.5);
    EXPECT_EQ(gain_of(slow, fast, false).is_sure, true) << "a sure loss";
    EXPECT_EQ(gain_of(slow, fast, false).value, -1);
    EXPECT_EQ(gain_of(fast, near, false).is_sure, false);
    EXPECT_EQ(gain_of(near, fast, false).is_sure, false);
    EXPECT_EQ(gain_of(fast, fast, true).is_sure, false);
    EXPECT_EQ(gain_of({1, {}}, slow, false).is_sure, std::nullopt);
}

} // namespace
} // namespace hpart_command
