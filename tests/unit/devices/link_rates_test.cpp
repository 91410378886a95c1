#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/registry.hpp"
#include "support/backends.hpp"
#include "support/fake_clock.hpp"
#include "support/faulty_device.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace hpart
{

namespace
{

void expect_sensible(const LinkRates &rates)
{
    for (const auto rate : {rates.in_bytes_per_second, rates.out_bytes_per_second, rates.both_bytes_per_second}) {
        EXPECT_GT(rate, 1e5);
        EXPECT_LT(rate, 1e13);
    }
    EXPECT_GT(rates.copy_seconds, 0);
    EXPECT_LT(rates.copy_seconds, 0.1);
    EXPECT_GT(rates.row_seconds, 0);
    EXPECT_LT(rates.row_seconds, 0.1);
}

void expect_nothing_alive(DeviceSession &session)
{
    session.release_idle();
    support::expect_nothing_alive(session.device());
}

class LinkRatesOn : public support::OnBackend
{
  protected:
    // Copies that run on the host's cores are measured in much memory, which takes long.
    bool takes_long() const { return !support::is_long_run() && device_->info().on_host_cores; }
};

TEST_P(LinkRatesOn, AreMeasuredOnceWithinTheLimit)
{
    for (const std::int64_t limit : {std::int64_t{1} << 16, std::int64_t{1} << 26}) {
        DeviceSession session(device_, std::max(limit, 4 * device_->info().granule_bytes));
        const auto rates = measured_link(session);
        expect_sensible(rates);
        EXPECT_EQ(session.used(), 0);
        EXPECT_GT(session.most_used(), 0);
        EXPECT_LE(session.most_used(), session.memory_limit());
        EXPECT_EQ(measured_link(session).in_bytes_per_second, rates.in_bytes_per_second);
        expect_nothing_alive(session);
    }
}

TEST(LinkRates, AreNumbersWhereTheClockStandsStill)
{
    const support::FakeClock clock;
    DeviceSession session(make_host_device(), std::int64_t{1} << 16);
    const auto rates = measured_link(session);
    for (const auto rate : {rates.in_bytes_per_second, rates.out_bytes_per_second, rates.both_bytes_per_second,
                            rates.copy_seconds, rates.row_seconds})
        EXPECT_TRUE(std::isfinite(rate)) << rate;
}

TEST_P(LinkRatesOn, FailuresAreTold)
{
    if (takes_long()) GTEST_SKIP() << "in long runs";
    const auto device = std::make_shared<support::FaultyDevice>(device_);
    for (const auto fault : {support::Fault::throws, support::Fault::failed_event, support::Fault::no_memory})
        for (const std::int64_t k : {1, 2, 3, 4, 5, 7, 20, 60, 100}) {
            DeviceSession session(device, std::int64_t{1} << 18);
            device->set_fault(k, fault);
            try {
                measured_link(session);
                EXPECT_TRUE(fault == support::Fault::no_memory || !device->has_met_fault())
                    << name_of(fault) << " at call " << k;
            } catch (const Error &error) {
                EXPECT_EQ(error.status(), fault == support::Fault::no_memory ? Status::out_of_memory : Status::device);
            }
            device->set_fault(0, fault);
            EXPECT_EQ(session.used(), 0);
            expect_nothing_alive(session);
        }
}

// Both ways share the threads that pack.
TEST(LinkRates, ArePackingsWhereThatIsSlower)
{
    const LinkRates link{5e10, 4e10, 9e10, 1e-6, 1e-9};
    const auto slow = link.staged_at(2e10);
    EXPECT_EQ(slow.in_bytes_per_second, 2e10);
    EXPECT_EQ(slow.out_bytes_per_second, 2e10);
    EXPECT_EQ(slow.slowing(), 2);
    EXPECT_EQ(slow.row_seconds, 0);
    const auto fast = link.staged_at(7e10);
    EXPECT_EQ(fast.in_bytes_per_second, 5e10);
    EXPECT_EQ(fast.both_bytes_per_second, 7e10);
    EXPECT_NEAR(fast.slowing(), 9.0 / 7, 1e-12);
}

TEST(LinkRates, BothWaysShareTheLink)
{
    LinkRates link{10, 10, 20};
    EXPECT_EQ(link.busy_seconds(3, 2), 3);
    link.both_bytes_per_second = 10; // one way at a time
    EXPECT_EQ(link.busy_seconds(3, 2), 5);
    link.both_bytes_per_second = 16;
    EXPECT_NEAR(link.busy_seconds(3, 3), 2 * 3 * 10 / 16.0, 1e-12);
    EXPECT_NEAR(link.busy_seconds(3, 2), 2 * 2 * 10 / 16.0 + 1, 1e-12);
    EXPECT_NEAR(link.busy_seconds(3, 3, 0.9), 3 * 0.9 * 20 / 16, 1e-12);
    EXPECT_EQ(link.busy_seconds(3, 3, 0.8), 3); // rows take the rest of the time
    link.both_bytes_per_second = 9;             // what was measured is never exact
    EXPECT_EQ(link.busy_seconds(3, 2), 5);
    link.both_bytes_per_second = 21;
    EXPECT_EQ(link.busy_seconds(3, 2), 3);
    EXPECT_EQ(link.overlapped_seconds(4, 3, 2), 4);
    EXPECT_EQ(link.overlapped_seconds(2, 3, 2), 3);
    link.shared_units = 2;
    EXPECT_EQ(link.overlapped_seconds(2, 3, 2), 4.5);
    EXPECT_EQ(link.overlapped_seconds(0, 3, 2), 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, LinkRatesOn, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace

} // namespace hpart
