#include "host/blas.hpp"
#include "host/single_threaded_blas.hpp"
#include "kernels/dgemm.hpp"

#include <optional>

namespace hpart
{

namespace
{

// Each core multiplies its own rows by a single-threaded BLAS.
class DgemmOnCores final : public BuiltinKernel
{
  public:
    DgemmOnCores(const DgemmDims &dims, CoreList cores) : dims_(dims), workers_(std::move(cores)) {}

    std::string description() const override { return dims_.description(); }
    std::span<const double> result() const override { return data_.c.values(); }
    Check check(std::span<const SliceResult> slices) const override { return check_dgemm(dims_, slices); }

    void prepare(const Slice &slice) override
    {
        release();
        blas_.emplace();
        workers_.start();
        data_ = DgemmData(dims_, slice.rows);
        rows_ = slice.rows;
        workers_.run([&](std::size_t worker) { data_.fill(dims_, slice, worker, workers_.count()); });
    }

    void run() override
    {
        workers_.run([&](std::size_t worker) {
            const auto part = part_of(rows_, worker, workers_.count());
            if (part.rows > 0)
                multiply(part.rows, dims_.n, dims_.k, data_.a.data() + part.first * dims_.k, data_.b.data(),
                         data_.c.data() + part.first * dims_.n);
        });
    }

    void release() noexcept override
    {
        data_ = {};
        workers_.stop();
        blas_.reset();
    }

  private:
    DgemmDims dims_;
    Workers workers_;
    DgemmData data_;
    std::int64_t rows_ = 0;
    std::optional<SingleThreadedBlas> blas_;
};

} // namespace

std::unique_ptr<BuiltinKernel> make_dgemm_on_cores(const DgemmDims &dims, CoreList cores)
{
    return std::make_unique<DgemmOnCores>(dims, std::move(cores));
}

} // namespace hpart
