// Differences between GPUs and PoCL's device, which the shim makes look like one.
#include "unit/factorisations/backends.hpp"
#include "unit/fft/problem.hpp"
#include "unit/gemm/problem.hpp"
#include "unit/in_card/product.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/devices/opencl_event.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"
#include "support/opencl_shim/opencl_shim.hpp"
#include "support/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>
#include <string_view>
#include <thread>

#ifdef HPART_HAVE_CLBLAST
#include <clblast_c.h>
#endif

using namespace hpart;
using opencl_shim::BarrierTimes;
using opencl_shim::Dependents;
using support::options_of;

namespace
{

constexpr std::int64_t megabyte = std::int64_t{1} << 20;

class OnGpu : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (list_opencl_devices().empty()) GTEST_SKIP() << "this machine has no OpenCL device";
    }
    void TearDown() override { opencl_shim::set({}); }

    static std::shared_ptr<Device> open(opencl_shim::Settings settings)
    {
        settings.is_gpu = true;
        opencl_shim::set(settings);
        return make_opencl_device("opencl:0:0");
    }
    static void count_anew()
    {
        opencl_shim::Settings gpu;
        gpu.is_gpu = true;
        opencl_shim::set(gpu);
    }
    static DeviceGroup devices_of(const std::shared_ptr<Device> &device, std::optional<std::int64_t> limit)
    {
        return {{support::known_device(device, limit)}};
    }
};

template <typename Value> Value value_of(const Report &report, const char *key)
{
    return std::get<Value>(report.get(key));
}

// False if hpart refuses the driver's transforms, as PoCL 7.1's in double precision.
template <typename Run> bool is_accepted(const Run &run)
{
    try {
        run();
        return true;
    } catch (const Error &error) {
        if (std::string_view(error.what()).find("computes wrong transforms") == std::string_view::npos) throw;
        return false;
    }
}

void expect_sensible_times(const Report &report)
{
    const auto seconds = value_of<double>(report, "seconds"), kernels = value_of<double>(report, "kernel_seconds"),
               transfers = value_of<double>(report, "transfer_seconds");
    EXPECT_GT(kernels, 0);
    EXPECT_LE(kernels, seconds);
    EXPECT_GT(transfers, 0);
    EXPECT_LE(transfers, seconds);
}

TEST_F(OnGpu, HasMemoryOfItsOwn)
{
    const auto device = open({.memory_bytes = 1024 * megabyte});
    const auto &info = device->info();
    EXPECT_FALSE(info.on_host_cores);
    EXPECT_FALSE(info.shares_host_memory);
    EXPECT_EQ(info.memory_bytes, 960 * megabyte); // the driver needs some
    EXPECT_EQ(info.largest_buffer_bytes, 256 * megabyte);
}

TEST_F(OnGpu, ADriverThatEndsLoopsEarlyIsRefused)
{
    // A device that is opened again, too.
    for (int time = 0; time < 2; ++time)
        support::expect_error(Status::device,
                              {"opencl:0:0 cannot be used: its driver (",
                               "ends a kernel's loops after 65535 turns, so that results would be wrong"},
                              [] { open({.loop_turns = 65535}); });
    EXPECT_NE(open({}), nullptr);
}

TEST_F(OnGpu, LaunchesHaveTimesWhereBarriersHaveNone)
{
    for (const auto barriers : {BarrierTimes::known, BarrierTimes::zero, BarrierTimes::refused}) {
        const auto device = open({.barriers = barriers});
        const auto queue = device->make_queue();
        const auto buffer = device->allocate(megabyte);
        std::vector<char> data(megabyte);
        const auto write = [&] {
            return device->write(*queue, {buffer.get(), 0, megabyte}, data.data(), megabyte, {1, megabyte}, {});
        };
        // As VkFFT does it: without events of its own.
        const auto launch = [&](LaunchContext &context) {
            const char zero = 0;
            check_cl(clEnqueueFillBuffer(opencl_queue(context), opencl_native(*buffer), &zero, 1, 0, megabyte, 0,
                                         nullptr, nullptr),
                     "clEnqueueFillBuffer");
        };
        const auto before = write(), launched = device->launch(*queue, launch, {}), after = write();
        ASSERT_EQ(after->wait(), EventState::done);
        EXPECT_GT(before->interval().start, 0);
        EXPECT_GE(launched->interval().start, before->interval().end);
        EXPECT_GE(launched->interval().end, launched->interval().start);
        EXPECT_GE(after->interval().start, launched->interval().end);
    }
}

TEST_F(OnGpu, ReportsHaveSensibleTimesWhereBarriersHaveNone)
{
    auto random = support::seeded(51);
    for (const auto barriers : {BarrierTimes::zero, BarrierTimes::refused}) {
        const auto device = open({.barriers = barriers});
        auto devices = devices_of(device, 2 * megabyte);
        for (const auto &kernel : in_card_gemm_names(*devices.sessions.front(), Scalar::d)) {
            gemm_test::Problem problem(gemm_test::form_of(401, 402, 403, 1), random);
            Report report;
            gemm(devices, problem.call(), options_of({{"kernel", kernel}}), report);
            EXPECT_EQ(problem.check(), "");
            expect_sensible_times(report);
        }
        if (in_card_fft_names(*devices.sessions.front()).empty()) continue;
        std::vector<std::complex<double>> data(512 * 512);
        FftCall call;
        call.dims = {512, 512};
        call.in = call.out = data.data();
        Report report;
        if (is_accepted([&] { fft(devices, call, options_of({{"run_on", "device"}}), report); }))
            expect_sensible_times(report);
    }
}

TEST_F(OnGpu, TimesThatDoNotDifferAreUnknown)
{
    auto random = support::seeded(56);
    const auto device = open({.constant_times = true});
    auto devices = devices_of(device, 2 * megabyte);
    gemm_test::Problem problem(gemm_test::form_of(401, 402, 403, 1), random);
    Report report;
    gemm(devices, problem.call(), options_of({{"kernel", "tiled"}}), report);
    EXPECT_EQ(problem.check(), "");
    for (const auto *key : {"kernel_seconds", "transfer_seconds", "overlap"})
        EXPECT_EQ(value_of<double>(report, key), 0) << key;
}

// The first byte of an array, which the driver may send after the call that writes it.
TEST_F(OnGpu, ArraysAreWrittenBeforeTheyAreUsed)
{
    const auto device = open({.late_writes = true});
    const auto queue = device->make_queue();
    for (int k = 0; k < 100; ++k) {
        const auto buffer = device->allocate(2);
        const std::array<char, 2> data = {1, 2};
        std::array<char, 2> result{};
        ASSERT_EQ(device->write(*queue, {buffer.get(), 0, 2}, data.data(), 2, {1, 2}, {})->wait(), EventState::done);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ASSERT_EQ(device->read(*queue, {buffer.get(), 0, 2}, result.data(), 2, {1, 2}, {})->wait(), EventState::done);
        ASSERT_EQ(result, data) << "array " << k;
    }
}

TEST_F(OnGpu, ArraysWhoseMemoryIsMissingLaterAreRefused)
{
    const auto device = open({.late_writes = true, .usable_bytes = megabyte});
    const auto first = device->allocate(megabyte / 2);
    support::expect_error(Status::out_of_memory, {"CL_OUT_OF_RESOURCES (-5)"}, [&] { device->allocate(megabyte); });
}

// A driver that reports commands whose wait list failed as complete, and to those who wait for them too or not.
TEST_F(OnGpu, CommandsAfterAFailedOneFailWhateverTheDriverReports)
{
    for (const auto dependents : {Dependents::failed, Dependents::complete, Dependents::silent}) {
        const auto device = open({.dependents = dependents});
        const auto queue = device->make_queue(), other = device->make_queue();
        const auto buffer = device->allocate(8);
        const BufferSide side{buffer.get(), 0, 8};
        const std::array<char, 8> before = {1, 2}, never = {3, 4};
        std::array<char, 8> result = {5, 6}, untouched = {7, 8};
        ASSERT_EQ(device->write(*queue, side, before.data(), 8, {1, 8}, {})->wait(), EventState::done);
        const auto gate = device->make_gate();
        const auto first = device->write(*queue, side, never.data(), 8, {1, 8}, {{gate}});
        const auto second = device->read(*other, side, untouched.data(), 8, {1, 8}, {{first}});
        device->flush(*queue);
        device->flush(*other);
        EXPECT_EQ(second->state(), EventState::pending);
        device->open_gate(gate, false);
        EXPECT_EQ(second->wait(), EventState::failed); // the last one first
        EXPECT_EQ(first->wait(), EventState::failed);
        const auto late = device->read(*queue, side, untouched.data(), 8, {1, 8}, {{second}});
        EXPECT_EQ(late->wait(), EventState::failed);
        EXPECT_EQ(untouched, (std::array<char, 8>{7, 8}));
        EXPECT_EQ(device->read(*other, side, result.data(), 8, {1, 8}, {})->wait(), EventState::done);
        EXPECT_EQ(result, before);
    }
}

// A failure that clWaitForEvents alone reports, of a command that waits for nothing of ours.
TEST_F(OnGpu, AFailureThatOnlyAWaitReportsIsAFailure)
{
    const auto device = open({.dependents = Dependents::complete});
    const auto native = opencl_native(*device);
    cl_int status = CL_SUCCESS;
    const auto state = std::make_shared<OpenClState>();
    state->context = ClContext(clCreateContext(nullptr, 1, &native.device, nullptr, nullptr, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    const ClQueue queue(clCreateCommandQueue(state->context.get(), native.device, 0, &status));
    ASSERT_EQ(status, CL_SUCCESS);
    auto *const gate = clCreateUserEvent(state->context.get(), &status);
    const ClEvent gate_owner(gate);
    cl_event marker = nullptr;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue.get(), 1, &gate, &marker), CL_SUCCESS);
    const OpenClEvent event(state, ClEvent(), false, ClEvent(marker));
    ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
    EXPECT_EQ(event.wait(), EventState::failed);
}

TEST_F(OnGpu, LessMemoryThanToldIsMetWithSmallerTiles)
{
    auto random = support::seeded(52);
    for (const int failure : {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE}) {
        const auto device = open({.late_writes = failure == CL_OUT_OF_RESOURCES,
                                  .memory_bytes = 4 * megabyte,
                                  .usable_bytes = 11 * megabyte / 4,
                                  .failure = failure});
        auto devices = devices_of(device, std::nullopt);
        gemm_test::Problem problem(gemm_test::form_of(500, 500, 500, 1), random);
        Report report;
        // The plan fills the memory, whatever is measured.
        const auto options = options_of({{"kernel", "tiled"}, {"plan", "hclooc"}});
        gemm(devices, problem.call(), options, report);
        EXPECT_EQ(problem.check(), "");
        EXPECT_GE(value_of<std::int64_t>(report, "memory_retries"), 1);
    }
}

TEST_F(OnGpu, LessMemoryThanToldIsMetByTransforms)
{
    auto devices = devices_of(open({.memory_bytes = 4 * megabyte, .usable_bytes = 2 * megabyte}), std::nullopt);
    problem::Arrays arrays(problem::problem_of(FftKind::complex, {512, 512}, 1, true));
    Report report;
    if (!is_accepted([&] {
            fft(devices, arrays.call(), options_of({{"fft_plan", "slabs"}, {"run_on", "device"}}), report);
        }))
        GTEST_SKIP() << "VkFFT and this driver do not work together in double precision";
    EXPECT_LE(arrays.error(), 1e-12);
    EXPECT_GE(value_of<std::int64_t>(report, "memory_retries"), 1);
}

TEST_F(OnGpu, LessMemoryThanToldIsMetByFactorisations)
{
    const auto factor = [](DeviceGroup devices, const Options &options) {
        auto a = factor_test::a_matrix(600);
        const auto outcome = factor_test::factor_lu(devices, options, a).outcome;
        EXPECT_EQ(outcome.status, Status::success) << outcome.message;
        return a.dense();
    };
    const auto expected = factor(devices_of(make_host_device(), std::nullopt), Options());
    const auto device = open({.memory_bytes = 4 * megabyte, .usable_bytes = 2 * megabyte});
    const auto result = factor(devices_of(device, std::nullopt), options_of({{"kernel", "tiled"}}));
    EXPECT_LE(factor_test::norm(factor_test::sum(result, -1, expected)), 1e-8);
}

// One message, whatever the operation and its size.
TEST_F(OnGpu, NoDoublePrecisionIsNamed)
{
    const auto word = "opencl:0:0 has no double precision; take single precision or another device";
    auto random = support::seeded(55);
    auto devices = devices_of(open({.no_double = true}), megabyte);
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z}) {
        auto form = gemm_test::form_of(40, 30, 20, 1);
        form.type = type;
        gemm_test::Problem problem(form, random);
        Report report;
        const auto multiply = [&] { gemm(devices, problem.call(), options_of({{"kernel", "tiled"}}), report); };
        if (is_double(type)) {
            support::expect_error(Status::unsupported, {word}, multiply);
            EXPECT_TRUE(problem.unchanged());
        } else {
            multiply();
            EXPECT_EQ(problem.check(), "");
        }
    }
    for (const auto &operation : factor_test::operations())
        for (const std::int64_t n : {2, 300}) {
            auto a = factor_test::a_matrix(n), b = a;
            const auto outcome = factor_test::run(
                devices, Options(), [&](auto &on, auto &with, auto &report) { operation.run(on, with, a, b, report); });
            EXPECT_EQ(outcome.status, Status::unsupported) << operation.name;
            EXPECT_EQ(outcome.message, word) << operation.name;
        }
    for (const bool is_double : {false, true}) {
        auto wanted = problem::problem_of(FftKind::complex, {32, 32});
        wanted.call.is_double = is_double;
        problem::Arrays arrays(wanted);
        Report report;
        const auto transform = [&] { fft(devices, arrays.call(), options_of({{"run_on", "device"}}), report); };
        if (is_double) {
            support::expect_error(Status::unsupported, {word}, transform);
            fft(devices, arrays.call(), Options(), report); // on the host
            EXPECT_EQ(value_of<std::string>(report, "on_host"), std::string("all: ") + word);
        } else if (in_card_fft_names(*devices.sessions.front()).empty()) {
            continue;
        } else {
            transform();
        }
        EXPECT_LE(arrays.error(), arrays.tolerance());
    }
}

TEST_F(OnGpu, PinnedMemoryAboveTheLargestAllocationIsPlain)
{
    const auto device = open({.memory_bytes = 64 * megabyte});
    EXPECT_TRUE(device->allocate_pinned(16 * megabyte)->is_pinned());
    const auto large = device->allocate_pinned(17 * megabyte);
    EXPECT_FALSE(large->is_pinned());
    static_cast<char *>(large->data())[17 * megabyte - 1] = 1;
    EXPECT_THROW(device->allocate_pinned(std::int64_t{1} << 62), Error);
}

#ifdef HPART_HAVE_CLBLAST
// In products of any size that is no multiple of its tiles, it copies all three operands.
void make_clblast_copy(Device &device)
{
    const char *parameter = "XGEMM_MIN_INDIRECT_SIZE";
    const std::size_t any_size = 1;
    ASSERT_EQ(CLBlastOverrideParameters(opencl_native(device).device, "GemmRoutine", CLBlastPrecisionDouble, 1,
                                        &parameter, &any_size),
              CLBlastSuccess);
}

TEST_F(OnGpu, ProductsOfClBlastTakeNoMoreMemoryThanThePlan)
{
    if (!support::is_long_run()) GTEST_SKIP() << "PoCL compiles its kernels for half a minute";
    auto random = support::seeded(53);
    const auto device = open({});
    make_clblast_copy(*device);
    const auto options = options_of({{"kernel", "clblast"}, {"tile", "101x103x105"}});
    gemm_test::Problem problem(gemm_test::form_of(101, 103, 12 * 105, 1), random);
    std::int64_t limit = 64 * megabyte;
    for (int run = 0; run < 2; ++run) {
        auto devices = devices_of(device, limit);
        Report report;
        problem.restore();
        count_anew();
        gemm(devices, problem.call(), options, report);
        EXPECT_EQ(problem.check(), "");
        EXPECT_LE(opencl_shim::seen().most_device_bytes, limit);
        limit = value_of<std::int64_t>(report, "device_bytes"); // no more is needed
    }
}

TEST_F(OnGpu, FactorisationsWithClBlastTakeNoMoreMemoryThanTheyMay)
{
    if (!support::is_long_run()) GTEST_SKIP() << "PoCL compiles its kernels for half a minute";
    const auto device = open({});
    make_clblast_copy(*device);
    constexpr std::int64_t limit = 3 * megabyte / 2;
    const auto factor = [](auto devices, const Options &options) {
        auto a = factor_test::a_matrix(401);
        Report report;
        potrf(devices, Triangle::lower, a.matrix(), options, report);
        return a.dense();
    };
    count_anew();
    const auto result = factor(devices_of(device, limit), options_of({{"kernel", "clblast"}}));
    EXPECT_LE(opencl_shim::seen().most_device_bytes, limit);
    const auto expected = factor(devices_of(make_host_device(), std::nullopt), Options());
    EXPECT_LE(factor_test::norm(factor_test::sum(result, -1, expected)), 1e-10);
}
#endif

// More groups in the second dimension than there may be.
TEST_F(OnGpu, TallProducts)
{
    auto random = support::seeded(54);
    DeviceSession session(open({}), std::nullopt);
    constexpr std::size_t smallest = 5;
    const auto kernel = make_tiled_gemm(session, Scalar::s, smallest);
    ASSERT_EQ(kernel->row_multiple(), 4);
    in_card_test::Form form;
    form.type = Scalar::s;
    form.m = 65536 * kernel->row_multiple() + 1;
    form.n = form.k = 1;
    in_card_test::Product product(form, random);
    product.run(session, *kernel);
    EXPECT_EQ(product.check(), "");
}

bool has_vkfft(DeviceSession &session)
{
    const auto names = in_card_fft_names(session);
    return std::find(names.begin(), names.end(), "vkfft") != names.end();
}

// Kernels that do nothing stand for a driver that runs VkFFT's code wrongly.
TEST_F(OnGpu, TransformsOfADriverThatComputesWrongOnesAreRefused)
{
    auto devices = devices_of(open({.idle_kernels = true}), std::nullopt);
    if (!has_vkfft(*devices.sessions[0])) GTEST_SKIP() << "this build has no VkFFT";
    for (const auto kind : {FftKind::complex, FftKind::real_to_complex, FftKind::complex_to_real}) {
        problem::Arrays arrays(problem::problem_of(kind, {30, 30}));
        Report report;
        for (int time = 0; time < 2; ++time)
            support::expect_error(Status::device,
                                  {"opencl:0:0 computes wrong transforms of 30 points in double precision: VkFFT ",
                                   "take run_on host, another kernel or another device"},
                                  [&] {
                                      fft(devices, arrays.call(), options_of({{"run_on", "device"}}), report);
                                  });
        fft(devices, arrays.call(), {}, report);
        EXPECT_LE(arrays.error(), arrays.tolerance());
        EXPECT_NE(value_of<std::string>(report, "on_host").find("computes wrong transforms"), std::string::npos);
    }
}

TEST_F(OnGpu, TallTwiddles)
{
    const auto device = open({});
    DeviceSession session(device, std::nullopt);
    if (!has_vkfft(session)) GTEST_SKIP() << "this build has no VkFFT";
    const auto kernel = in_card_fft(session, "vkfft");
    DeviceTwiddle twiddle;
    twiddle.rows = 65536 * 16 + 1;
    twiddle.columns = 2;
    twiddle.n = twiddle.rows * twiddle.columns;
    const auto bytes = twiddle.n * 16;
    const auto roots = twiddle_roots(twiddle.n, twiddle.sign, true);
    const auto root_bytes = static_cast<std::int64_t>(roots.size());
    std::vector<std::complex<double>> data(static_cast<std::size_t>(twiddle.n), 1), result(data.size());
    const auto from = session.allocate(bytes), to = session.allocate(bytes), of_roots = session.allocate(root_bytes);
    twiddle.from = {from.get(), 0};
    twiddle.to = {to.get(), 0};
    twiddle.roots = {of_roots.get(), 0};
    const auto queue = device->make_queue();
    device->write(*queue, {from.get(), 0, bytes}, data.data(), bytes, {1, bytes}, {});
    device->write(*queue, {of_roots.get(), 0, root_bytes}, roots.data(), root_bytes, {1, root_bytes}, {});
    device->launch(*queue, kernel->twiddle(twiddle), {});
    ASSERT_EQ(device->read(*queue, {to.get(), 0, bytes}, result.data(), bytes, {1, bytes}, {})->wait(),
              EventState::done);
    double worst = 0;
    for (std::int64_t c = 0; c < twiddle.columns; ++c)
        for (std::int64_t k = 0; k < twiddle.rows; ++k) {
            const auto turn = static_cast<double>(k * c) / static_cast<double>(twiddle.n);
            const auto exact = std::polar(1.0, -2 * std::numbers::pi * turn);
            worst = std::max(worst, std::abs(result[static_cast<std::size_t>(c * twiddle.rows + k)] - exact));
        }
    EXPECT_LE(worst, 1e-14);
}

} // namespace
