#include "host/blas.hpp"
#include "host/single_threaded_blas.hpp"
#include "kernels/dgemv.hpp"

#include <optional>

namespace hpart
{

namespace
{

// Each core does its own rows by a single-threaded BLAS.
class DgemvOnCores final : public BuiltinKernel
{
  public:
    DgemvOnCores(const DgemvDims &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return data_.y.values(); }
    Check check(std::span<const SliceResult> slices) const override { return check_dgemv(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        blas_.emplace();
        workers_.start();
        now_ = dims_.at(slice.rows);
        data_ = DgemvData(now_, slice.rows);
        rows_ = slice.rows;
        workers_.run([&](std::size_t worker) { data_.fill(now_, slice, worker, workers_.count()); });
    }

    void run() override
    {
        const auto columns = blas_integer(now_.n, "n");
        workers_.run([&](std::size_t worker) {
            const auto part = part_of(rows_, worker, workers_.count());
            if (part.rows > 0)
                cblas_dgemv(CblasRowMajor, CblasNoTrans, blas_integer(part.rows, "the number of rows"), columns, 1,
                            data_.a.data() + part.first * now_.n, columns, data_.x.data(), 1, 0,
                            data_.y.data() + part.first, 1);
        });
    }

    void release() noexcept override
    {
        data_ = {};
        workers_.stop();
        blas_.reset();
    }

  private:
    DgemvDims dims_, now_{}; // as asked for, and of the slice
    Workers workers_;
    DgemvData data_;
    std::int64_t rows_ = 0;
    std::optional<SingleThreadedBlas> blas_;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_dgemv_on_cores(const DgemvDims &dims, CoreList cores)
{
    return std::make_unique<DgemvOnCores>(dims, std::move(cores));
}

} // namespace hpart
