#include "core/clock.hpp"
#include "host/host_fft.hpp"
#include "kernels/fft2d.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/fft/fft.hpp"

namespace hpart
{

namespace
{

// Each core transforms its share of the lines by FFTW.
class LinesOnCores final : public LineTransform
{
  public:
    void plan(std::span<const Lines> all, const Workers &workers) override
    {
        for (const auto &lines : all) {
            auto &plans = plans_.emplace_back();
            for (std::size_t worker = 0; worker < workers.count(); ++worker) {
                const auto share = part_of(lines.count, worker, workers.count());
                const auto offset = 2 * share.first * lines.length;
                plans.push_back(plan_of({share.rows, lines.length, lines.in + offset, lines.out + offset}));
            }
        }
    }

    double run(std::size_t k, Workers &workers) override
    {
        const auto begin = Clock::now();
        workers.run([&](std::size_t worker) {
            const auto &[in, out, fft] = plans_[k][worker];
            if (fft) fft->run(in, out);
        });
        return seconds_since(begin);
    }

    void release() noexcept override { plans_.clear(); }

  private:
    struct Share {
        double *in, *out;
        std::unique_ptr<HostFft> fft;
    };

    static bool is_aligned(const double *data)
    {
        return reinterpret_cast<std::uintptr_t>(data) % host_fft_alignment == 0;
    }

    static Share plan_of(const Lines &lines)
    {
        if (lines.count == 0) return {lines.in, lines.out, nullptr};
        HostFftShape shape;
        shape.dimensions = {{lines.length, 1, 1}};
        shape.loops = {{lines.count, lines.length, lines.length}};
        shape.in_place = lines.in == lines.out;
        shape.aligned = is_aligned(lines.in) && is_aligned(lines.out);
        shape.measured = true;
        return {lines.in, lines.out, std::make_unique<HostFft>(shape)};
    }

    std::vector<std::vector<Share>> plans_;
};

class LinesOnDevices final : public LineTransform
{
  public:
    explicit LinesOnDevices(DeviceGroup devices) : devices_(std::move(devices)) {}

    void plan(std::span<const Lines> all, const Workers &) override { lines_.assign(all.begin(), all.end()); }

    double run(std::size_t k, Workers &) override
    {
        const auto &lines = lines_[k];
        if (lines.count == 0) return 0;
        FftCall call;
        call.dims = {lines.length};
        call.batch = lines.count;
        call.in = lines.in;
        call.out = lines.out;
        return seconds_without_set_up(devices_, [&] {
            Report report;
            fft(devices_, call, options_of_kernels(), report);
        });
    }

    void release() noexcept override { lines_.clear(); }

  private:
    DeviceGroup devices_;
    std::vector<Lines> lines_;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_fft2d_on_cores(const Fft2dDims &dims, CoreList cores)
{
    return std::make_unique<Fft2d>(dims, std::move(cores), std::make_unique<LinesOnCores>());
}

std::unique_ptr<BuiltinKernel> make_fft2d_on_devices(const Fft2dDims &dims, DeviceGroup devices)
{
    return std::make_unique<Fft2d>(dims, CoreList{}, std::make_unique<LinesOnDevices>(std::move(devices)));
}

} // namespace hpart
