// Products through a CUDA device on the fake driver. unit/in_card tests those on the device.
#include "core/error.hpp"
#include "fake.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "unit/gemm/problem.hpp"

using namespace hpart;

namespace
{

using CudaGemm = fake::Test;

constexpr Scalar all_types[] = {Scalar::s, Scalar::d, Scalar::c, Scalar::z};
const CudaLibraries old_cublas{FAKE_CUDA_LIBRARY, FAKE_CUBLAS_11_LIBRARY, FAKE_CUDA_LIBRARY};

void multiply(const std::shared_ptr<Device> &device, std::optional<std::int64_t> limit, gemm_test::Problem &problem)
{
    DeviceGroup devices{{support::known_device(device, limit)}};
    Report report;
    problem.restore();
    gemm(devices, problem.call(), Options(), report);
    EXPECT_EQ(problem.check(), "") << describe(problem.form());
}

// The device's account holds the workspace that cuBLAS is given.
TEST_F(CudaGemm, CountsTheWorkspace)
{
    for (const auto type : all_types) {
        DeviceSession session(fake::open(), std::int64_t{1} << 20);
        EXPECT_EQ(session.used(), 0);
        const auto kernel = in_card_gemm(session, type);
        EXPECT_EQ(session.used(), 16 << 10);
        EXPECT_EQ(kernel->scratch_bytes(1000, 1000, 1000), 0);
    }
}

// Rates and files of another mode must not be taken for these.
TEST_F(CudaGemm, HasTheMathModeInItsName)
{
    struct Case {
        int mode;
        const char *variable; // that is 1
        std::string_view of_float, of_double;
    };
    constexpr int reduced_precision_disallowed = 16;
    for (const auto &[mode, variable, of_float, of_double] :
         {Case{0, nullptr, "", ""}, Case{1, nullptr, "", ""}, Case{2, nullptr, "pedantic", "pedantic"},
          Case{3, nullptr, "tf32", ""}, Case{4, nullptr, "fp32-emulated", ""}, Case{8, nullptr, "", "fp64-emulated"},
          Case{12, nullptr, "fp32-emulated", "fp64-emulated"}, Case{reduced_precision_disallowed, nullptr, "", ""},
          Case{3 + reduced_precision_disallowed, nullptr, "tf32", ""}, Case{0, "NVIDIA_TF32_OVERRIDE", "tf32", ""},
          Case{0, "CUBLAS_EMULATE_DOUBLE_PRECISION", "", "fp64-emulated"},
          Case{0, "CUBLAS_EMULATE_SINGLE_PRECISION", "fp32-emulated", ""}}) {
        fake_cuda::reset({.math_mode = mode});
        std::optional<support::Variable> set;
        if (variable != nullptr) set.emplace(variable, "1");
        DeviceGroup devices{{std::make_shared<DeviceSession>(fake::open(), std::nullopt)}};
        for (const auto type : all_types) {
            const auto expected = is_double(type) ? of_double : of_float;
            const auto kernel = in_card_gemm(*devices.sessions.front(), type);
            EXPECT_EQ(kernel->math_mode(), expected) << mode;
            EXPECT_EQ(kernel->name(), expected.empty() ? "cublas" : text("cublas ", expected));
            EXPECT_EQ(math_mode_of_products(devices, type), expected);
        }
    }
}

// Before CUDA 12 sides have 32 bits.
TEST_F(CudaGemm, TakesSidesAsLongAsCublasDoes)
{
    DeviceGemm what;
    what.m = what.n = what.k = 1;
    what.c.ld = std::int64_t{1} << 31;
    for (const auto type : all_types) {
        DeviceSession session(fake::open(), std::nullopt), old(make_cuda_device(0, old_cublas), std::nullopt);
        EXPECT_NO_THROW(in_card_gemm(session, type)->product(what));
        const auto kernel = in_card_gemm(old, type);
        EXPECT_EQ(kernel->largest_side(), (std::int64_t{1} << 31) - 1);
        EXPECT_THROW(kernel->product(what), Error);
    }
}

TEST_F(CudaGemm, MultipliesWhatIsLargerThanTheDevice)
{
    auto random = fake::seeded(11);
    for (std::int64_t i = 0; i < fake::instances(24) && !HasFailure(); ++i) {
        fake_cuda::reset({.refuses_pitches_on_device = i % 3 == 0,
                          .copies_pageable_later = i % 2 == 0,
                          .longest_delay_microseconds = i % 4 == 0 ? 50 : 0});
        gemm_test::Problem problem(gemm_test::any_form(random, 150), random);
        multiply(i % 5 == 0 ? make_cuda_device(0, old_cublas) : fake::open(),
                 fake::between(random, 64 << 10, 200 << 10), problem);
        fake::expect_clean();
    }
}

TEST_F(CudaGemm, MultipliesInTheHostsMemory)
{
    auto random = fake::seeded(13);
    for (std::int64_t i = 0; i < fake::instances(24) && !HasFailure(); ++i) {
        fake_cuda::reset({.integrated = true, .reads_pageable_memory = true});
        gemm_test::Problem problem(gemm_test::any_form(random, 60), random);
        multiply(fake::open(), std::nullopt, problem);
        fake::expect_clean();
    }
}

TEST_F(CudaGemm, AnyCallOrCommandMayFail)
{
    auto random = fake::seeded(12);
    auto form = gemm_test::form_of(90, 70, 80, 1);
    form.type = Scalar::z;
    gemm_test::Problem problem(form, random);
    fake::any_call_or_command_may_fail([&] { multiply(fake::open(), 100 << 10, problem); });
}

} // namespace
