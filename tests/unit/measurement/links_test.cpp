// Links between the processors of a team.
#include "measurement/additivity.hpp"

#include "core/error.hpp"
#include "fake_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hpart
{
namespace
{

TEST(Links, BandwidthIsTheSlopeOfTheTimes)
{
    MessageSeconds seconds{};
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] = 3e-6 + message_bytes[k] / 5e9;
    EXPECT_NEAR(bandwidth_of(seconds), 5e9, 1);
    seconds.fill(2e-3); // no slope: the largest message's own
    EXPECT_DOUBLE_EQ(bandwidth_of(seconds), message_bytes.back() / 2e-3);
}

// One pair, and rings of three with different links each way.
TEST(Links, AllPairsInBothDirectionsAndTheirEnergiesStay)
{
    for (const std::size_t processors : {1, 2, 3})
        for (const bool around_rings : {false, true}) {
            Team team;
            for (std::size_t i = 0; i < processors; ++i) add_fake(team, std::string(1, static_cast<char>('a' + i)));
            const auto count = static_cast<std::int64_t>(processors);
            Platform platform(count);
            if (processors > 1) platform.set_link(0, 1, {0, 1, 1e-9});
            measure_links(team, around_rings, platform,
                          Poll([](double fraction, const std::string &) { EXPECT_LE(fraction, 1); }));
            for (std::int64_t from = 0; from < count; ++from)
                for (std::int64_t to = 0; to < count; ++to) {
                    if (from == to) continue;
                    const auto link = platform.link(from, to);
                    EXPECT_GT(link.latency_seconds, 0);
                    EXPECT_EQ(link.latency_seconds, platform.link(to, from).latency_seconds);
                    EXPECT_TRUE(link.bytes_per_second > 1 && std::isfinite(link.bytes_per_second));
                    EXPECT_EQ(link.joules_per_byte, from == 0 && to == 1 ? 1e-9 : 0);
                }
        }
}

TEST(Links, ACancelledMeasurementLeavesThePlatform)
{
    Team team;
    for (const auto *name : {"a", "b", "c"}) add_fake(team, name);
    Platform platform(3);
    const Poll stop([](double fraction, const std::string &) {
        if (fraction > 0.5) fail(Status::cancelled, "enough");
    });
    EXPECT_THROW(measure_links(team, false, platform, stop), Error);
    EXPECT_EQ(platform.link(0, 1), Link{});
}

} // namespace
} // namespace hpart
