// Devices that fail, and callers that stop.
#include "core/error.hpp"
#include "out_of_card/fft/fft.hpp"
#include "problem.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"

#include <gtest/gtest.h>

#include <optional>

using namespace problem;
using namespace hpart;

namespace
{

struct Way {
    const char *plan;
    FftKind kind;
    std::vector<std::int64_t> dims;
    std::int64_t batch;
};

// Of few commands, but of every sort.
const std::vector<Way> ways = {{"slabs", FftKind::complex, {60, 64}, 1},
                               {"slabs", FftKind::complex, {3600}, 2},
                               {"slabs", FftKind::complex_to_real, {50, 70}, 1},
                               {"in-card", FftKind::real_to_complex, {20, 16}, 30},
                               {"hybrid", FftKind::complex, {50, 64}, 2}};
constexpr std::int64_t granules = 18; // of memory

Problem problem_of(const Way &way)
{
    Problem problem;
    problem.call.dims = way.dims;
    problem.call.kind = way.kind;
    problem.call.batch = way.batch;
    return problem;
}

class FftFaults : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "this machine has no such device";
        device_ = std::make_shared<support::FaultyDevice>(GetParam().open());
        const auto granule = std::max<std::int64_t>(4096, device_->info().granule_bytes);
        cards_.cards.push_back(std::make_shared<Card>(device_, granules * granule));
    }

    // Nothing where it succeeds and the result is right.
    std::optional<Status> run(const Way &way, const Options &options)
    {
        Arrays arrays(problem_of(way));
        Report report;
        try {
            fft(cards_, arrays.call(), options, report);
        } catch (const Error &error) {
            return error.status();
        }
        EXPECT_LE(arrays.error(), arrays.tolerance());
        EXPECT_EQ(std::get<std::string>(report.get("plan")), way.plan);
        return std::nullopt;
    }

    void expect_nothing_alive(const std::string &told)
    {
        const auto &census = device_->census();
        // Pinned memory stays with the card.
        EXPECT_EQ(census.buffers + census.queues + census.events, 0) << told;
        EXPECT_EQ(cards_.cards[0]->used(), 0) << told;
    }

    std::shared_ptr<support::FaultyDevice> device_;
    Cards cards_;
};

Options options_of(const Way &way)
{
    Options options;
    options.set_text("fft_plan", way.plan);
    return options;
}

TEST_P(FftFaults, EveryCallMayFail)
{
    auto random = seeded(4);
    for (const auto &way : ways) {
        const auto options = options_of(way);
        ASSERT_FALSE(run(way, options)); // plans and rates are there now
        for (const auto fault : support::all_faults) {
            // PoCL 3.1 ends the process at times while failures spread from event to event: it uses some it has freed.
            if (fault == support::Fault::fails_later && cards_.cards[0]->info().backend == Backend::opencl) continue;
            const auto step = std::max<std::int64_t>(1, 12000 / how_many(2000, 1));
            for (std::int64_t k = between(random, 1, step);; k += step) {
                const auto told = text(way.plan, " ", support::name_of(fault), " at call ", k);
                device_->set_fault(k, fault);
                const auto status = run(way, options);
                const bool met = device_->has_met_fault();
                device_->set_fault(0, fault);
                expect_nothing_alive(told);
                if (!met) {
                    ASSERT_FALSE(status) << told;
                    break;
                }
                if (!support::FaultyDevice::may_succeed(fault)) {
                    ASSERT_TRUE(status) << told;
                }
                if (status) {
                    ASSERT_TRUE(*status == Status::device || *status == Status::out_of_memory) << told;
                }
                ASSERT_FALSE(HasFailure());
            }
            ASSERT_FALSE(run(way, options));
        }
    }
}

TEST_P(FftFaults, Cancelled)
{
    for (const auto &way : ways) {
        auto options = options_of(way);
        ASSERT_FALSE(run(way, options));
        for (int allowed = 0; allowed < 2; ++allowed) {
            int told = 0;
            options.set_progress(
                std::make_shared<ProgressCallback>([&](double, const char *) { return told++ < allowed ? 0 : 1; }));
            const auto status = run(way, options); // progress is told at times: a short call may end before
            EXPECT_TRUE(!status || *status == Status::cancelled);
            if (allowed == 0) {
                EXPECT_EQ(status, Status::cancelled);
            }
            expect_nothing_alive(way.plan);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, FftFaults, testing::ValuesIn(support::backend_cases()),
                         [](const auto &instance) { return instance.param.name; });

} // namespace
