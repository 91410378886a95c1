#include "out_of_card/in_card/gemm.hpp"
#include "product.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/wrapping_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <thread>

namespace in_card_test
{

using namespace hpart;

namespace
{

constexpr Scalar all_types[] = {Scalar::s, Scalar::d, Scalar::c, Scalar::z};

class InCardGemmTest : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "this machine has no OpenCL device";
        session_ = support::known_device(GetParam().open(), std::nullopt);
    }
    std::shared_ptr<DeviceSession> session_;
};

class CountingDevice final : public support::WrappingDevice
{
  public:
    using WrappingDevice::WrappingDevice;
    Event launch(DeviceQueue &queue, Launch launch, std::span<const Event> after) override
    {
        ++launches;
        return WrappingDevice::launch(queue, std::move(launch), after);
    }
    int launches = 0;
};

// PoCL compiles kernels that are made for GPUs for seconds, those of CLBlast for minutes.
bool is_tested_here(std::string_view name, Scalar type, const std::string &backend)
{
    if (support::is_long_run()) return true;
    return name != "clblast" &&
           (name != "tiled" || (backend == "opencl_gpu" && (type == Scalar::d || type == Scalar::c)));
}

TEST_P(InCardGemmTest, EveryKernelIsRightForEveryForm)
{
    constexpr std::int64_t largest = 140;
    const auto count = support::how_many(0.004);
    for (const auto type : all_types)
        for (const auto &name : in_card_gemm_names(*session_, type)) {
            if (!is_tested_here(name, type, GetParam().name)) continue;
            const auto kernel = in_card_gemm(*session_, type, name);
            EXPECT_EQ(kernel->name(), name);
            EXPECT_EQ(kernel->type(), type);
            auto random = support::seeded(static_cast<std::uint64_t>(type) + 1);
            for (std::int64_t instance = 0; instance < count; ++instance) {
                const auto form = any_form(random, *kernel, largest);
                Product product(form, random);
                product.run(*session_, *kernel);
                ASSERT_EQ(product.check(), "") << name << " " << describe(form);
            }
        }
    if (GetParam().name != "cuda") { // cuBLAS's workspace stays
        EXPECT_EQ(session_->used(), 0);
    }
}

// Several blocks each way, several parts of the depth.
TEST_P(InCardGemmTest, LargeProductsAreRight)
{
    for (const auto type : all_types)
        for (const auto &name : in_card_gemm_names(*session_, type)) {
            if (!is_tested_here(name, type, GetParam().name)) continue;
            const auto kernel = in_card_gemm(*session_, type, name);
            auto random = support::seeded(static_cast<std::uint64_t>(type) + 11);
            auto form = any_form(random, *kernel, 140);
            const bool tall = between(random, 0, 1) == 1;
            form.m = tall ? 603 : 9;
            form.n = tall ? 9 : 1003;
            form.k = 397;
            form.alpha = -1;
            Product product(form, random);
            product.run(*session_, *kernel);
            EXPECT_EQ(product.check(), "") << name << " " << describe(form);
        }
}

// Threads with a session and a queue each, on one device.
TEST_P(InCardGemmTest, QueuesMayShareAKernel)
{
    const auto count = support::how_many(0.004);
    for (const auto &name : in_card_gemm_names(*session_, Scalar::d)) {
        if (!is_tested_here(name, Scalar::d, GetParam().name)) continue;
        const auto kernel = in_card_gemm(*session_, Scalar::d, name);
        std::vector<Product> products[2];
        std::string forms[2];
        std::mutex turns; // cuBLAS's handle has one stream and one workspace, which one operation uses at a time
        const auto work = [&](std::uint64_t thread) {
            auto random = support::seeded(100 + thread);
            const auto session = support::known_device(std::shared_ptr<Device>(session_, &session_->device()), {});
            for (std::int64_t instance = 0; instance < count; ++instance) {
                const auto form = any_form(random, *kernel, 100);
                forms[thread] += describe(form) + "\n";
                std::unique_lock turn(turns, std::defer_lock);
                if (name == "cublas") turn.lock();
                products[thread].emplace_back(form, random).run(*session, *kernel);
            }
        };
        std::thread other(work, 1);
        work(0);
        other.join();
        for (const auto thread : {0, 1})
            for (const auto &product : products[thread])
                EXPECT_EQ(product.check(), "") << name << "\n" << forms[thread];
    }
}

// A driver may compile at a kernel's first launch: no operation is to wait for it. It leaves C alone.
TEST_P(InCardGemmTest, OurKernelsAreLaunchedWhereTheyAreMade)
{
    const auto device = std::make_shared<CountingDevice>(GetParam().open());
    DeviceSession session(device, std::nullopt);
    const auto names = in_card_gemm_names(session, Scalar::d);
    if (std::find(names.begin(), names.end(), "blocked") == names.end()) GTEST_SKIP() << "the device has none of ours";
    const auto kernel = in_card_gemm(session, Scalar::d, "blocked");
    const auto queue = session.device().make_queue();
    const auto buffer = session.allocate(sizeof(double));
    const double before = 7;
    double after = 0;
    const auto move = [&](const Event &event) { ASSERT_EQ(event->wait(), EventState::done); };
    move(device->write(*queue, {buffer.get(), 0, 8}, &before, 8, {1, 8}, {}));
    DeviceGemm what;
    what.m = what.n = what.k = 1;
    what.a = what.b = what.c = {buffer.get(), 0, 1};
    for (const auto transpose : {Transpose::none, Transpose::transpose})
        for (const int launches : {1, 0}) {
            what.transpose_b = transpose;
            device->launches = 0;
            const auto setup_before = session.setup_seconds();
            kernel->product(what);
            EXPECT_EQ(device->launches, launches);
            EXPECT_EQ(session.setup_seconds() > setup_before, launches == 1);
        }
    move(device->read(*queue, {buffer.get(), 0, 8}, &after, 8, {1, 8}, {}));
    EXPECT_EQ(after, before);
}

TEST_P(InCardGemmTest, KernelsOfOtherDevicesAreUnsupported)
{
    const auto here = in_card_gemm_names(*session_, Scalar::d);
    for (const auto *name : {"openblas", "blocked", "tiled", "clblast", "cublas"}) {
        if (std::ranges::find(here, name) != here.end()) continue;
        support::expect_error(Status::unsupported, {}, [&] { in_card_gemm(*session_, Scalar::d, name); });
    }
    for (const auto &name : here) EXPECT_NO_THROW(in_card_gemm(*session_, Scalar::d, name)) << name;
}

TEST_P(InCardGemmTest, AnUnknownKernelIsToldWithThoseThereAre)
{
    for (const auto &name : in_card_gemm_names(*session_, Scalar::d))
        support::expect_error(Status::invalid_argument, {name}, [&] { in_card_gemm(*session_, Scalar::d, "no such"); });
}

TEST_P(InCardGemmTest, EveryTilingIsRight)
{
    if (GetParam().name != "opencl_unit") GTEST_SKIP() << "the same on all OpenCL devices";
    constexpr int tilings = 6;
    const auto count = support::how_many(0.004);
    for (int tiling = support::is_long_run() ? 0 : tilings - 1; tiling < tilings; ++tiling) {
        DeviceSession session(GetParam().open(), std::nullopt);
        const auto kernel = make_tiled_gemm(session, Scalar::c, static_cast<std::size_t>(tiling));
        auto random = support::seeded(static_cast<std::uint64_t>(tiling) + 200);
        for (std::int64_t instance = 0; instance < count; ++instance) {
            auto form = any_form(random, *kernel, 70);
            form.transpose_a = form.transpose_b = tiling % 2 == 0 ? Transpose::none : Transpose::conjugate;
            Product product(form, random);
            product.run(session, *kernel);
            ASSERT_EQ(product.check(), "") << tiling << " " << describe(form);
        }
    }
}

TEST_P(InCardGemmTest, TheUsualOneIsKept)
{
    DeviceSession session(GetParam().open(), std::nullopt);
    const auto kernel = in_card_gemm(session, Scalar::z);
    EXPECT_EQ(kernel->name(), in_card_gemm_names(session, Scalar::z).front());
    EXPECT_EQ(in_card_gemm(session, Scalar::z, "auto"), kernel);
    EXPECT_EQ(in_card_gemm(session, Scalar::z, kernel->name()), kernel);
    if (GetParam().name == "cuda") return; // cuBLAS's workspace stays
    EXPECT_EQ(session.used(), 0);
    session.release_idle();
    EXPECT_EQ(session.device().census().buffers, 0);
    EXPECT_EQ(session.device().census().events, 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, InCardGemmTest, testing::ValuesIn(support::all_backend_cases()),
                         support::backend_name);

} // namespace

} // namespace in_card_test
