#include "core/clock.hpp"
#include "kernels/fft2d.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/fft/fft.hpp"

#ifdef HPART_HAVE_FFTW
#include "kernels/fftw_lines.hpp"
#endif

namespace hpart
{

namespace
{

#ifdef HPART_HAVE_FFTW

// Each core transforms its share of the lines by FFTW.
class LinesOnCores final : public LineTransform
{
  public:
    void plan(std::span<const Lines> all, const Workers &workers) override
    {
        for (const auto &[count, length, in, out] : all) {
            auto &shares = shares_.emplace_back();
            for (std::size_t worker = 0; worker < workers.count(); ++worker) {
                const auto part = part_of(count, worker, workers.count());
                const auto offset = 2 * part.first * length;
                shares.emplace_back(FftwLines<double>::Shape{part.rows, length, 1, length}, in + offset, out + offset);
            }
        }
    }

    double run(std::size_t k, Workers &workers) override
    {
        const auto begin = Clock::now();
        workers.run([&](std::size_t worker) { shares_[k][worker].run(); });
        return seconds_since(begin);
    }

    void release() noexcept override { shares_.clear(); }

  private:
    std::vector<std::vector<FftwLines<double>>> shares_; // of each group of lines, each worker's
};

#endif

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
        call.is_repeated = true;
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

// The processors share one matrix. No processor knows the matrix's rows by its own size.
Fft2dDims fft2d_dims(KernelKind::Dims dims)
{
    if (dims[0].value == equal_to_size)
        fail_parameter("dims", " of fft2d are 'n=size', but its processors share one matrix; n must be a number");
    return {dims[0].value};
}

} // namespace

KernelKind fft2d_kind()
{
    KernelKind kind{"fft2d", {"n"}, "FFTW", nullptr, nullptr};
    kind.on_devices = [](KernelKind::Dims dims, DeviceGroup devices) -> std::unique_ptr<BuiltinKernel> {
        return std::make_unique<Fft2d>(fft2d_dims(dims), CoreList{},
                                       std::make_unique<LinesOnDevices>(std::move(devices)));
    };
#ifdef HPART_HAVE_FFTW
    kind.on_cores = [](KernelKind::Dims dims, CoreList cores) -> std::unique_ptr<BuiltinKernel> {
        return std::make_unique<Fft2d>(fft2d_dims(dims), std::move(cores), std::make_unique<LinesOnCores>());
    };
#endif
    return kind;
}

} // namespace hpart
