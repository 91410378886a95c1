// The library on the simulated clock of the fake CUDA driver, as an H100: seconds of each operation, and its ratio to the device's
// limit. Nothing is computed, and memory is address space alone. bench/gpu/simulated builds and starts this.
#include "core/error.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/factorisations.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "support/fake_cuda/fake_cuda.hpp"
#include "support/known_device.hpp"
#include "support/options.hpp"

#include <cstdio>
#include <cstdlib>

namespace
{

using namespace hpart;

// docs/background/performance.md has its rates. The host stages, copies and swaps 36 GB a second, and factors panels at 83 GFLOP/s.
constexpr fake_cuda::Speeds speeds{
    .in = 54e9, .out = 54e9, .both = 88e9, .row = 1e-7, .memory = 3e12, .gemm = 55e12, .fft = 4e12, .gemm_depth = 40};
constexpr double staging = 36e9, panel_flops_a_second = 83e9;

constexpr std::int64_t order = 24576, fft_order = 16384;

// Both read and written bytes are counted.
class Host final : public SimulatedHost
{
  public:
    void spend(const HostCost &cost) override
    {
        fake_cuda::spend(cost.flops / panel_flops_a_second + cost.bytes / (2 * staging));
    }
};

class Device
{
  public:
    explicit Device(std::int64_t limit)
    {
        fake_cuda::reset({.memory_bytes = std::int64_t{79} << 30, .speeds = speeds, .executes = false});
        support::KnownRates rates{.in = speeds.in, .out = speeds.out, .both = speeds.both};
        rates.copy_seconds = speeds.copy;
        rates.row_seconds = speeds.row;
        rates.staging = staging;
        rates.product_flops = speeds.gemm;
        rates.product_depth = speeds.gemm_depth;
        rates.product_seconds = speeds.launch;
        rates.fft_copy = speeds.memory / 2;
        rates.fft_flops = speeds.fft;
        rates.fft_seconds = speeds.launch;
        rates.host_flops = 2 * panel_flops_a_second; // half of it for wide panels
        rates.panel_flops = speeds.panel;
        rates.panel_column_seconds = speeds.panel_column;
        const CudaLibraries libraries{FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY};
        devices.sessions.push_back(support::known_device(make_cuda_device(0, libraries), limit, rates));
        session().kept<SimulatedHost>(SimulatedHost::name, [] { return std::make_shared<Host>(); });
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;
    ~Device()
    {
        for (const auto &array : arrays_) session().pinned_ranges().remove(array->data());
    }

    void *pinned(std::int64_t bytes)
    {
        arrays_.push_back(session().device().allocate_pinned(bytes));
        session().pinned_ranges().add(arrays_.back()->data(), bytes);
        return arrays_.back()->data();
    }

    // On the simulated clock, of a third call: the first one sets up, the second one plans by the memory that cuFFT took.
    template <typename Work> static fake_cuda::Times times_of(const Work &work)
    {
        work();
        work();
        const auto before = fake_cuda::times();
        work();
        const auto after = fake_cuda::times();
        return {after.now - before.now, after.in - before.in, after.out - before.out, after.kernel - before.kernel};
    }

    DeviceGroup devices;

  private:
    DeviceSession &session() { return *devices.sessions.front(); }
    std::vector<std::unique_ptr<PinnedMemory>> arrays_;
};

// With the parts of the time in which kernels, and each way of the link, are busy.
void print(const std::string &what, const fake_cuda::Times &times, double ratio)
{
    std::printf("%-22s %8.4f %6.3f %8.2f %5.2f %5.2f\n", what.c_str(), times.now, ratio, times.kernel / times.now,
                times.in / times.now, times.out / times.now);
}

// The ratio is the time of the link with both ways busy to the transform's: each number goes in and out once.
void time_fft()
{
    constexpr std::int64_t bytes = fft_order * fft_order * 16;
    Device device(bytes / 4);
    FftCall call;
    call.dims = {fft_order, fft_order};
    call.in = device.pinned(bytes);
    call.out = device.pinned(bytes);
    const auto times = Device::times_of([&] {
        Report report;
        fft(device.devices, call, support::options_of({{"run_on", "device"}}), report);
    });
    print("fft", times, 2.0 * bytes / speeds.both / times.now);
}

// Returns the product's rate, in operations a second.
double time_gemm()
{
    constexpr std::int64_t bytes = order * order * 8;
    Device device(bytes); // a third of the data
    GemmCall call;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = order;
    call.a = device.pinned(bytes);
    call.b = device.pinned(bytes);
    call.c = device.pinned(bytes);
    const auto times = Device::times_of([&] {
        Report report;
        gemm(device.devices, call, Options(), report);
    });
    const auto rate = 2.0 * order * order * order / times.now;
    print("gemm", times, rate / speeds.gemm);
    return rate;
}

// The ratio is the rate to the product's.
template <typename Factor>
void time_factorisation(const std::string &what, double flops, double rate, const Factor &factor)
{
    for (const bool row_major : {false, true}) {
        Device device(order * order * 8 / 3);
        const HostMatrix a{Scalar::d, row_major, order, order, device.pinned(order * order * 8), order};
        const auto times = Device::times_of([&] {
            Report report;
            factor(device.devices, a, report);
        });
        print(text(what, row_major ? " by rows" : " by columns"), times, flops / times.now / rate);
    }
}

void time_all()
{
    constexpr double cube = static_cast<double>(order) * order * order;
    std::printf("%-22s %8s %6s %8s %5s %5s\n", "what", "seconds", "ratio", "kernels", "in", "out");
    time_fft();
    const auto rate = time_gemm();
    time_factorisation("lu", 2 * cube / 3, rate, [](DeviceGroup &devices, const HostMatrix &a, Report &report) {
        std::vector<std::int64_t> pivots(order, 1); // each step swaps its row with its panel's first
        getrf(devices, a, pivots.data(), Options(), report);
    });
    time_factorisation("qr", 4 * cube / 3, rate, [](DeviceGroup &devices, const HostMatrix &a, Report &report) {
        std::vector<double> tau(order);
        geqrf(devices, a, tau.data(), Options(), report);
    });
    time_factorisation("cholesky", cube / 3, rate, [](DeviceGroup &devices, const HostMatrix &a, Report &report) {
        potrf(devices, Triangle::lower, a, Options(), report);
    });
}

} // namespace

int main()
{
    try {
        time_all();
        for (const auto &violation : fake_cuda::violations())
            std::fprintf(stderr, "bench/gpu/simulated: %s\n", violation.c_str());
        return fake_cuda::violations().empty() ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "bench/gpu/simulated: %s\n", error.what());
        return EXIT_FAILURE;
    }
}
