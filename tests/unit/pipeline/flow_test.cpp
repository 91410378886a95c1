#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <random>
#include <stdexcept>

namespace hpart
{

namespace
{

std::int64_t *numbers(const SessionBuffer &buffer) { return static_cast<std::int64_t *>(buffer.get()->native()); }

// Adds one to each of the numbers.
Launch add_one(const SessionBuffer &buffer, std::int64_t count)
{
    return [buffer = buffer.get(), count](LaunchContext &) {
        auto *values = static_cast<std::int64_t *>(buffer->native());
        for (std::int64_t k = 0; k < count; ++k) ++values[k];
    };
}

class FlowTest : public testing::Test
{
  protected:
    DeviceSession session_{make_host_device(), std::int64_t{1} << 20};
    Control control_;

    void expect_nothing_alive()
    {
        session_.release_idle();
        const auto &census = session_.device().census();
        EXPECT_EQ(census.buffers, 0);
        EXPECT_EQ(census.queues, 0);
        EXPECT_EQ(census.events, 0);
        EXPECT_EQ(session_.used(), 0);
    }
};

// Blocks through a ring of two buffers.
std::vector<std::int64_t> through_a_ring(DeviceSession &session, Control &control, const FlowOptions &options,
                                         const std::vector<std::int64_t> &in, std::int64_t block, FlowRecord &record)
{
    std::vector<std::int64_t> out(in.size(), -1);
    const auto bytes = block * std::int64_t{8};
    SessionBuffer ring[] = {session.allocate(bytes), session.allocate(bytes)};
    Event read_out[2];
    Flow flow(session, control, options);
    const auto count = static_cast<std::int64_t>(in.size());
    for (std::int64_t first = 0, step = 0; first < count; first += block, ++step) {
        const auto now = std::min(block, count - first), slot = step % 2;
        const BufferSide side{ring[slot].get(), 0, now * 8};
        const auto written = flow.write(side, in.data() + first, now * 8, {1, now * 8}, {read_out[slot]});
        const auto done = flow.launch(add_one(ring[slot], now), {written});
        read_out[slot] = flow.read(side, out.data() + first, now * 8, {1, now * 8}, {done});
        flow.next_step(static_cast<double>(first) / static_cast<double>(count), "blocks");
    }
    flow.finish();
    record = flow.record();
    return out;
}

TEST_F(FlowTest, a_ring_of_buffers_gives_each_block_its_own_result)
{
    std::mt19937_64 random(1);
    for (int instance = 0; instance < 200; ++instance) {
        std::vector<std::int64_t> in(random() % 5000);
        std::iota(in.begin(), in.end(), static_cast<std::int64_t>(random() % 100));
        const auto block = static_cast<std::int64_t>(1 + random() % 900);
        if (in.size() / static_cast<std::size_t>(block) > 300) continue;
        FlowRecord record;
        FlowOptions options;
        options.lookahead = static_cast<int>(random() % 4);
        options.in_one_queue = random() % 2 == 0;
        auto expected = in;
        for (auto &value : expected) ++value;
        ASSERT_EQ(through_a_ring(session_, control_, options, in, block, record), expected);
        EXPECT_EQ(record.bytes_to_device, static_cast<std::int64_t>(in.size() * 8));
        EXPECT_EQ(record.bytes_from_device, static_cast<std::int64_t>(in.size() * 8));
        EXPECT_EQ(record.launches, (static_cast<std::int64_t>(in.size()) + block - 1) / block);
        EXPECT_LE(record.overlap_seconds, record.transfer_seconds);
        EXPECT_LE(record.transfer_seconds, record.in_seconds + record.out_seconds + 1e-12);
        EXPECT_LE(record.kernel_seconds, record.seconds);
    }
    expect_nothing_alive();
}

TEST_F(FlowTest, without_transfers_nothing_is_moved_and_all_is_computed)
{
    FlowRecord record;
    FlowOptions options;
    options.without_transfers = true;
    const std::vector<std::int64_t> in(1000, 7);
    EXPECT_EQ(through_a_ring(session_, control_, options, in, 100, record), std::vector<std::int64_t>(1000, -1));
    EXPECT_EQ(record.bytes_to_device + record.bytes_from_device, 0);
    EXPECT_EQ(record.launches, 10);
    EXPECT_FALSE(record.read_began);
}

TEST_F(FlowTest, rows_keep_their_distances)
{
    const auto buffer = session_.allocate(std::int64_t{8} * 100);
    std::vector<std::int64_t> from(60), to(60, -1);
    std::iota(from.begin(), from.end(), 0);
    Flow flow(session_, control_);
    const auto written = flow.write({buffer.get(), 16, 80}, from.data() + 3, 48, {5, 24});
    flow.read({buffer.get(), 16, 80}, to.data() + 1, 72, {5, 24}, {written});
    flow.finish();
    for (std::int64_t k = 0; k < 60; ++k) {
        const auto row = (k - 1) / 9, column = (k - 1) % 9;
        const bool inside = k >= 1 && row < 5 && column < 3;
        EXPECT_EQ(to[k], inside ? from[3 + row * 6 + column] : -1) << k;
    }
    EXPECT_EQ(numbers(buffer)[2], 3);
    EXPECT_EQ(flow.record().bytes_to_device, 120);
}

TEST_F(FlowTest, a_failed_launch_is_named_and_nothing_after_it_has_effect)
{
    std::vector<std::int64_t> to(4, -1);
    {
        const auto buffer = session_.allocate(32);
        Flow flow(session_, control_);
        const auto failed = flow.launch([](LaunchContext &) { throw std::runtime_error("the kernel broke"); });
        flow.read({buffer.get(), 0, 32}, to.data(), 32, {1, 32}, {failed});
        try {
            flow.finish();
            FAIL() << "finish succeeded";
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::device);
            EXPECT_STREQ(error.what(), "a command on host failed: the kernel broke");
        }
    }
    EXPECT_EQ(to, std::vector<std::int64_t>(4, -1));
    expect_nothing_alive();
}

TEST_F(FlowTest, the_cause_is_named_not_what_waits_for_it)
{
    const auto buffer = session_.allocate(32);
    std::vector<std::int64_t> from(4);
    Flow flow(session_, control_);
    const auto failed = flow.launch([](LaunchContext &) { throw std::runtime_error("cause"); });
    flow.write({buffer.get(), 0, 32}, from.data(), 32, {1, 32}, {failed}); // in the queue that is looked at first
    try {
        flow.finish();
        FAIL() << "finish succeeded";
    } catch (const Error &error) {
        EXPECT_STREQ(error.what(), "a command on host failed: cause");
    }
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
        FlowOptions options;
        options.lookahead = lookahead;
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

TEST_F(FlowTest, the_account_refuses_what_is_above_the_limit)
{
    const auto half = session_.allocate(session_.memory_limit() / 2);
    EXPECT_THROW((void)session_.allocate(session_.memory_limit() / 2 + 4096), Error);
    EXPECT_EQ(session_.used(), session_.memory_limit() / 2);
    auto other = session_.allocate(session_.memory_limit() / 2);
    EXPECT_EQ(session_.most_used(), session_.memory_limit());
    other.release();
    EXPECT_EQ(session_.used(), session_.memory_limit() / 2);
    EXPECT_THROW((void)session_.allocate(std::numeric_limits<std::int64_t>::max()), Error);
}

} // namespace

} // namespace hpart
