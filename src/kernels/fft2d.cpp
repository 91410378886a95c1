// The forward 2D transform of one matrix of double-precision complex numbers, which the processors share: each transforms its rows, collects
// its columns from all others, and transforms these. Unnormalised, as FFTW; the result is transposed, as FFTW-MPI's may be.

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "host/page_memory.hpp"
#include "kernels/kernel.hpp"
#include "kernels/kinds.hpp"
#include "out_of_card/fft/fft.hpp"

#ifdef HPART_HAVE_FFTW
#include "host/fftw_plan.hpp"
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace hpart
{

namespace
{

// The matrix has n columns, and the rows of all processors.
struct Fft2dDims {
    std::int64_t n;
    std::string description() const;
};

// One transform a line, of lines one after another.
struct Lines {
    std::int64_t count, length;
    double *in, *out; // the same, or apart
};

// The transforms of a processor.
class LineTransform
{
  public:
    LineTransform() = default;
    LineTransform(const LineTransform &) = delete;
    LineTransform &operator=(const LineTransform &) = delete;
    virtual ~LineTransform() = default;
    // May overwrite the lines.
    virtual void plan(std::span<const Lines> all, const Workers &workers) = 0;
    // Transforms all[k] of plan. Returns the seconds, without the set-up of devices.
    virtual double run(std::size_t k, Workers &workers) = 0;
    virtual void release() noexcept = 0;
};

class Fft2d final : public BuiltinKernel
{
  public:
    Fft2d(const Fft2dDims &dims, CoreList cores, std::unique_ptr<LineTransform> transform)
        : dims_(dims), workers_(std::move(cores)), transform_(std::move(transform))
    {
    }

    std::string description() const override { return dims_.description(); }
    bool needs_partners() const override { return true; }
    void join(const std::shared_ptr<Partners> &partners, std::size_t place) override;
    void prepare(const Slice &slice) override;
    void run() override;
    void interrupt() noexcept override
    {
        if (partners_) partners_->meeting.give_up();
    }
    void release() noexcept override;
    // The sum of the parts: waiting for other processors does not count.
    std::optional<double> own_seconds() const override;
    std::span<const PartSeconds> parts() const override { return seconds_; }
    // This processor's columns, one after another.
    std::span<const double> result() const override { return columns_.values(); }
    Check check(std::span<const SliceResult> slices) const override;

  private:
    void collect_columns(std::int64_t first, std::int64_t count);
    void meet();

    Fft2dDims dims_;
    Workers workers_;
    std::unique_ptr<LineTransform> transform_;
    std::shared_ptr<Partners> partners_;
    std::size_t place_ = 0;
    HostBuffer in_, rows_, columns_;
    Slice own_columns_;
    std::array<PartSeconds, 3> seconds_ = {{{"rows", 0}, {"transpose", 0}, {"columns", 0}}};
};

std::int64_t height_of(std::span<const Slice> slices)
{
    std::int64_t sum = 0;
    for (const auto &slice : slices) {
        const auto more = checked_add(sum, slice.rows);
        if (!more) fail(Status::out_of_memory, "the rows of the shared matrix do not fit 64 bits");
        sum = *more;
    }
    return sum;
}

// The columns of slice `place`, in proportion to its rows.
Slice columns_of(std::span<const Slice> slices, std::size_t place, std::int64_t n)
{
    const auto all = height_of(slices), before = height_of(slices.first(place)), end = before + slices[place].rows;
    if (!checked_mul(all, n))
        fail(Status::out_of_memory, "the shared matrix of ", all, " x ", n, " numbers does not fit 64 bits");
    return {before * n / all, end * n / all - before * n / all};
}

std::string Fft2dDims::description() const
{
    const std::array dimensions = {Dimension{"n", n}};
    return describe_kernel("fft2d", dimensions);
}

void Fft2d::join(const std::shared_ptr<Partners> &partners, std::size_t place)
{
    partners_ = partners;
    place_ = place;
}

void Fft2d::prepare(const Slice &slice)
{
    // A kernel that nobody made partners of is alone.
    const auto partners = partners_ ? partners_ : std::make_shared<Partners>(std::vector{slice});
    const auto place = partners_ ? place_ : 0;
    release();
    join(partners, place);
    const auto numbers = saturating_mul(2, dims_.n);
    in_ = HostBuffer(slice.rows, numbers);
    rows_ = HostBuffer(slice.rows, numbers);
    own_columns_ = columns_of(partners_->slices, place_, dims_.n);
    const auto height = height_of(partners_->slices);
    columns_ = HostBuffer(own_columns_.rows, saturating_mul(2, height));
    workers_.start();
    const auto fill = [&](std::size_t worker) {
        const auto part = part_of(slice.rows, worker, workers_.count());
        fill_rows(RandomArray::fft_signal, in_.data() + part.first * numbers, slice.first + part.first, part.rows,
                  numbers);
        std::fill_n(rows_.data() + part.first * numbers, part.rows * numbers, 0.0);
        const auto columns = part_of(own_columns_.rows, worker, workers_.count());
        std::fill_n(columns_.data() + columns.first * 2 * height, columns.rows * 2 * height, 0.0);
    };
    workers_.run(fill); // first touch, before planning
    const std::array lines = {Lines{slice.rows, dims_.n, in_.data(), rows_.data()},
                              Lines{own_columns_.rows, height, columns_.data(), columns_.data()}};
    transform_->plan(lines, workers_);
    workers_.run(fill);
    partners_->rows[place_] = rows_.data();
}

// In squares that stay in a core's cache.
void Fft2d::collect_columns(std::int64_t first, std::int64_t count)
{
    constexpr std::int64_t side = 16;
    const auto height = height_of(partners_->slices);
    std::int64_t above = 0;
    for (std::size_t k = 0; k < partners_->slices.size(); above += partners_->slices[k].rows, ++k)
        for (std::int64_t top = 0; top < partners_->slices[k].rows; top += side)
            for (std::int64_t left = first; left < first + count; left += side)
                for (auto column = left; column < std::min(left + side, first + count); ++column)
                    for (auto row = top; row < std::min(top + side, partners_->slices[k].rows); ++row) {
                        const double *from = partners_->rows[k] + 2 * (row * dims_.n + own_columns_.first + column);
                        std::copy_n(from, 2, columns_.data() + 2 * (column * height + above + row));
                    }
}

void Fft2d::meet()
{
    if (!partners_->meeting.arrive([] {})) fail(Status::callback, "another processor of the shared transform failed");
}

// The second meeting is before the next run, which overwrites rows that others read.
void Fft2d::run()
{
    seconds_[0].seconds = transform_->run(0, workers_);
    meet();
    const auto begin = Clock::now();
    workers_.run([&](std::size_t worker) {
        const auto part = part_of(own_columns_.rows, worker, workers_.count());
        collect_columns(part.first, part.rows);
    });
    seconds_[1].seconds = seconds_since(begin);
    meet();
    seconds_[2].seconds = transform_->run(1, workers_);
}

std::optional<double> Fft2d::own_seconds() const
{
    return seconds_[0].seconds + seconds_[1].seconds + seconds_[2].seconds;
}

void Fft2d::release() noexcept
{
    transform_->release();
    in_ = {};
    rows_ = {};
    columns_ = {};
    workers_.stop();
    partners_.reset();
}

// The matrix is put together and compared as one transform of zfft.
Check Fft2d::check(std::span<const SliceResult> slices) const
{
    std::vector<Slice> rows;
    for (const auto &[slice, values] : slices) rows.push_back(slice);
    const auto height = height_of(rows);
    HostBuffer whole(height, saturating_mul(2, dims_.n));
    for (std::size_t k = 0; k < slices.size(); ++k) {
        const auto columns = columns_of(rows, k, dims_.n);
        const auto *value = slices[k].values.data();
        if (slices[k].values.size() != static_cast<std::size_t>(2 * columns.rows * height))
            return {std::numeric_limits<double>::infinity(), 0};
        for (auto column = columns.first; column < columns.first + columns.rows; ++column)
            for (std::int64_t row = 0; row < height; ++row, value += 2)
                std::copy_n(value, 2, whole.data() + 2 * (row * dims_.n + column));
    }
    const SliceResult all{{rows.empty() ? 0 : rows.front().first, height}, whole.values()};
    return check_fft<double>(dims_.n, {&all, 1});
}

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
    KernelKind kind{};
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
