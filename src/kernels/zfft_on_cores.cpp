#include "host/fftw_plan.hpp"
#include "kernels/checks.hpp"
#include "kernels/zfft.hpp"

namespace hpart
{

namespace
{

// Lines that one worker transforms.
template <typename Real> class PlannedLines
{
  public:
    using Complex = typename Fftw<Real>::Complex;

    // FFTW measures alternatives when it plans, which overwrites the arrays, and remembers what it found for equal plans.
    PlannedLines(std::int64_t length, std::int64_t count, Real *in, Real *out, std::int64_t stride,
                 std::int64_t distance)
        : in_(reinterpret_cast<Complex *>(in)), out_(reinterpret_cast<Complex *>(out))
    {
        if (count == 0) return;
        const fftw_iodim64 line = {length, stride, stride}, lines = {count, distance, distance};
        const std::lock_guard lock(fftw_planner_mutex());
        plan_.reset(Fftw<Real>::plan_complex(1, &line, 1, &lines, in_, out_, FFTW_FORWARD, FFTW_MEASURE));
        if (!plan_) fail(Status::unsupported, "FFTW has no plan for ", count, " transforms of ", length, " points");
    }
    void run() const
    {
        if (plan_) Fftw<Real>::run_complex(plan_.get(), in_, out_);
    }

  private:
    Complex *in_, *out_;
    FftwPlanOf<Real> plan_;
};

// The share of one worker: of the rows, and then of the columns.
template <typename Real> struct Share {
    PlannedLines<Real> rows, columns;
};

template <typename Real> class FftOnCores final : public BuiltinKernel
{
  public:
    FftOnCores(const FftDims<Real> &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return as_doubles(data_.out, in_double_); }
    Check check(std::span<const SliceResult> slices) const override { return check_fft(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        workers_.start();
        now_ = dims_.at(slice.rows);
        data_ = FftData<Real>(now_, slice.rows);
        const auto fill = [&](std::size_t worker) { data_.fill(now_, slice, worker, workers_.count()); };
        workers_.run(fill); // first touch, before planning
        for (std::size_t worker = 0; worker < workers_.count(); ++worker)
            shares_.push_back(make_share(slice.rows, worker));
        workers_.run(fill);
    }

    void run() override
    {
        workers_.run([&](std::size_t worker) { shares_[worker].rows.run(); });
        workers_.run([&](std::size_t worker) { shares_[worker].columns.run(); });
    }

    void release() noexcept override
    {
        shares_.clear();
        data_ = {};
        in_double_ = {};
        workers_.stop();
    }

  private:
    Share<Real> make_share(std::int64_t all_rows, std::size_t worker)
    {
        const auto n = now_.n;
        const auto rows = part_of(all_rows, worker, workers_.count());
        const auto columns = part_of(n, worker, workers_.count());
        const auto first_number = rows.first * 2 * n;
        auto *first_column = data_.out.data() + columns.first * 2;
        return {{n, rows.rows, data_.in.data() + first_number, data_.out.data() + first_number, 1, n},
                {all_rows, columns.rows, first_column, first_column, n, 1}};
    }

    FftDims<Real> dims_, now_{}; // as asked for, and of the slice
    Workers workers_;
    FftData<Real> data_;
    std::vector<Share<Real>> shares_;
    mutable std::vector<double> in_double_;
};

} // namespace

template <typename Real> std::unique_ptr<BuiltinKernel> make_fft_on_cores(const FftDims<Real> &dims, CoreList cores)
{
    return std::make_unique<FftOnCores<Real>>(dims, std::move(cores));
}

template std::unique_ptr<BuiltinKernel> make_fft_on_cores(const FftDims<float> &dims, CoreList cores);
template std::unique_ptr<BuiltinKernel> make_fft_on_cores(const FftDims<double> &dims, CoreList cores);

} // namespace hpart
