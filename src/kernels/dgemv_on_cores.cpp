#include "host/blas.hpp"
#include "host/single_threaded_blas.hpp"
#include "kernels/checks.hpp"
#include "kernels/dgemv.hpp"

#include <optional>

namespace hpart
{

namespace
{

void multiply_vector(blasint rows, blasint columns, const double *a, const double *x, double *y)
{
    cblas_dgemv(CblasRowMajor, CblasNoTrans, rows, columns, 1, a, columns, x, 1, 0, y, 1);
}
void multiply_vector(blasint rows, blasint columns, const float *a, const float *x, float *y)
{
    cblas_sgemv(CblasRowMajor, CblasNoTrans, rows, columns, 1, a, columns, x, 1, 0, y, 1);
}

// Each core does its own rows by a single-threaded BLAS.
template <typename Real> class GemvOnCores final : public BuiltinKernel
{
  public:
    GemvOnCores(const GemvDims<Real> &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return as_doubles(data_.y, in_double_); }
    Check check(std::span<const SliceResult> slices) const override { return check_gemv(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        blas_.emplace();
        workers_.start();
        now_ = dims_.at(slice.rows);
        data_ = GemvData<Real>(now_, slice.rows);
        rows_ = slice.rows;
        workers_.run([&](std::size_t worker) { data_.fill(now_, slice, worker, workers_.count()); });
    }

    void run() override
    {
        const auto columns = blas_integer(now_.n, "n");
        workers_.run([&](std::size_t worker) {
            const auto part = part_of(rows_, worker, workers_.count());
            if (part.rows > 0)
                multiply_vector(blas_integer(part.rows, "the number of rows"), columns,
                                data_.a.data() + part.first * now_.n, data_.x.data(), data_.y.data() + part.first);
        });
    }

    void release() noexcept override
    {
        data_ = {};
        in_double_ = {};
        workers_.stop();
        blas_.reset();
    }

  private:
    GemvDims<Real> dims_, now_{}; // as asked for, and of the slice
    Workers workers_;
    GemvData<Real> data_;
    mutable std::vector<double> in_double_;
    std::int64_t rows_ = 0;
    std::optional<SingleThreadedBlas> blas_;
};

} // namespace

template <typename Real> std::unique_ptr<BuiltinKernel> make_gemv_on_cores(const GemvDims<Real> &dims, CoreList cores)
{
    return std::make_unique<GemvOnCores<Real>>(dims, std::move(cores));
}

template std::unique_ptr<BuiltinKernel> make_gemv_on_cores(const GemvDims<float> &dims, CoreList cores);
template std::unique_ptr<BuiltinKernel> make_gemv_on_cores(const GemvDims<double> &dims, CoreList cores);

} // namespace hpart
