// Plans for real GPUs on the fake driver's simulated clock: matrices and transforms of hundreds of gigabytes are only
// address space, and each command takes its time of the clock.
#include "fake.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/plan.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "support/options.hpp"
#include "support/wrapping_device.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace hpart;

namespace
{

struct Gpu {
    const char *name;
    double memory_bytes;
    fake_cuda::Speeds speeds;
    double largest_buffer = 1; // of the memory
    double staging = 0;        // half of the link's rate if it is not known
};

class WithSmallBuffers final : public support::WrappingDevice
{
  public:
    WithSmallBuffers(std::shared_ptr<Device> device, double share) : WrappingDevice(std::move(device))
    {
        info_.largest_buffer_bytes = static_cast<std::int64_t>(share * static_cast<double>(info_.memory_bytes));
    }
};

// Rates of pinned memory over PCI Express 5 and 4, of products and transforms in double precision. AMD's and Intel's by
// data sheet, with the dearer commands of their OpenCL: the planners do not know who makes a device. Usual runs test the first three.
const Gpu gpus[] = {
    {"h100",
     79e9,
     {.in = 54e9, .out = 54e9, .both = 88e9, .row = 1e-7, .memory = 3e12, .gemm = 55e12, .fft = 4e12},
     1,
     36e9},
    {"h200", 139e9, {.in = 54.6e9, .out = 54.6e9, .row = 5e-8, .memory = 4e12, .gemm = 60e12, .fft = 4e12}},
    {"max1550",
     124e9,
     {.in = 50e9,
      .out = 45e9,
      .copy = 1.5e-5,
      .row = 1e-9,
      .launch = 1.5e-5,
      .memory = 3.2e12,
      .gemm = 45e12,
      .fft = 2.5e12},
     0.25},
    {"slow_out", 39e9, {.in = 25e9, .out = 12e9, .row = 4e-10, .memory = 1.5e12, .gemm = 18e12, .fft = 1.5e12}},
    {"a100", 39e9, {.in = 25e9, .out = 25e9, .row = 4e-10, .memory = 1.5e12, .gemm = 18e12, .fft = 1.5e12}},
    {"mi210",
     62e9,
     {.in = 25e9,
      .out = 25e9,
      .copy = 1e-5,
      .row = 1e-9,
      .launch = 1e-5,
      .memory = 1.6e12,
      .gemm = 20e12,
      .fft = 1.3e12},
     0.85},
    {"mi300x",
     188e9,
     {.in = 55e9, .out = 55e9, .copy = 1e-5, .row = 1e-9, .launch = 1e-5, .memory = 5.3e12, .gemm = 75e12, .fft = 4e12},
     0.85}};

class CudaPlans : public fake::OnSimulatedClock<Gpu>
{
  protected:
    void SetUp() override
    {
        start_clock(static_cast<std::int64_t>(GetParam().memory_bytes), GetParam().speeds);
        auto device = std::make_shared<WithSmallBuffers>(fake::open(), GetParam().largest_buffer);
        devices_.sessions.push_back(support::known_device(std::move(device), std::nullopt, rates()));
    }

    static support::KnownRates rates()
    {
        const auto &speeds = GetParam().speeds;
        auto rates = known_rates(speeds);
        rates.row_seconds = speeds.row;
        rates.staging = GetParam().staging > 0 ? GetParam().staging : speeds.in / 2;
        rates.fft_copy = speeds.memory / 2;
        rates.fft_flops = speeds.fft;
        rates.fft_seconds = speeds.launch;
        return rates;
    }
};

class CudaLinks : public fake::OnSimulatedClock<double>
{
  protected:
    static fake_cuda::Speeds speeds() { return {.both = GetParam()}; }
    void SetUp() override
    {
        start_clock(std::int64_t{20} << 30, speeds());
        auto rates = known_rates(speeds());
        rates.fft_flops = speeds().fft;
        rates.row_seconds = 1e-12;
        devices_.sessions.push_back(support::known_device(fake::open(), std::nullopt, rates));
    }
};

TEST_P(CudaPlans, ProductsTakeHardlyMoreThanTheBusiestPart)
{
    struct Size {
        std::int64_t m, n, k;
        double beta;
    };
    for (const auto &size : {Size{131072, 131072, 131072, 0},
                             {100000, 100000, 100000, 1},
                             {200000, 150000, 20000, 0},
                             {30000, 300000, 100000, 1}}) {
        GemmCall call;
        call.m = size.m, call.n = size.n, call.k = size.k;
        call.beta = size.beta;
        call.lda = call.k, call.ldb = call.ldc = call.n;
        call.a = pinned(call.m * call.k * 8);
        call.b = pinned(call.k * call.n * 8);
        call.c = pinned(call.m * call.n * 8);
        Report report;
        const auto times = times_of([&] { gemm(devices_, call, Options(), report); });
        const auto where = text(size.m, " x ", size.n, " x ", size.k);
        // The plan is the one of the fewest bytes among those predicted to be at most 5 % slower than the fastest.
        EXPECT_LE(times.now, 1.06 * std::max(link_seconds(times, GetParam().speeds), times.kernel)) << where;
        const auto predicted = std::get<double>(report.get("predicted_seconds"));
        EXPECT_GE(predicted, 0.95 * times.now) << where;
        EXPECT_LE(predicted, 1.01 * times.now) << where;
        free_arrays();
    }
}

TEST_P(CudaPlans, TransformsTakeHardlyMoreThanTheBusiestPart)
{
    for (const auto &dims : {std::vector<std::int64_t>{131072, 131072},
                             {65536, 131072},
                             {100000, 150000},
                             {4096, 2048, 2048},
                             {std::int64_t{1} << 33}}) {
        FftCall call;
        call.dims = dims;
        std::int64_t numbers = 1;
        for (const auto size : dims) numbers *= size;
        call.in = pinned(numbers * 16);
        call.out = pinned(numbers * 16);
        const auto times = times_of([&] {
            Report report;
            fft(devices_, call, support::options_of({{"run_on", "device"}}), report);
        });
        // Each number of the result depends on all: the last one goes in before the first one comes out.
        const auto once = static_cast<double>(numbers * 16) / GetParam().speeds.in +
                          static_cast<double>(numbers * 16) / GetParam().speeds.out;
        EXPECT_LE(times.now, 1.15 * std::max({once, link_seconds(times, GetParam().speeds), times.kernel}))
            << dims[0] << ", " << dims.size() << " dimensions";
        free_arrays();
    }
}

// Whatever the rate of usual lines is.
TEST_P(CudaPlans, DryRunsOfTransformsTimeTheKernelsOfASlab)
{
    for (const double wrong : {0.1, 10.0}) {
        auto known = rates();
        known.fft_flops *= wrong;
        known.fft_copy *= wrong;
        devices_.sessions = {support::known_device(fake::open(), std::nullopt, known)};
        for (const auto &dims : {std::vector<std::int64_t>{65536, 131072}, {4096, 2048, 2048}, {1LL << 33}}) {
            FftCall call;
            call.dims = dims;
            const auto numbers = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
            call.in = pinned(numbers * 16);
            call.out = pinned(numbers * 16);
            Report planned;
            fft(devices_, call, support::options_of({{"run_on", "device"}, {"dry_run", "1"}}), planned);
            const auto times = times_of([&] {
                Report report;
                fft(devices_, call, support::options_of({{"run_on", "device"}}), report);
            });
            const auto predicted = std::get<double>(planned.get("predicted_seconds"));
            EXPECT_GE(predicted, 0.95 * times.now) << dims[0] << ", rates times " << wrong;
            EXPECT_LE(predicted, 1.08 * times.now) << dims[0] << ", rates times " << wrong;
            free_arrays();
        }
    }
}

// Without the time of a launch.
TEST_P(CudaPlans, RatesOfTransformsAreTheDevices)
{
    DeviceSession session(fake::open(), std::nullopt);
    const auto rates = rates_of(session, *in_card_fft(session), true);
    EXPECT_GE(rates.flops, 0.9 * GetParam().speeds.fft);
    EXPECT_LE(rates.flops, 1.1 * GetParam().speeds.fft);
    EXPECT_GE(rates.copy, 0.8 * GetParam().speeds.memory / 2);
    EXPECT_LE(rates.copy, 1.1 * GetParam().speeds.memory / 2);
}

// Data that is hardly worked on.
TEST_P(CudaLinks, EachWayIsAsSlowAsTheOtherMakesIt)
{
    const auto expect_predicted = [&](const auto &run) {
        Report planned, report;
        run(support::options_of({{"run_on", "device"}, {"dry_run", "1"}}), planned);
        const auto times = times_of([&] { run(support::options_of({{"run_on", "device"}}), report); });
        EXPECT_NEAR(std::get<double>(planned.get("predicted_seconds")), times.now, 0.1 * times.now);
        EXPECT_LE(times.now, 1.2 * link_seconds(times, speeds()));
    };
    constexpr std::int64_t lines = 100000, length = 16384;
    FftCall transforms;
    transforms.dims = {length};
    transforms.batch = lines;
    transforms.in = pinned(lines * length * 16);
    transforms.out = pinned(lines * length * 16);
    expect_predicted([&](const Options &options, Report &report) { fft(devices_, transforms, options, report); });
    constexpr std::int64_t order = 60000, depth = 200;
    GemmCall product;
    product.m = product.n = product.ldb = product.ldc = order;
    product.k = product.lda = depth;
    product.beta = 1;
    product.a = pinned(order * depth * 8);
    product.b = pinned(depth * order * 8);
    product.c = pinned(order * order * 8);
    expect_predicted([&](Options options, Report &report) {
        options.unset("run_on");
        gemm(devices_, product, options, report);
    });
}

// An H200 as it was measured (docs/background/performance.md): threads stage less than its link carries in rows of 4 kB.
class CudaRows : public fake::OnSimulatedClock<std::int64_t>
{
  protected:
    static fake_cuda::Speeds speeds()
    {
        return {.in = 54.6e9, .out = 54.6e9, .both = 95e9, .row = 5e-8, .memory = 4e12, .gemm = 60e12, .fft = 4e12};
    }
    void SetUp() override
    {
        start_clock(std::int64_t{139} << 30, speeds());
        auto rates = known_rates(speeds());
        rates.row_seconds = speeds().row;
        rates.staging = 35e9;
        rates.fft_copy = speeds().memory / 2;
        rates.fft_flops = speeds().fft;
        rates.fft_seconds = speeds().launch;
        devices_.sessions.push_back(support::known_device(fake::open(), 4 * GetParam() * GetParam(), rates));
    }
};

TEST_P(CudaRows, PinnedTransformsAreNotStaged)
{
    FftCall call;
    call.dims = {GetParam(), GetParam()};
    call.in = call.out = pinned(16 * GetParam() * GetParam());
    Report report;
    fft(devices_, call, support::options_of({{"run_on", "device"}, {"dry_run", "1"}}), report);
    const auto bytes = static_cast<double>(std::get<std::int64_t>(report.get("bytes_planned")));
    EXPECT_LE(std::get<double>(report.get("predicted_seconds")), 1.4 * bytes / speeds().both);
}

// Not less than the link takes both ways. In place, and not.
TEST_P(CudaRows, PinnedTransformsTakeHardlyMoreThanTheLink)
{
    const auto bytes = 16 * GetParam() * GetParam();
    for (const bool in_place : {true, false}) {
        FftCall call;
        call.dims = {GetParam(), GetParam()};
        call.in = call.out = pinned(bytes);
        if (!in_place) call.out = pinned(bytes);
        Report report;
        const auto run = [&] { fft(devices_, call, support::options_of({{"run_on", "device"}}), report); };
        run(); // sets up
        run(); // plans by the memory that cuFFT took
        const auto times = times_of(run);
        const auto moved = static_cast<double>(std::get<std::int64_t>(report.get("bytes_planned")));
        EXPECT_LE(times.now, 1.15 * moved / speeds().both) << (in_place ? "in place" : "out of place");
        // A quarter of the numbers need not leave the device between the passes.
        EXPECT_LE(moved, 1.1 * 3.5 * static_cast<double>(bytes));
        free_arrays();
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CudaRows, testing::Values(16384, 32768));

// Bytes per second both ways at once; each way alone has 55e9.
INSTANTIATE_TEST_SUITE_P(Both, CudaLinks, testing::Values(110e9, 89e9, 70e9, 55e9),
                         [](const auto &both) { return std::to_string(static_cast<int>(both.param / 1e9)) + "GBs"; });

INSTANTIATE_TEST_SUITE_P(Gpus, CudaPlans, testing::ValuesIn(gpus, support::is_long_run() ? std::end(gpus) : gpus + 3),
                         [](const auto &gpu) { return std::string(gpu.param.name); });

} // namespace
