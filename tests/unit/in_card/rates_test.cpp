#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"
#include "support/fake_clock.hpp"

#include <gtest/gtest.h>

namespace in_card_test
{

using namespace hpart;

namespace
{

TEST(GemmRates, InterpolateSecondsPerElementOverDepthAndSide)
{
    // 1 s per element and unit of depth, and a constant part that halves for tiles four times as large; in proportion beyond
    const GemmRates rates(100, {{10, {{8, 8 + 4}, {16, 16 + 4}}}, {20, {{8, 8 + 2}, {16, 16 + 2}}}});
    EXPECT_DOUBLE_EQ(rates.seconds(10, 10, 8), 100 + 100 * 12.0);
    EXPECT_DOUBLE_EQ(rates.seconds(5, 20, 12), 100 + 100 * 16.0);
    EXPECT_DOUBLE_EQ(rates.seconds(40, 40, 32), 100 + 1600 * 36.0);
    EXPECT_DOUBLE_EQ(rates.seconds(15, 15, 16), 100 + 225 * 19.0);
    EXPECT_DOUBLE_EQ(rates.seconds(2, 2, 4), 100 + 4 * 8.0);
}

TEST(GemmRates, AreMeasuredWithinTheDevicesMemoryAndKept)
{
    for (const std::int64_t limit : {std::int64_t{1} << 14, std::int64_t{1} << 16, std::int64_t{1} << 28}) {
        DeviceSession session(make_host_device(), limit);
        const auto kernel = in_card_gemm(session, Scalar::z);
        const auto rates = measured_gemm_rates(session, *kernel);
        EXPECT_EQ(measured_gemm_rates(session, *kernel), rates);
        EXPECT_EQ(session.used(), 0);
        EXPECT_GT(session.most_used(), 0);
        EXPECT_LE(session.most_used(), limit);
        double before = 0;
        for (const std::int64_t side : {1, 10, 100, 1000, 10000, 100000}) {
            const auto seconds = rates->seconds(side, side, side);
            EXPECT_GT(seconds, before);
            before = seconds;
        }
    }
}

TEST(GemmRates, AreNumbersWhereTheClockStandsStill)
{
    const support::FakeClock clock;
    DeviceSession session(make_host_device(), std::nullopt);
    const auto kernel = in_card_gemm(session, Scalar::d);
    GemmTrial trial(session, *kernel, {8, 8, 8});
    EXPECT_GT(trial.seconds({8, 8, 8}, 3, 1), 0);
    EXPECT_GT(trial.launch_seconds(), 0);
}

// The sides of a plan's blocks of C matter more than their depth.
TEST(GemmRates, AreMeasuredWithLessDepthBeforeSmallerBlocks)
{
    DeviceSession session(make_host_device(), 16'000'000);
    const auto kernel = in_card_gemm(session, Scalar::d);
    const GemmTrial large(session, *kernel, {1024, 1024, 512});
    EXPECT_FALSE(large.is_whole());
    EXPECT_EQ(large.largest().m, 1024);
    EXPECT_EQ(large.largest().n, 1024);
    EXPECT_EQ(large.largest().k, 256);
    constexpr std::int64_t little = 32 << 10;
    DeviceSession small(make_host_device(), little);
    const auto of_small = in_card_gemm(small, Scalar::d);
    const GemmTrial tiny(small, *of_small, {1024, 1024, 512});
    EXPECT_LE(small.most_used(), little);
    EXPECT_GE(tiny.largest().m, 8);
}

} // namespace

} // namespace in_card_test
