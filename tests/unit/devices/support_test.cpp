// The devices that other tests are made with.
#include "core/error.hpp"
#include "out_of_card/pipeline/intervals.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/host_tasks.hpp"
#include "support/slow_link_device.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace hpart
{

namespace
{

using support::Fault;
using support::FaultyDevice;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Adds one to a byte on the device; Status::success when all of it went well.
Status add_one_on(Device &device, std::byte &byte)
{
    std::byte result{}; // stays until the queues have ended
    try {
        const auto buffer = device.allocate(1);
        const auto in = device.make_queue(), out = device.make_queue();
        const BufferSide side{buffer.get(), 0, 1};
        const auto add_one = [](auto memories) {
            memories[0][0] = static_cast<std::byte>(static_cast<int>(memories[0][0]) + 1);
        };
        const auto written = device.write(*in, side, &byte, 1, {1, 1}, {});
        device.flush(*in);
        const auto added = device.launch(*in, support::host_task(device, add_one, {buffer.get()}), {{written}});
        device.flush(*in);
        const auto read = device.read(*out, side, &result, 1, {1, 1}, {{added}});
        device.flush(*out);
        bool failed = false;
        for (const auto &event : {written, added, read}) failed = event->wait() == EventState::failed || failed;
        if (failed) return Status::device;
        byte = result;
        return Status::success;
    } catch (const Error &error) {
        return error.status();
    }
}

class FaultyDevices : public support::OnBackend
{
};

TEST_P(FaultyDevices, EachCallCanFail)
{
    FaultyDevice device(device_);
    device.set_fault(0, Fault::throws);
    std::byte byte{};
    ASSERT_EQ(add_one_on(device, byte), Status::success);
    const auto calls = device.calls();
    EXPECT_EQ(calls, 9);
    for (const auto fault : support::all_faults)
        for (std::int64_t k = 1; k <= calls + 1; ++k) {
            byte = std::byte{41};
            device.set_fault(k, fault);
            const auto status = add_one_on(device, byte);
            const bool succeeds = k > calls || fault == Fault::late;
            const auto expected = succeeds                    ? Status::success
                                  : fault == Fault::no_memory ? Status::out_of_memory
                                                              : Status::device;
            EXPECT_EQ(status, expected) << name_of(fault) << " at call " << k;
            EXPECT_EQ(byte, succeeds ? std::byte{42} : std::byte{41}) << name_of(fault) << " at call " << k;
            EXPECT_EQ(device.has_met_fault(), k <= calls);
            device.set_fault(0, fault);
            support::expect_nothing_alive(device);
        }
    byte = std::byte{1};
    EXPECT_EQ(add_one_on(device, byte), Status::success);
    EXPECT_EQ(byte, std::byte{2});
}

INSTANTIATE_TEST_SUITE_P(Devices, FaultyDevices, testing::ValuesIn(support::backend_cases()), support::backend_name);

class SlowLink : public support::OnBackend
{
};

constexpr std::int64_t bytes = 200000;
constexpr double rate = 1e8; // 2 ms a transfer

// Writes and reads at once, `count` each.
void expect_both_ways_take_their_time(Device &device, int count, bool half_duplex)
{
    const auto first = device.allocate(bytes), second = device.allocate(bytes);
    const auto in = device.make_queue(), out = device.make_queue();
    std::vector<std::byte> from(bytes, std::byte{9}), to(bytes);
    std::vector<Event> writes, reads;
    const auto start = Clock::now();
    for (int k = 0; k < count; ++k) {
        writes.push_back(device.write(*in, {first.get(), 0, bytes}, from.data(), bytes, {1, bytes}, {}));
        reads.push_back(device.read(*out, {second.get(), 0, bytes}, to.data(), bytes, {1, bytes}, {}));
        device.flush(*in);
        device.flush(*out);
    }
    IntervalUnion inwards, outwards;
    for (const auto &event : writes) EXPECT_EQ(event->wait(), EventState::done);
    for (const auto &event : reads) EXPECT_EQ(event->wait(), EventState::done);
    const auto seconds = seconds_since(start);
    for (const auto &event : writes) inwards.add(event->interval());
    for (const auto &event : reads) outwards.add(event->interval());
    const double one_way = count * bytes / rate;
    EXPECT_NEAR(inwards.seconds(), one_way, 1e-6);
    EXPECT_NEAR(outwards.seconds(), one_way, 1e-6);
    if (half_duplex) {
        EXPECT_NEAR(common_seconds(inwards, outwards), 0, 1e-6);
    } else {
        EXPECT_GT(common_seconds(inwards, outwards), 0);
    }
    EXPECT_GE(seconds, united(inwards, outwards).seconds() - 1e-6);
}

TEST_P(SlowLink, TakesTheTimeOfTheBytes)
{
    for (const bool half_duplex : {false, true}) {
        support::SlowLinkDevice device(device_, {rate, rate, half_duplex});
        expect_both_ways_take_their_time(device, 10, half_duplex);
        support::expect_nothing_alive(device);
    }
}

// A kernel behind a transfer begins when the transfer is over, also where the queue alone says so.
TEST_P(SlowLink, KernelsWaitForTheLink)
{
    support::SlowLinkDevice device(device_, {rate, rate, false});
    const auto buffer = device.allocate(bytes);
    const auto queue = device.make_queue();
    const std::vector<std::byte> from(bytes);
    Clock::time_point ran;
    const auto start = Clock::now();
    device.write(*queue, {buffer.get(), 0, bytes}, from.data(), bytes, {1, bytes}, {});
    const auto kernel = device.launch(*queue, support::host_task(device, [&](auto) { ran = Clock::now(); }), {});
    device.flush(*queue);
    EXPECT_EQ(kernel->wait(), EventState::done);
    EXPECT_GE(std::chrono::duration<double>(ran - start).count(), 0.999 * bytes / rate);
}

INSTANTIATE_TEST_SUITE_P(Devices, SlowLink, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace

} // namespace hpart
