// The devices with faults that other tests are made with.
#include "core/error.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/host_tasks.hpp"

#include <gtest/gtest.h>

namespace hpart
{

namespace
{

using support::Fault;
using support::FaultyDevice;

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

using FaultyDevices = support::OnBackend;

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

} // namespace

} // namespace hpart
