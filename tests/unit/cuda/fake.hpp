// The beginning and the end of all tests on the fake driver.
#pragma once

#include "core/error.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/registry.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/known_device.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace fake
{

inline const hpart::CudaLibraries libraries{FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY};

inline std::shared_ptr<hpart::Device> open(std::int64_t number = 0)
{
    return hpart::make_cuda_device(number, libraries);
}

// Nothing that CUDA leaves undefined was done, and all went back.
inline void expect_clean()
{
    for (const auto &violation : fake_cuda::violations()) ADD_FAILURE() << violation;
    EXPECT_EQ(fake_cuda::live().sum(), 0);
    EXPECT_EQ(fake_cuda::current_contexts(), 0);
    fake_cuda::reset();
}

class Test : public testing::Test
{
  protected:
    void SetUp() override { fake_cuda::reset(); }
    void TearDown() override { expect_clean(); }
};

using support::between;
using support::Random;
using support::seeded;
inline std::int64_t instances(std::int64_t usual) { return support::how_many(static_cast<double>(usual) / 2000); }

// A device on the simulated clock, which executes nothing, and pinned arrays of it.
template <typename Parameter> class OnSimulatedClock : public testing::TestWithParam<Parameter>
{
  protected:
    void TearDown() override
    {
        free_arrays();
        devices_.sessions.clear();
        expect_clean();
    }

    static void start_clock(std::int64_t memory_bytes, const fake_cuda::Speeds &speeds)
    {
        fake_cuda::Settings settings;
        settings.memory_bytes = memory_bytes;
        settings.speeds = speeds;
        settings.executes = false;
        fake_cuda::reset(settings);
    }

    hpart::DeviceSession &session() { return *devices_.sessions.front(); }

    void *pinned(std::int64_t bytes)
    {
        arrays_.push_back(session().device().allocate_pinned(bytes));
        session().pinned_ranges().add(arrays_.back()->data(), bytes);
        return arrays_.back()->data();
    }

    void free_arrays()
    {
        for (const auto &array : arrays_) session().pinned_ranges().remove(array->data());
        arrays_.clear();
    }

    // Seconds of the work and of each part of it.
    template <typename Work> static fake_cuda::Times times_of(const Work &work)
    {
        const auto before = fake_cuda::times();
        work();
        const auto after = fake_cuda::times();
        return {after.now - before.now, after.in - before.in, after.out - before.out, after.kernel - before.kernel};
    }

    // The time for which these keep the link busy.
    static double link_seconds(const fake_cuda::Times &times, const fake_cuda::Speeds &speeds)
    {
        const hpart::LinkRates link{speeds.in, speeds.out, speeds.both};
        return link.busy_seconds(times.in, times.out);
    }

    // Rates that stand for measurements, which this clock does not allow.
    static support::KnownRates known_rates(const fake_cuda::Speeds &speeds)
    {
        return {.in = speeds.in,
                .out = speeds.out,
                .both = std::min(speeds.both, speeds.in + speeds.out),
                .copy_seconds = speeds.copy,
                .product_flops = speeds.gemm,
                .product_seconds = speeds.launch};
    }

    hpart::DeviceGroup devices_;

  private:
    std::vector<std::unique_ptr<hpart::PinnedMemory>> arrays_;
};

// A failure is told, or got over with the right result; all goes back.
template <typename Run> void any_call_or_command_may_fail(const Run &run)
{
    fake_cuda::reset();
    run();
    const auto calls = fake_cuda::calls(), commands = fake_cuda::commands();
    EXPECT_GE(commands, 4);
    const auto fail_each = [&](const char *what, std::int64_t count, const auto &fail_one) {
        const std::int64_t step = support::is_long_run() ? 1 : 7;
        for (std::int64_t k = 1; k <= count && !testing::Test::HasFailure(); k += step) {
            fake_cuda::reset();
            fail_one(k);
            try {
                run();
            } catch (const hpart::Error &error) {
                EXPECT_TRUE(error.status() == hpart::Status::device || error.status() == hpart::Status::out_of_memory)
                    << error.what();
            }
            expect_clean();
            EXPECT_FALSE(testing::Test::HasFailure()) << what << " " << k;
        }
    };
    fail_each("call", calls, [](std::int64_t k) { fake_cuda::fail_call(k, k % 2 == 0 ? 2 : 719); });
    fail_each("command", commands, [](std::int64_t k) { fake_cuda::fail_command(k, 700); });
}

} // namespace fake
