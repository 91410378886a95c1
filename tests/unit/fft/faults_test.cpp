// Devices that fail, and callers that stop.
#include "core/error.hpp"
#include "out_of_card/fft/fft.hpp"
#include "problem.hpp"
#include "support/backends.hpp"
#include "support/faulty_device.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>

using namespace problem;
using namespace hpart;

namespace
{

struct Way {
    const char *plan;
    Problem problem;
};

// Transforms of few commands, but of every sort.
const std::vector<Way> ways = {{"slabs", problem_of(FftKind::complex, {60, 64})},
                               {"slabs", problem_of(FftKind::complex, {3600}, 2)},
                               {"slabs", problem_of(FftKind::complex_to_real, {50, 70})},
                               {"in-card", problem_of(FftKind::real_to_complex, {20, 16}, 30)},
                               {"slabs", problem_of(FftKind::complex, {12, 20, 16}, 1, true)},
                               {"slabs", problem_of(FftKind::real_to_complex, {70, 60}, 1, true)}};
constexpr std::int64_t granules = 18; // of memory

class FftFaults : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "this machine has no such device";
        if (GetParam().is_alone && !support::is_long_run())
            GTEST_SKIP() << "PoCL compiles VkFFT's kernels for each shape, which takes seconds";
        device_ = std::make_shared<support::FaultyDevice>(GetParam().open());
        const auto granule = std::max<std::int64_t>(4096, device_->info().granule_bytes);
        devices_.sessions.push_back(support::known_device(device_, granules * granule));
    }

    // Nothing where it succeeds and the result is right.
    std::optional<Status> run(const Way &way, const Options &options)
    {
        static std::map<const Way *, Arrays> prepared; // their results take long
        auto arrays = prepared.try_emplace(&way, way.problem).first->second;
        Report report;
        try {
            fft(devices_, arrays.call(), options, report);
        } catch (const Error &error) {
            const std::string message = error.what();
            if (error.status() == Status::cancelled) {
                EXPECT_TRUE(message.ends_with("; out is undefined") || message.ends_with("; out is as it was"))
                    << message;
            }
            return error.status();
        }
        EXPECT_LE(arrays.error(), arrays.tolerance());
        EXPECT_EQ(std::get<std::string>(report.get("plan")), way.plan);
        return std::nullopt;
    }

    void expect_nothing_alive(const std::string &told)
    {
        for (const auto &session : devices_.sessions) session->release_idle();
        for (const auto &session : devices_.sessions) {
            EXPECT_EQ(support::alive_on(session->device()), support::Alive{}) << told; // but for pinned memory
            EXPECT_EQ(session->used(), 0) << told;
        }
    }

    // At every so many calls, until a run meets no fault any more.
    void at_calls(Random &random, const Way &way, const Options &options, support::Fault fault)
    {
        const auto step = std::max<std::int64_t>(1, 30000 / how_many(1));
        bool met = true;
        for (std::int64_t k = between(random, 1, step); met && !HasFailure(); k += step) {
            const auto told = text(way.plan, " ", support::name_of(fault), " at call ", k);
            std::optional<Status> status;
            met = device_->meets(k, fault, [&] { status = run(way, options); });
            expect_nothing_alive(told);
            if (!met || !support::FaultyDevice::may_succeed(fault)) {
                EXPECT_EQ(status.has_value(), met) << told;
            }
            if (status) {
                EXPECT_TRUE(*status == Status::device || *status == Status::out_of_memory) << told;
            }
        }
        ASSERT_FALSE(run(way, options));
    }

    std::shared_ptr<support::FaultyDevice> device_;
    DeviceGroup devices_;
};

TEST_P(FftFaults, EveryCallMayFail)
{
    auto random = seeded(4);
    for (const auto &way : ways) {
        const auto options = support::options_of({{"fft_plan", way.plan}});
        ASSERT_FALSE(run(way, options)); // plans and rates are there now
        for (const auto fault : support::all_faults) at_calls(random, way, options, fault);
        ASSERT_FALSE(HasFailure());
    }
}

TEST_P(FftFaults, Cancelled)
{
    for (const auto &way : ways) {
        auto options = support::options_of({{"fft_plan", way.plan}});
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

// Two devices of a kind, one of which fails: the other does not wait for it for ever.
TEST_P(FftFaults, OneOfTwoDevicesFails)
{
    const auto granule = std::max<std::int64_t>(4096, device_->info().granule_bytes);
    devices_.sessions.push_back(support::known_device(GetParam().open(), granules * granule));
    static const std::vector<Way> shared = {{"shares", problem_of(FftKind::complex, {60, 64}, 2)},
                                            {"shares", problem_of(FftKind::complex, {3600})},
                                            {"shares", problem_of(FftKind::complex, {12, 20, 16}, 1, true)},
                                            {"shares", problem_of(FftKind::real_to_complex, {20, 16}, 30)}};
    auto random = seeded(7);
    for (const auto &way : shared) {
        ASSERT_FALSE(run(way, {}));
        for (const auto fault : {support::Fault::throws, support::Fault::failed_event, support::Fault::gone})
            at_calls(random, way, {}, fault);
        ASSERT_FALSE(HasFailure());
    }
}

// Backward, a real line is folded in the caller's array: not before its transform has all memory that it needs.
TEST_P(FftFaults, ALineIsNotChangedWhereMemoryEnds)
{
    const auto granule = std::max<std::int64_t>(4096, device_->info().granule_bytes);
    const auto options = support::options_of({{"run_on", "device"}});
    constexpr std::int64_t n = 1 << 14;
    for (const std::size_t devices : {1, 2})
        for (const bool in_place : {false, true}) {
            if (devices_.sessions.size() < devices)
                devices_.sessions.push_back(support::known_device(device_, granules * granule));
            const Arrays prepared(problem_of(FftKind::complex_to_real, {n}, 1, in_place));
            for (std::int64_t k = 1;; ++k) {
                for (const auto &session : devices_.sessions) session->release_idle(); // all is allocated anew
                auto arrays = prepared;
                const auto call = arrays.call();
                const auto *const out = static_cast<const unsigned char *>(call.out);
                const std::vector<unsigned char> before(out, out + n * sizeof(double));
                Report report;
                std::string says;
                const bool met = device_->meets(k, support::Fault::full, [&] {
                    try {
                        fft(devices_, call, options, report);
                    } catch (const Error &error) {
                        says = error.what();
                        EXPECT_EQ(error.status(), Status::out_of_memory) << says;
                    }
                });
                expect_nothing_alive(says);
                const auto told = text(devices, " devices, memory ends at call ", k, ": ", says);
                if (says.empty()) {
                    EXPECT_LE(arrays.error(), arrays.tolerance()) << told;
                } else {
                    EXPECT_TRUE(std::equal(before.begin(), before.end(), out)) << told;
                }
                ASSERT_FALSE(HasFailure());
                if (!met) break;
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Devices, FftFaults, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
