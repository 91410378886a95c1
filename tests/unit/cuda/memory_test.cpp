// Memory of the device that libraries take by themselves, and what there is too little of.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/errors.hpp"
#include "support/options.hpp"
#include "unit/fft/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

using namespace hpart;

namespace
{

using CudaMemory = fake::Test;

DeviceGroup device_of(std::optional<std::int64_t> limit) { return {{support::known_device(fake::open(), limit)}}; }

// By the device alone.
void transform(DeviceGroup &devices, const std::vector<std::int64_t> &dims, std::int64_t batch = 1)
{
    const auto problem = problem::problem_of(FftKind::complex, dims, batch);
    problem::Arrays arrays(problem);
    Report report;
    fft(devices, arrays.call(), support::options_of({{"run_on", "device"}}), report);
    EXPECT_LE(arrays.error(), 1e-14) << describe(problem);
}

// cuFFT takes 150 ms for a plan, and longer where its code is loaded anew.
TEST_F(CudaMemory, PlansOfCufftAreMadeForTheChosenPlanOnly)
{
    fake_cuda::Settings settings;
    settings.speeds.emplace();
    for (const auto &dims : {std::vector<std::int64_t>{256, 512}, {1 << 17}, {360, 300}}) {
        fake_cuda::reset(settings);
        {
            auto devices = device_of(1 << 20);
            transform(devices, dims);
            EXPECT_LE(fake_cuda::fft_plans_made(), 16);
            EXPECT_LE(fake_cuda::times().now, 0.5); // once
        }
        fake::expect_clean();
    }
}

// The chirps of lengths with large prime factors are beside the work area.
TEST_F(CudaMemory, TablesOfCufftAreCounted)
{
    fake_cuda::reset({.memory_bytes = 6 << 20, .hidden = {.fft_code = 256 << 10}});
    auto devices = device_of(std::nullopt);
    transform(devices, {10007}, 40);
    transform(devices, {2 * 6007}, 30);
    transform(devices, {211, 499});
}

TEST_F(CudaMemory, PlansOfCufftGoBeforeTheyFillTheDevice)
{
    fake_cuda::reset({.memory_bytes = 8 << 20, .hidden = {.fft_code = 256 << 10}});
    auto devices = device_of(4 << 20);
    for (const std::int64_t length : {4099, 5003, 6007, 7001, 8009, 9001, 10007, 11003, 12007, 13001}) {
        transform(devices, {length}, 12);
        EXPECT_LE(fake_cuda::used_bytes(), 6 << 20) << length;
    }
}

TEST_F(CudaMemory, AShapeThatCufftRefusesIsInNoPlan)
{
    fake_cuda::reset({.largest_fft = 1024});
    auto devices = device_of(8 << 20);
    transform(devices, {1 << 16});                      // of two shorter ones
    EXPECT_THROW(transform(devices, {2053}, 3), Error); // a prime number
}

// A product of ones. It is reported if there is no memory.
void multiply_ones(DeviceGroup &devices, std::int64_t n = 150)
{
    const std::vector<double> a(static_cast<std::size_t>(n * n), 1);
    std::vector<double> c(a.size(), std::nan(""));
    GemmCall call;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
    call.a = call.b = a.data();
    call.c = c.data();
    Report report;
    gemm(devices, call, Options(), report);
    EXPECT_TRUE(std::all_of(c.begin(), c.end(), [n](double value) { return value == static_cast<double>(n); }));
}

TEST_F(CudaMemory, CublasGetsWhatIdleBuffersHold)
{
    for (int time = 0; time < 8; ++time) { // it says so in one of two ways
        fake_cuda::reset({.memory_bytes = 64 << 20, .hidden = {.blas_handle = 30 << 20}});
        {
            DeviceSession session(fake::open(), std::nullopt);
            session.allocate(40 << 20);
            EXPECT_EQ(in_card_gemm(session, Scalar::d)->name(), "cublas");
        }
        fake::expect_clean();
    }
}

// The code is the library's own, and want of memory a guess where the code does not say so.
TEST_F(CudaMemory, ALibraryThatDoesNotStartIsNamedByItsCode)
{
    bool guessed = false;
    for (int time = 0; time < 16; ++time) {
        fake_cuda::reset({.memory_bytes = 64 << 20, .hidden = {.blas_handle = 100 << 20}});
        DeviceSession session(fake::open(), std::nullopt);
        const auto error = support::error_of([&] { in_card_gemm(session, Scalar::d); });
        const std::string says = error.what();
        EXPECT_EQ(error.status(), Status::out_of_memory) << says;
        const bool is_guess = says.find("NOT_INITIALIZED (1), perhaps for want of memory: ") != std::string::npos;
        EXPECT_NE(is_guess, says.find("ALLOC_FAILED (3)") != std::string::npos) << says;
        guessed = guessed || is_guess;
    }
    EXPECT_TRUE(guessed);
}

// A handle takes 64 MiB of some devices: the limit is of data.
TEST_F(CudaMemory, WhatCublasTakesIsNotOfTheLimit)
{
    constexpr std::int64_t handle_bytes = 64 << 20, limit = 8 << 20;
    fake_cuda::reset({.memory_bytes = 256 << 20, .hidden = {.blas_handle = handle_bytes}});
    {
        const auto before = fake_cuda::used_bytes();
        auto devices = device_of(limit);
        multiply_ones(devices, 700); // which would fill the limit
        const auto &session = *devices.sessions.front();
        EXPECT_EQ(session.memory_limit(), limit);
        EXPECT_LE(session.most_used(), limit);
        EXPECT_LE(fake_cuda::used_bytes() - before, limit + handle_bytes);
    }
    fake::expect_clean();
}

// Free memory falls while a library takes its own, but not all of it needs to be the library's: another process may take more.
TEST_F(CudaMemory, WhatOthersTakeMeanwhileIsNotCharged)
{
    constexpr std::int64_t mib = 1 << 20, most = 256 * mib;
    fake_cuda::reset({.memory_bytes = 8192 * mib, .hidden = {.blas_handle = 2048 * mib, .fft_plan = 1024 * mib}});
    {
        DeviceSession session(fake::open(), std::nullopt);
        const auto kernel = in_card_gemm(session, Scalar::d);
        EXPECT_EQ(session.memory_limit(), session.info().memory_bytes - most);
        constexpr std::int64_t limit = 16 * mib;
        auto devices = device_of(limit);
        transform(devices, {2048}, 3);
        EXPECT_EQ(devices.sessions.front()->memory_limit(), limit);
    }
    fake::expect_clean();
}

TEST_F(CudaMemory, CublasWithoutMemoryIsOutOfMemory)
{
    for (int time = 0; time < 8; ++time) {
        fake_cuda::reset({.memory_bytes = 16 << 20, .hidden = {.blas_handle = 30 << 20}});
        DeviceSession session(fake::open(), std::nullopt);
        support::expect_error(Status::out_of_memory, {}, [&] { in_card_gemm(session, Scalar::d); });
    }
}

TEST_F(CudaMemory, WhatCublasTakesLeavesRoomForProducts)
{
    fake_cuda::reset({.memory_bytes = 12 << 20, .hidden = {.blas_handle = 4 << 20}});
    auto devices = device_of(std::nullopt);
    multiply_ones(devices);
}

// Others use the device: what takes memory gets it, or not.
TEST_F(CudaMemory, RefusalsAtRandomAreGotOverOrReported)
{
    constexpr std::array<double, 4> refusals{0, 0.002, 0.02, 0.15};
    std::int64_t done = 0;
    const auto all = fake::instances(24);
    for (std::int64_t i = 0; i < all; ++i) {
        fake_cuda::reset({.refusal = refusals.at(static_cast<std::size_t>(i) % refusals.size())});
        try {
            auto devices = device_of(256 << 10);
            if (i % 2 == 0)
                transform(devices, {128, 300});
            else
                multiply_ones(devices);
            ++done;
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::out_of_memory) << error.what();
        }
        fake::expect_clean();
    }
    EXPECT_GT(done, all / 4); // without refusals, and some with them
}

// The library's workspace is a part of the limit: under the least memory it is less than now.
TEST_F(CudaMemory, TheLeastMemoryDoesNotHangOnTheLimit)
{
    fake_cuda::reset({.memory_bytes = std::int64_t{256} << 20});
    const auto run = [](std::optional<std::int64_t> limit, const char *dry_run) {
        auto devices = device_of(limit);
        constexpr std::int64_t n = 300;
        std::vector<double> a(n * n), c(a);
        GemmCall call;
        call.m = call.n = call.k = call.lda = call.ldb = call.ldc = n;
        call.a = call.b = a.data();
        call.c = c.data();
        Report report;
        gemm(devices, call, support::options_of({{"dry_run", dry_run}}), report);
        const auto *const least = report.find("least_memory");
        return least == nullptr ? 0 : std::get<std::int64_t>(*least);
    };
    const auto least = run(std::nullopt, "1");
    EXPECT_NEAR(static_cast<double>(run(1 << 20, "1")), static_cast<double>(least), 0.02 * static_cast<double>(least));
    run(least, "0");
    EXPECT_EQ(support::error_of([&] { run(least * 9 / 10, "0"); }).status(), Status::out_of_memory);
}

} // namespace
