#include "out_of_card/pipeline/intervals.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace hpart
{

namespace
{

constexpr int ticks = 64;

// The same set as marks on a line.
std::bitset<ticks> marks(const IntervalUnion &intervals)
{
    std::bitset<ticks> result;
    for (const auto &[start, end] : intervals.parts())
        for (int tick = static_cast<int>(start); tick < static_cast<int>(end); ++tick) result.set(tick);
    return result;
}

TEST(IntervalUnion, equals_marks_on_a_line)
{
    std::mt19937_64 random(1);
    for (int instance = 0; instance < 20000; ++instance) {
        IntervalUnion unions[2];
        std::bitset<ticks> expected[2];
        for (int which = 0; which < 2; ++which)
            for (auto count = random() % 8; count > 0; --count) {
                const auto start = random() % ticks, end = start + random() % (ticks - start);
                unions[which].add({static_cast<double>(start), static_cast<double>(end)});
                for (auto tick = start; tick < end; ++tick) expected[which].set(tick);
            }
        for (int which = 0; which < 2; ++which) {
            ASSERT_EQ(marks(unions[which]), expected[which]);
            ASSERT_EQ(unions[which].seconds(), static_cast<double>(expected[which].count()));
            const auto &parts = unions[which].parts();
            for (std::size_t i = 1; i < parts.size(); ++i) ASSERT_LT(parts[i - 1].end, parts[i].start);
        }
        ASSERT_EQ(marks(united(unions[0], unions[1])), expected[0] | expected[1]);
        ASSERT_EQ(common_seconds(unions[0], unions[1]), static_cast<double>((expected[0] & expected[1]).count()));
    }
}

} // namespace

} // namespace hpart
