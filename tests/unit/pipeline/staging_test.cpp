#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/pipeline/flow.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/wrapping_device.hpp"

#include "bytes.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace hpart
{

namespace
{

using support::between;

// Reads wait for a gate.
class LateReads final : public support::WrappingDevice
{
  public:
    using WrappingDevice::WrappingDevice;
    Event read(DeviceQueue &queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
               const Rectangle &rectangle, std::span<const Event> after) override
    {
        std::vector<Event> events(after.begin(), after.end());
        if (gate) events.push_back(gate);
        return WrappingDevice::read(queue, from, to, to_pitch_bytes, rectangle, events);
    }
    Event gate;
};

class StagingOn : public support::OnBackend
{
  protected:
    void TearDown() override
    {
        if (device_) support::expect_nothing_alive(*device_);
    }
};

TEST(CopyThreads, CopyAsMemcpyDoes)
{
    CopyThreads threads(3);
    const auto work = [&threads](std::uint64_t stream) {
        auto own = support::seeded(stream);
        for (std::int64_t k = 0; k < support::how_many(0.01); ++k) {
            // Rows enough for several threads, or one row of as many bytes.
            const Rectangle rectangle = k % 3 == 0 ? Rectangle{1, between(own, 1, 2000000)}
                                                   : Rectangle{between(own, 1, 300), between(own, 1, 5000)};
            const auto from_pitch = rectangle.row_bytes + between(own, 0, 100),
                       to_pitch = rectangle.row_bytes + between(own, 0, 100);
            Bytes from(static_cast<std::size_t>(rectangle.rows * from_pitch)),
                to(static_cast<std::size_t>(rectangle.rows * to_pitch));
            for (std::size_t at = 0; at < from.size(); ++at) from[at] = static_cast<std::byte>(at * 7 + at / 251);
            auto expected = to;
            copy_rows(from.data(), from_pitch, expected.data(), to_pitch, rectangle);
            threads.copy({from.data(), from_pitch, to.data(), to_pitch, rectangle});
            ASSERT_TRUE(to == expected) << rectangle.rows << " x " << rectangle.row_bytes;
        }
    };
    std::thread other([&] { work(11); });
    work(12);
    other.join();
}

// A chain of random rectangles from the host to the device and back, through chunks of a few bytes.
TEST_P(StagingOn, MovesRectanglesAsMemcpyDoes)
{
    auto random = support::seeded(13);
    const auto in = device_->make_queue(), out = device_->make_queue();
    constexpr std::int64_t size = 6000;
    for (const std::int64_t chunk_bytes :
         {std::int64_t{1}, std::int64_t{64}, std::int64_t{1000}, std::int64_t{100000}}) {
        Staging staging(*device_, {chunk_bytes, 3, 2});
        for (std::int64_t k = 0; k < support::how_many(chunk_bytes == 1 ? 0.005 : 0.04); ++k) {
            const Rectangle rectangle{between(random, 1, 9), between(random, 1, chunk_bytes == 1 ? 9 : 300)};
            const auto pitch = [&] { return rectangle.row_bytes + between(random, 0, 300); };
            const auto from_pitch = pitch(), device_pitch = pitch(), to_pitch = pitch();
            const auto from = random_bytes(random, size);
            auto to = random_bytes(random, size), expected = to;
            copy_rows(from.data(), from_pitch, expected.data(), to_pitch, rectangle);
            const auto buffer = device_->allocate(size);
            const BufferSide side{buffer.get(), between(random, 0, 100), device_pitch};
            Event written, read;
            staging.write(*in, side, from.data(), from_pitch, rectangle, {}, [&](const Event &event) {
                device_->flush(*in);
                written = event;
            });
            staging.read(*out, side, to.data(), to_pitch, rectangle, {{written}}, [&](const Event &event) {
                device_->flush(*out);
                read = event;
            });
            ASSERT_EQ(read->wait(), EventState::done);
            ASSERT_TRUE(to == expected) << rectangle.rows << " x " << rectangle.row_bytes << " by " << chunk_bytes;
            staging.settle();
        }
    }
}

// More reads than there are chunks, of what is not there yet: who gives them goes on, and so does what they wait for.
TEST_P(StagingOn, ReadsAreGivenAtOnce)
{
    auto random = support::seeded(17);
    const auto gate = device_->make_gate();
    if (!gate) GTEST_SKIP() << "there are no gates here";
    constexpr std::int64_t chunk = 64, bytes = 20 * chunk;
    const auto from = random_bytes(random, bytes);
    Bytes to(bytes);
    const auto buffer = device_->allocate(bytes);
    const auto in = device_->make_queue(), out = device_->make_queue();
    const BufferSide side{buffer.get(), 0, bytes};
    Staging staging(*device_, {chunk, 3, 2});
    std::vector<Event> reads;
    staging.read(*out, side, to.data(), bytes, {1, bytes}, {{gate}},
                 [&](const Event &event) { reads.push_back(event); });
    EXPECT_EQ(reads.size(), 20u);
    EXPECT_EQ(reads.front()->state(), EventState::pending);
    const auto written = device_->write(*in, side, from.data(), bytes, {1, bytes}, {});
    device_->flush(*in);
    EXPECT_EQ(written->wait(), EventState::done);
    device_->open_gate(gate, true);
    EXPECT_EQ(Staging::on_device(reads.back())->wait(), EventState::done);
    EXPECT_EQ(reads.back()->wait(), EventState::done);
    EXPECT_TRUE(to == from);
    staging.settle();
}

// Data that was read is sent again, nothing waits on the host: staging itself must see that the one needs the other.
TEST_P(StagingOn, SendsWhatIsStillOnItsWay)
{
    auto random = support::seeded(14);
    DeviceSession session(device_, std::int64_t{1} << 20);
    constexpr std::int64_t bytes = 50000, pitch = 100, half = 50;
    for (int k = 0; k < 20; ++k) {
        const auto source = random_bytes(random, bytes);
        Bytes middle(bytes), result(bytes);
        const auto first = session.allocate(bytes), second = session.allocate(bytes);
        Control control;
        const FlowOptions options{.staging = StagingMode::always};
        Flow flow(session, control, options);
        // The right halves of rows, then the left ones.
        for (const auto column : {half, std::int64_t{0}}) {
            const Rectangle rectangle{bytes / pitch, half};
            flow.write({first.get(), column, pitch}, source.data() + column, pitch, rectangle);
            flow.read({first.get(), column, pitch}, middle.data() + column, pitch, rectangle);
            flow.write({second.get(), column, pitch}, middle.data() + column, pitch, rectangle);
            flow.read({second.get(), column, pitch}, result.data() + column, pitch, rectangle);
        }
        flow.finish();
        ASSERT_TRUE(result == source);
        EXPECT_EQ(flow.record().staged_bytes, 4 * bytes);
        EXPECT_EQ(flow.record().bytes_to_device, 2 * bytes);
    }
}

// Pinned memory, whose wide rows are read directly and whose short rows are sent by staging, and the other way round: a write sends what a
// read that comes late has brought.
TEST_P(StagingOn, WritesWaitForReadsIntoTheSameMemory)
{
    const auto gate_is_here = device_->make_gate() != nullptr;
    if (!gate_is_here) GTEST_SKIP() << "there are no gates here";
    auto random = support::seeded(18);
    const auto held_back = std::make_shared<LateReads>(device_);
    DeviceSession session(held_back, std::int64_t{1} << 20);
    constexpr std::int64_t rows = 50, pitch = 100, half = 50, bytes = rows * pitch;
    const Rectangle wide{rows, pitch}, narrow{rows, half};
    const auto pinned = device_->allocate_pinned(bytes);
    session.pinned_ranges().add(pinned->data(), bytes);
    auto *const middle = static_cast<std::byte *>(pinned->data());
    const FlowOptions options{.staging = StagingMode::always, .shortest_direct_row = pitch};
    for (const bool reads_directly : {true, false}) {
        std::memset(middle, 0, bytes);
        const auto source = random_bytes(random, bytes);
        Bytes result(bytes);
        const auto first = session.allocate(bytes), second = session.allocate(bytes);
        const BufferSide from{first.get(), 0, pitch}, to{second.get(), 0, pitch};
        Control control;
        Flow flow(session, control, options);
        flow.write(from, source.data(), pitch, wide);
        const auto gate = device_->make_gate();
        held_back->gate = gate;
        std::thread opener([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            device_->open_gate(gate, true);
        });
        if (reads_directly) {
            flow.read(from, middle, pitch, wide);
            flow.write(to, middle, pitch, narrow);
            flow.write({second.get(), half, pitch}, middle + half, pitch, narrow);
        } else {
            flow.read(from, middle, pitch, narrow);
            flow.read({first.get(), half, pitch}, middle + half, pitch, narrow);
            flow.write(to, middle, pitch, wide);
        }
        flow.finish();
        opener.join();
        held_back->gate = nullptr;
        Flow last(session, control, options);
        last.read(to, result.data(), pitch, wide);
        last.finish();
        EXPECT_TRUE(result == source) << reads_directly;
    }
    session.pinned_ranges().remove(middle);
}

TEST_P(StagingOn, AFlowStagesWhereItShould)
{
    auto random = support::seeded(15);
    const auto data = random_bytes(random, 200000);
    for (const auto mode : {StagingMode::automatic, StagingMode::never, StagingMode::always}) {
        DeviceSession session(device_, std::int64_t{1} << 20);
        FlowRecord record;
        const FlowOptions options{.staging = mode};
        const auto result = add_one_to_all(session, data, 30000, options, record);
        EXPECT_TRUE(result == one_more(data));
        const bool staged =
            mode == StagingMode::always || (mode == StagingMode::automatic && !session.info().on_host_cores);
        EXPECT_EQ(record.staged_bytes, staged ? 400000 : 0);
        EXPECT_EQ(device_->census().pinned > 0, staged);
        EXPECT_EQ(device_->census().events, 0);
    }
}

TEST_P(StagingOn, PinnedMemoryIsNotStaged)
{
    DeviceSession session(device_, std::int64_t{1} << 20);
    constexpr std::int64_t bytes = 10000;
    const auto pinned = device_->allocate_pinned(2 * bytes);
    session.pinned_ranges().add(pinned->data(), 2 * bytes);
    auto *const data = static_cast<std::byte *>(pinned->data());
    std::memset(data, 3, bytes);
    const auto buffer = session.allocate(bytes);
    const BufferSide side{buffer.get(), 0, bytes};
    const FlowOptions options{.staging = StagingMode::always};
    for (const bool known : {true, false}) {
        Control control;
        Flow flow(session, control, options);
        flow.write(side, data, bytes, {1, bytes});
        flow.read(side, data + bytes, bytes, {1, bytes});
        flow.finish();
        EXPECT_EQ(flow.record().staged_bytes, known ? 0 : 2 * bytes);
        EXPECT_EQ(std::memcmp(data, data + bytes, bytes), 0);
        session.pinned_ranges().remove(data);
    }
}

TEST(PinnedRanges, KnowTheirBytes)
{
    PinnedRanges ranges;
    const Bytes memory(100);
    const auto *const base = memory.data();
    EXPECT_FALSE(ranges.hold(base, 1));
    ranges.add(base + 10, 20);
    ranges.add(base + 30, 5);
    EXPECT_FALSE(ranges.hold(base + 9, 1));
    EXPECT_TRUE(ranges.hold(base + 10, 20));
    EXPECT_FALSE(ranges.hold(base + 10, 21)); // two allocations
    EXPECT_TRUE(ranges.hold(base + 29, 1));
    EXPECT_TRUE(ranges.hold(base + 30, 5));
    EXPECT_FALSE(ranges.hold(base + 35, 1));
    ranges.remove(base + 10);
    EXPECT_FALSE(ranges.hold(base + 10, 1));
    EXPECT_TRUE(ranges.hold(base + 30, 1));
}

// Without pinned memory transfers go directly; with little, through fewer chunks.
TEST_P(StagingOn, DoesWithThePinnedMemoryThereIs)
{
    const auto faulty = std::make_shared<support::FaultyDevice>(device_);
    for (std::int64_t k = 1; k <= 9; ++k) {
        DeviceSession session(faulty, std::int64_t{1} << 20);
        faulty->set_fault(k, support::Fault::no_memory);
        const auto staging = Staging::of(session, StagingMode::always);
        EXPECT_EQ(faulty->has_met_fault(), k <= 8);
        faulty->set_fault(0, support::Fault::throws);
        EXPECT_EQ(staging != nullptr, k > 4);
        EXPECT_LE(staging ? staging->pinned_bytes() : 0, usual_staging_size().chunk_bytes * 8);
        const Bytes data(100000, std::byte{1});
        FlowRecord record;
        const FlowOptions options{.staging = StagingMode::always};
        EXPECT_TRUE(add_one_to_all(session, data, 30000, options, record) == one_more(data));
        EXPECT_EQ(record.staged_bytes > 0, k > 4);
    }
    DeviceSession session(faulty, std::int64_t{1} << 20);
    faulty->set_fault(1, support::Fault::throws);
    EXPECT_THROW(Staging::of(session, StagingMode::always), Error);
    faulty->set_fault(0, support::Fault::throws);
}

TEST_P(StagingOn, EachCallMayFail)
{
    const auto faulty = std::make_shared<support::FaultyDevice>(device_);
    auto random = support::seeded(16);
    const auto data = random_bytes(random, 100000);
    const FlowOptions options{.staging = StagingMode::always};
    for (const auto fault : support::all_faults) {
        bool met = true;
        for (std::int64_t k = 1; met; k += GetParam().name == "host" ? 1 : 3) {
            DeviceSession session(faulty, std::int64_t{1} << 20);
            Staging::of(session, StagingMode::always);
            faulty->set_fault(k, fault);
            try {
                FlowRecord record;
                const auto result = add_one_to_all(session, data, 30000, options, record);
                EXPECT_TRUE(result == one_more(data));
                EXPECT_TRUE(!faulty->has_met_fault() || support::FaultyDevice::may_succeed(fault)) << k;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), fault == support::Fault::no_memory ? Status::out_of_memory : Status::device)
                    << error.what();
            }
            met = faulty->has_met_fault();
            faulty->set_fault(0, fault);
            session.release_idle();
            EXPECT_EQ(faulty->census().buffers, 0) << name_of(fault) << " at call " << k;
            EXPECT_EQ(faulty->census().queues, 0);
            EXPECT_EQ(faulty->census().events, 0) << name_of(fault) << " at call " << k;
            FlowRecord record;
            if (k % 5 == 0) { // the device goes on
                EXPECT_TRUE(add_one_to_all(session, data, 30000, options, record) == one_more(data));
            }
        }
    }
}

// A forked process lacks the threads that pack.
TEST(Staging, WorksInAForkAndEndsThere)
{
    auto session = std::make_unique<DeviceSession>(make_host_device(), std::nullopt);
    const auto works = [&] {
        Control control;
        Flow flow(*session, control, {.staging = StagingMode::always});
        Bytes from(100000, std::byte{7}), to(from.size());
        const auto bytes = static_cast<std::int64_t>(from.size());
        const auto buffer = session->allocate(bytes);
        flow.write({buffer.get(), 0, bytes}, from.data(), bytes, {1, bytes});
        flow.read({buffer.get(), 0, bytes}, to.data(), bytes, {1, bytes});
        flow.finish();
        return from == to;
    };
    ASSERT_TRUE(works());
    const auto child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        alarm(60); // it would wait for ever
        const bool is_right = works();
        session.reset();
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(works());
}

TEST(Staging, OptionAndSize)
{
    Options options;
    EXPECT_EQ(staging_mode(options), StagingMode::automatic);
    options.set_text("staging", "never");
    EXPECT_EQ(staging_mode(options), StagingMode::never);
    options.set_text("staging", "always");
    EXPECT_EQ(FlowOptions::from(options).staging, StagingMode::always);
    const auto size = usual_staging_size();
    EXPECT_GE(size.chunk_bytes, 4096);
    EXPECT_GE(size.chunks, 2);
    EXPECT_LE(8 * 2 * size.chunks * size.chunk_bytes,
              DeviceSession(support::backend_cases()[0].open(), std::nullopt).info().memory_bytes);
}

INSTANTIATE_TEST_SUITE_P(Devices, StagingOn, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace

} // namespace hpart
