#include "host/fftw_plan.hpp"
#include "kernels/zfft.hpp"

namespace hpart
{

namespace
{

fftw_complex *complex(double *values) { return reinterpret_cast<fftw_complex *>(values); }

// The transform by one worker of its share of the rows, and then of its share of the columns.
struct Share {
    FftwPlan rows, columns;
};

// FFTW measures alternatives when it plans, which overwrites the arrays, and remembers what it found for equal plans.
FftwPlan make_plan(int length, int count, double *in, double *out, int stride, int distance)
{
    if (count == 0) return nullptr;
    const std::lock_guard lock(fftw_planner_mutex());
    FftwPlan plan(fftw_plan_many_dft(1, &length, count, complex(in), nullptr, stride, distance, complex(out), nullptr,
                                     stride, distance, FFTW_FORWARD, FFTW_MEASURE));
    if (!plan) fail(Status::unsupported, "FFTW has no plan for ", count, " transforms of ", length, " points");
    return plan;
}

class ZfftOnCores final : public BuiltinKernel
{
  public:
    ZfftOnCores(const ZfftDims &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return data_.out.values(); }
    Check check(std::span<const SliceResult> slices) const override { return check_zfft(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        workers_.start();
        data_ = ZfftData(dims_, slice.rows);
        const auto fill = [&](std::size_t worker) { data_.fill(dims_, slice, worker, workers_.count()); };
        workers_.run(fill); // first touch, before planning
        for (std::size_t worker = 0; worker < workers_.count(); ++worker)
            shares_.push_back(make_share(slice.rows, worker));
        workers_.run(fill);
    }

    void run() override
    {
        workers_.run([&](std::size_t worker) {
            if (shares_[worker].rows) fftw_execute(shares_[worker].rows.get());
        });
        workers_.run([&](std::size_t worker) {
            if (shares_[worker].columns) fftw_execute(shares_[worker].columns.get());
        });
    }

    void release() noexcept override
    {
        shares_.clear();
        data_ = {};
        workers_.stop();
    }

  private:
    Share make_share(std::int64_t all_rows, std::size_t worker)
    {
        const auto n = fftw_integer(dims_.n, "n");
        const auto rows = part_of(all_rows, worker, workers_.count());
        const auto columns = part_of(dims_.n, worker, workers_.count());
        const auto first_number = rows.first * 2 * dims_.n;
        double *first_column = data_.out.data() + columns.first * 2;
        const auto count = fftw_integer(rows.rows, "the number of rows");
        return {make_plan(n, count, data_.in.data() + first_number, data_.out.data() + first_number, 1, n),
                make_plan(fftw_integer(all_rows, "the number of rows"), fftw_integer(columns.rows, "n"), first_column,
                          first_column, n, 1)};
    }

    ZfftDims dims_;
    Workers workers_;
    ZfftData data_;
    std::vector<Share> shares_;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_zfft_on_cores(const ZfftDims &dims, CoreList cores)
{
    return std::make_unique<ZfftOnCores>(dims, std::move(cores));
}

} // namespace hpart
