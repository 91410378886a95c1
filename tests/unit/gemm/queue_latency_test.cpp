// The time in which queues see the work of others, on every kind of device.
#include "out_of_card/gemm/queue_latency.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

using namespace hpart;

namespace
{

class QueueLatencyOn : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "there is no such device here";
    }
};

double measure(DeviceSession &session)
{
    const auto kernel = in_card_gemm(session, Scalar::d);
    const GemmRates rates(Scalar::d, 1e-6, {{256, {{256, 1e-8}}}}); // any: steps take about so long
    return measured_queue_latency(session, *kernel, rates);
}

TEST_P(QueueLatencyOn, IsMeasuredOnceWithinTheLimit)
{
    for (const std::int64_t limit : {std::int64_t{1} << 16, std::int64_t{1} << 28}) {
        DeviceSession session(GetParam().open(), std::max(limit, 16 * GetParam().open()->info().granule_bytes));
        if (in_card_gemm_names(session, Scalar::d).empty()) GTEST_SKIP() << "there is no kernel for it here";
        const auto seconds = measure(session);
        EXPECT_GE(seconds, 0);
        EXPECT_LT(seconds, 0.1);
        EXPECT_EQ(measure(session), seconds);
        EXPECT_LE(session.most_used(), session.memory_limit());
        EXPECT_EQ(session.used(), 0);
        const auto kept = session.profile().numbers("queue_latency");
        EXPECT_TRUE(!kept || kept->front() == seconds);
        EXPECT_TRUE(kept || limit == std::int64_t{1} << 16); // too little for usual steps
        session.release_idle();
        EXPECT_EQ(session.device().census().buffers, 0);
    }
}

TEST_P(QueueLatencyOn, IsTakenFromTheProfileUnlessItIsSpoilt)
{
    for (const auto &kept : {std::vector<double>{0.25}, {-1}, {}, {1, 2}}) {
        DeviceProfile profile;
        profile.keep("queue_latency", kept);
        DeviceSession session(GetParam().open(), std::nullopt, std::move(profile));
        if (in_card_gemm_names(session, Scalar::d).empty()) GTEST_SKIP() << "there is no kernel for it here";
        const auto seconds = measure(session);
        if (kept == std::vector<double>{0.25})
            EXPECT_EQ(seconds, 0.25);
        else
            EXPECT_LT(seconds, 0.1);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, QueueLatencyOn, testing::ValuesIn(support::backend_cases()),
                         [](const auto &backend) { return backend.param.name; });

} // namespace
