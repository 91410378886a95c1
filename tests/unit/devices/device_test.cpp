// The device's account, and the buffers that it keeps.
#include "core/error.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/faulty_device.hpp"

#include <gtest/gtest.h>

#include <future>
#include <limits>
#include <thread>

namespace hpart
{

namespace
{

class DeviceOn : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "there is no such device here";
        device_ = std::make_shared<support::FaultyDevice>(GetParam().open());
        granule_ = device_->info().granule_bytes;
    }
    std::int64_t alive() const { return device_->census().buffers; }

    std::shared_ptr<support::FaultyDevice> device_;
    std::int64_t granule_ = 1;
};

TEST_P(DeviceOn, GivesKeptBuffersToThoseOfTheSameSize)
{
    DeviceSession session(device_, 10 * granule_);
    const void *first = nullptr;
    {
        const auto buffer = session.allocate(2 * granule_);
        first = buffer.get();
        EXPECT_EQ(session.used(), 2 * granule_);
    }
    EXPECT_EQ(session.used(), 0);
    EXPECT_EQ(alive(), 1);
    const auto other = session.allocate(3 * granule_);
    EXPECT_NE(other.get(), first);
    const auto again = session.allocate(2 * granule_);
    EXPECT_EQ(again.get(), first);
    EXPECT_EQ(alive(), 2);
}

// All together never take more than the limit; what is kept goes first, and the limit fails as if nothing were kept.
TEST_P(DeviceOn, LetsKeptBuffersGoBeforeTheLimitFails)
{
    DeviceSession session(device_, 6 * granule_);
    for (const std::int64_t size : {1, 2, 3}) session.allocate(size * granule_);
    const auto kept = alive();
    EXPECT_GE(kept, 1);
    {
        const auto whole = session.allocate(6 * granule_);
        EXPECT_EQ(alive(), 1);
        EXPECT_THROW(session.allocate(1), Error);
        EXPECT_THROW(session.allocate(std::numeric_limits<std::int64_t>::max()), Error);
        EXPECT_EQ(session.used(), 6 * granule_);
    }
    EXPECT_LE(session.most_used(), 6 * granule_);
    session.release_idle();
    EXPECT_EQ(alive(), 0);
}

// A device that has no more memory gets it from what is kept.
TEST_P(DeviceOn, TriesAgainWithoutKeptBuffers)
{
    DeviceSession session(device_, 10 * granule_);
    session.allocate(2 * granule_);
    device_->set_fault(1, support::Fault::no_memory);
    EXPECT_NE(session.allocate(3 * granule_).get(), nullptr);
    EXPECT_TRUE(device_->has_met_fault());
    session.release_idle();
    EXPECT_EQ(alive(), 0);
    device_->set_fault(1, support::Fault::no_memory);
    EXPECT_THROW(session.allocate(3 * granule_), Error);
    EXPECT_EQ(session.used(), 0);
}

TEST_P(DeviceOn, KeepsNoMoreThanItSays)
{
    if (!device_->info().on_host_cores && GetParam().name != "host") GTEST_SKIP() << "much memory";
    constexpr std::int64_t size = DeviceSession::most_idle_bytes / 2 - 4096;
    for (const bool is_limited : {false, true}) {
        DeviceSession session(device_, is_limited ? std::optional(3 * DeviceSession::most_idle_bytes) : std::nullopt);
        {
            const auto one = session.allocate(size), two = session.allocate(size), three = session.allocate(size);
            EXPECT_EQ(alive(), 3);
        }
        EXPECT_EQ(alive(), is_limited ? 3 : 2);
    }
}

// A callback may use another device, but not wait for one: an operation on several would never end.
TEST(DeviceLock, OfABusyDeviceIsRefusedInACallback)
{
    DeviceInfo info;
    info.spec = "host";
    DeviceLock own(info), other(info);
    const std::lock_guard operation(own);
    const DeviceLock::Callback callback(own);
    {
        const std::lock_guard free(other);
    }
    std::promise<void> is_taken, may_end;
    std::thread busy([&] {
        const std::lock_guard lock(other);
        is_taken.set_value();
        may_end.get_future().wait();
    });
    is_taken.get_future().wait();
    support::expect_error(Status::invalid_argument, {"a callback of an operation cannot wait"}, [&] { other.lock(); });
    may_end.set_value();
    busy.join();
    support::expect_error(Status::invalid_argument, {"cannot start another one"}, [&] { own.lock(); });
}

TEST(DeviceSessionKeeps, NothingThatCouldNotBeMade)
{
    DeviceSession session(make_host_device(), std::nullopt);
    const auto fails = []() -> std::shared_ptr<int> { fail(Status::device, "no thing"); };
    support::expect_error(Status::device, {"no thing"}, [&] { session.kept<int>("thing", fails); });
    EXPECT_EQ(session.find<int>("thing"), nullptr);
    EXPECT_EQ(*session.kept<int>("thing", [] { return std::make_shared<int>(7); }), 7);
    EXPECT_EQ(*session.find<int>("thing"), 7);
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceOn, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace

} // namespace hpart
