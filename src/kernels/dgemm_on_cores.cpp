#include "host/blas.hpp"
#include "host/single_threaded_blas.hpp"
#include "kernels/checks.hpp"
#include "kernels/dgemm.hpp"

#include <optional>

namespace hpart
{

namespace
{

// Each core multiplies its own rows by a single-threaded BLAS.
template <typename Real> class GemmOnCores final : public BuiltinKernel
{
  public:
    GemmOnCores(const GemmDims<Real> &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return as_doubles(data_.c, in_double_); }
    Check check(std::span<const SliceResult> slices) const override { return check_gemm(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        blas_.emplace();
        workers_.start();
        now_ = dims_.at(slice.rows);
        data_ = GemmData<Real>(now_, slice.rows);
        rows_ = slice.rows;
        workers_.run([&](std::size_t worker) { data_.fill(now_, slice, worker, workers_.count()); });
    }

    void run() override
    {
        workers_.run([&](std::size_t worker) {
            const auto part = part_of(rows_, worker, workers_.count());
            if (part.rows > 0)
                multiply(part.rows, now_.n, now_.k, data_.a.data() + part.first * now_.k, data_.b.data(),
                         data_.c.data() + part.first * now_.n);
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
    GemmDims<Real> dims_, now_{}; // as asked for, and of the slice
    Workers workers_;
    GemmData<Real> data_;
    mutable std::vector<double> in_double_;
    std::int64_t rows_ = 0;
    std::optional<SingleThreadedBlas> blas_;
};

} // namespace

template <typename Real> std::unique_ptr<BuiltinKernel> make_gemm_on_cores(const GemmDims<Real> &dims, CoreList cores)
{
    return std::make_unique<GemmOnCores<Real>>(dims, std::move(cores));
}

template std::unique_ptr<BuiltinKernel> make_gemm_on_cores(const GemmDims<float> &dims, CoreList cores);
template std::unique_ptr<BuiltinKernel> make_gemm_on_cores(const GemmDims<double> &dims, CoreList cores);

} // namespace hpart
