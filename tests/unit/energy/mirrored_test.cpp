// Counters that move each millisecond of a fake clock, which a reading takes some time of.
#include "energy/backends.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace hpart
{
namespace
{

struct MovingCounter {
    double joules, watts;
    double lag = 0;   // seconds
    double range = 0; // joules; 0: does not begin again
};

std::vector<std::size_t> mirrors_of(const std::vector<MovingCounter> &counters)
{
    support::FakeClock clock;
    const auto read = [&] {
        std::vector<double> values;
        for (const auto &[joules, watts, lag, range] : counters) {
            clock.advance(23e-6);
            const double milliseconds = std::floor((clock.seconds() - lag) * 1e3);
            const double value = std::round(1e6 * joules + 1e3 * watts * milliseconds);
            values.push_back(range > 0 ? std::fmod(value, 1e6 * range) : value);
        }
        return values;
    };
    return mirrored_counters(counters.size(), read, [](std::size_t, std::size_t) { return true; });
}

bool are_one(MovingCounter one, MovingCounter other)
{
    const auto mirrors = mirrors_of({one, other});
    EXPECT_EQ(mirrors[0], 0U);
    return mirrors[1] == 0;
}

TEST(MirroredCounters, LagBehindOneAnother)
{
    for (const double lag : {0.0, 100e-6, 300e-6, 500e-6, 900e-6, 2.1e-3}) {
        EXPECT_TRUE(are_one({1, 150}, {1, 150, lag})) << lag;
        EXPECT_TRUE(are_one({1, 150, lag}, {1, 150})) << lag;
        EXPECT_TRUE(are_one({1, 3}, {1, 3, lag})) << lag;
    }
    EXPECT_EQ(mirrors_of({{9, 70}, {1, 150, 500e-6}, {1, 150}, {1, 150, 200e-6}}),
              (std::vector<std::size_t>{0, 1, 1, 1}));
}

TEST(MirroredCounters, BeginAgainOneAfterTheOther)
{
    for (const double lag : {0.0, 400e-6}) EXPECT_TRUE(are_one({1, 150, 0, 4}, {1, 150, lag, 4})) << lag;
}

// Sockets of nearly equal power, also if they began at the same value, or apart by what they use in a few milliseconds.
TEST(MirroredCounters, AreNotTwoOfTheirOwn)
{
    for (const double watts : {100.0, 150.0, 149.0, 149.9, 150.3, 160.0})
        for (const double joules : {1.0, 1.05, 2.0, 2.5, 4.0})
            if (watts != 150 || joules != 1) {
                EXPECT_FALSE(are_one({1, 150}, {joules, watts})) << joules << " J and " << watts << " W";
                EXPECT_FALSE(are_one({joules, watts}, {1, 150})) << joules << " J and " << watts << " W";
            }
}

TEST(MirroredCounters, AreNotThoseThatStandStill)
{
    EXPECT_FALSE(are_one({1, 0}, {1, 0}));
    EXPECT_FALSE(are_one({1, 150}, {151, 0}));
}

} // namespace
} // namespace hpart
