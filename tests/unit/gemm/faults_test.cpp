// Products on devices one of whose calls fails.
#include "problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/known_device.hpp"

#include <gtest/gtest.h>

using namespace gemm_test;
using hpart::DeviceGroup;
using hpart::Options;
using hpart::Report;
using hpart::Status;
using support::Fault;
using support::FaultyDevice;

namespace
{

class OnFaultyDevice : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "there is no such device here";
        device_ = std::make_shared<FaultyDevice>(GetParam().open());
        devices_.sessions.push_back(support::known_device(device_, limit()));
        if (hpart::in_card_gemm_names(*devices_.sessions.front(), hpart::Scalar::d).empty())
            GTEST_SKIP() << "there is no kernel for it here";
    }

    // Little memory, but room for a few buffers.
    std::int64_t limit() const
    {
        constexpr std::int64_t fewest_buffers = 8;
        return std::max(std::int64_t{1} << 16, fewest_buffers * device_->info().granule_bytes);
    }

    // With the fault in the k-th call; whether it was met. A measurement may do without what fails.
    bool run_with(Fault fault, std::int64_t k, Problem &problem, bool measures = false)
    {
        devices_.sessions.front()->release_idle();                  // else not all is allocated anew
        const auto before = support::alive_on(*device_, !measures); // a new device's pinned staging stays with it
        problem.restore();
        Report report;
        const auto where = hpart::text(support::name_of(fault), " at call ", k, ": ");
        const bool met = device_->meets(k, fault, [&] {
            try {
                hpart::gemm(devices_, problem.call(), Options(), report);
                EXPECT_EQ(problem.check(), "") << where;
                EXPECT_TRUE(!device_->has_met_fault() || measures || FaultyDevice::may_succeed(fault)) << where;
            } catch (const hpart::Error &error) {
                const std::string what = error.what();
                EXPECT_TRUE(device_->has_met_fault()) << where << what;
                const bool kept = what.find("C is as it was") != std::string::npos;
                EXPECT_EQ(error.status(), fault == Fault::no_memory && kept ? Status::out_of_memory : Status::device)
                    << where << what;
                EXPECT_TRUE(kept || what.find("C is undefined") != std::string::npos) << where << what;
                EXPECT_TRUE(!kept || problem.unchanged()) << where << what;
            }
        });
        EXPECT_EQ(devices_.sessions.front()->used(), 0) << where;
        devices_.sessions.front()->release_idle();
        EXPECT_EQ(support::alive_on(*device_, !measures), before) << where;
        return met;
    }

    std::shared_ptr<FaultyDevice> device_;
    DeviceGroup devices_;
};

TEST_P(OnFaultyDevice, every_call_may_fail)
{
    auto random = support::seeded(41);
    Problem problem(form_of(90, 70, 80, 0.5), random);
    Report report;
    hpart::gemm(devices_, problem.call(), Options(), report); // what is kept with the device
    for (const auto fault : support::all_faults) {
        std::int64_t k = 1;
        while (run_with(fault, k, problem)) k += fault == Fault::late ? 7 : 1;
        EXPECT_GT(k, 10);
        problem.restore();
        hpart::gemm(devices_, problem.call(), Options(), report);
        EXPECT_EQ(problem.check(), "") << "after " << support::name_of(fault);
    }
}

TEST_P(OnFaultyDevice, the_first_call_may_fail)
{
    auto random = support::seeded(42);
    Problem problem(form_of(60, 60, 60), random);
    const bool measures = support::is_long_run(); // every so many of very many calls
    for (std::int64_t k = 1;; k += measures ? 29 : 1) {
        devices_.sessions = {support::known_device(device_, limit())};
        if (measures) devices_.sessions = {std::make_shared<hpart::DeviceSession>(device_, limit())};
        if (!run_with(Fault::failed_event, k, problem, true) || HasFailure()) break;
    }
    devices_.sessions.clear();
    support::expect_nothing_alive(*device_); // when the sessions have gone
}

TEST_P(OnFaultyDevice, less_memory_than_it_tells)
{
    auto random = support::seeded(43);
    Problem problem(form_of(90, 70, 80), random);
    Report report;
    hpart::gemm(devices_, problem.call(), Options(), report);
    problem.restore();
    device_->set_fault(1, Fault::no_memory);
    hpart::gemm(devices_, problem.call(), Options(), report);
    EXPECT_TRUE(device_->has_met_fault());
    EXPECT_EQ(std::get<std::int64_t>(report.get("memory_retries")), 1);
    EXPECT_EQ(problem.check(), "");
}

INSTANTIATE_TEST_SUITE_P(Devices, OnFaultyDevice, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
