// The time in which queues see the work of others, on every kind of device.
#include "out_of_card/gemm/queue_latency.hpp"
#include "support/backends.hpp"
#include "support/known_device.hpp"

#include <gtest/gtest.h>

using namespace hpart;

namespace
{

class QueueLatencyOn : public support::OnBackend
{
  protected:
    void SetUp() override
    {
        OnBackend::SetUp();
        if (device_ && in_card_gemm_names(*session({}), Scalar::d).empty())
            GTEST_SKIP() << "there is no kernel for it here";
    }
    std::shared_ptr<DeviceSession> session(const std::vector<double> &kept,
                                           std::optional<std::int64_t> limit = {}) const
    {
        auto made = support::known_device(device_, limit);
        made->profile().keep("queue_latency", kept);
        return made;
    }
    static double measure(DeviceSession &session)
    {
        const auto kernel = in_card_gemm(session, Scalar::d);
        const GemmRates rates(Scalar::d, 1e-6, {{256, {{256, 1e-7}}}}); // any: steps are short
        return measured_queue_latency(session, *kernel, rates);
    }
};

TEST_P(QueueLatencyOn, IsMeasuredOnceWithinTheLimit)
{
    constexpr double nothing = -1;
    for (const std::int64_t limit : {std::int64_t{1} << 16, std::int64_t{1} << 28}) {
        const auto one = session({nothing}, std::max(limit, 16 * device_->info().granule_bytes));
        const auto seconds = measure(*one);
        EXPECT_GE(seconds, 0);
        EXPECT_EQ(measure(*one), seconds);
        EXPECT_LE(one->most_used(), one->memory_limit());
        EXPECT_EQ(one->used(), 0);
        const auto kept = one->profile().numbers("queue_latency")->front();
        EXPECT_TRUE(kept == seconds ||
                    (kept == nothing && limit == std::int64_t{1} << 16)); // too little for usual steps
        one->release_idle();
        EXPECT_EQ(device_->census().buffers, 0);
    }
}

TEST_P(QueueLatencyOn, IsTakenFromTheProfileUnlessItIsSpoilt)
{
    EXPECT_EQ(measure(*session({0.25})), 0.25);
    for (const auto &spoilt : {std::vector<double>{-1}, {1e9, 2}}) {
        const auto seconds = measure(*session(spoilt));
        EXPECT_GE(seconds, 0);
        EXPECT_LT(seconds, 1e9);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, QueueLatencyOn, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
