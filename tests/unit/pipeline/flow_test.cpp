#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/pipeline/flow.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"

#include "bytes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bitset>
#include <limits>
#include <random>
#include <stdexcept>

namespace hpart
{

namespace
{

class FlowTest : public testing::Test
{
  protected:
    DeviceSession session_{make_host_device(), std::int64_t{1} << 20};
    Control control_;

    void expect_nothing_alive()
    {
        session_.release_idle();
        support::expect_nothing_alive(session_.device());
        EXPECT_EQ(session_.used(), 0);
    }
};

TEST_F(FlowTest, a_ring_of_buffers_gives_each_block_its_own_result)
{
    std::mt19937_64 random(1);
    for (int instance = 0; instance < 200; ++instance) {
        const auto in = random_bytes(random, static_cast<std::int64_t>(random() % 5000));
        const auto block = static_cast<std::int64_t>(1 + random() % 900);
        if (in.size() / static_cast<std::size_t>(block) > 300) continue;
        FlowRecord record;
        const FlowOptions options{.lookahead = static_cast<int>(random() % 4), .in_one_queue = random() % 2 == 0};
        ASSERT_EQ(add_one_to_all(session_, in, block, options, record), one_more(in));
        const auto bytes = static_cast<std::int64_t>(in.size());
        EXPECT_EQ(record.bytes_to_device, bytes);
        EXPECT_EQ(record.bytes_from_device, bytes);
        EXPECT_EQ(record.launches, (bytes + block - 1) / block);
        EXPECT_LE(record.overlap_seconds, record.transfer_seconds);
        EXPECT_LE(record.transfer_seconds, record.in_seconds + record.out_seconds + 1e-12);
        EXPECT_LE(record.kernel_seconds, record.seconds);
    }
    expect_nothing_alive();
}

TEST_F(FlowTest, without_transfers_nothing_is_moved_and_all_is_computed)
{
    FlowRecord record;
    const FlowOptions options{.without_transfers = true};
    const Bytes in(1000, std::byte{7});
    EXPECT_EQ(add_one_to_all(session_, in, 100, options, record), Bytes(1000));
    EXPECT_EQ(record.bytes_to_device + record.bytes_from_device, 0);
    EXPECT_EQ(record.launches, 10);
    EXPECT_FALSE(record.read_began);
}

// Not what waits for it, in the queue that is looked at first too.
TEST_F(FlowTest, a_failed_launch_is_named_and_nothing_after_it_has_effect)
{
    const std::vector<std::int64_t> from(4);
    std::vector<std::int64_t> to(4, -1);
    {
        const auto buffer = session_.allocate(32);
        Flow flow(session_, control_);
        const BufferSide side{buffer.get(), 0, 32};
        flow.launch([](LaunchContext &) { throw std::runtime_error("the kernel broke"); }, {},
                    {area_of(side, {1, 32})});
        flow.write(side, from.data(), 32, {1, 32});
        flow.read(side, to.data(), 32, {1, 32});
        const auto error = support::error_of([&] { flow.finish(); });
        EXPECT_EQ(error.status(), Status::device);
        EXPECT_STREQ(error.what(), "a command on host failed: the kernel broke");
    }
    EXPECT_EQ(to, std::vector<std::int64_t>(4, -1));
    expect_nothing_alive();
}

TEST_F(FlowTest, cancelling_stops_within_the_look_ahead)
{
    constexpr int cancel_at = 5;
    std::atomic<int> ran = 0;
    int told = 0;
    Control control(std::make_shared<const ProgressCallback>([&](double, const char *) { return ++told == 1; }),
                    std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max());
    int given = 0;
    {
        Flow flow(session_, control);
        EXPECT_THROW(
            for (; given < 1000;) {
                ++given;
                flow.launch([&](LaunchContext &) { ++ran; });
                if (given >= cancel_at) flow.next_step(0.5, "steps");
            },
            Error);
    }
    EXPECT_EQ(given, cancel_at);
    EXPECT_EQ(ran, given); // what was given has ended before the flow has
    expect_nothing_alive();
}

TEST_F(FlowTest, no_more_steps_than_the_look_ahead_are_in_flight)
{
    for (const int lookahead : {0, 1, 3}) {
        std::atomic<int> ended = 0;
        const FlowOptions options{.lookahead = lookahead};
        Flow flow(session_, control_, options);
        for (int step = 1; step <= 50; ++step) {
            flow.launch([&](LaunchContext &) { ++ended; });
            flow.next_step(-1, "steps");
            EXPECT_GE(ended, step - lookahead);
        }
        flow.finish();
        EXPECT_EQ(ended, 50);
    }
}

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
