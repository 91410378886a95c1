#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/in_card/cublas.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// A call of cuBLAS for each pair of rows.
class CudaRowSwaps final : public RowSwaps, public std::enable_shared_from_this<CudaRowSwaps>
{
  public:
    explicit CudaRowSwaps(std::shared_ptr<Cublas> cublas) : cublas_(std::move(cublas)) {}

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        return [self = shared_from_this(), type, block, others = std::move(others)](LaunchContext &context) {
            auto *const handle = self->cublas_->in_stream(static_cast<CudaStream>(context.queue));
            with_type(type, [&]<typename Value>() {
                const auto &calls = self->cublas_->library().calls<Value>();
                auto *const top = static_cast<Value *>(block.buffer->native()) + block.offset;
                const auto row_stride = block.row_major ? block.ld : 1, column_stride = block.row_major ? 1 : block.ld;
                const auto most = std::max<std::int64_t>(1, longest_cublas_span / column_stride);
                for (std::int64_t k = 0; k < std::ssize(others); ++k)
                    for (std::int64_t column = 0; others[k] != k && column < block.columns; column += most) {
                        auto *const first = top + column * column_stride;
                        CublasLibrary::check(calls.exchange(handle, std::min(most, block.columns - column),
                                                            first + k * row_stride, first + others[k] * row_stride,
                                                            column_stride),
                                             "cublasSwap");
                    }
            });
        };
    }

  private:
    std::shared_ptr<Cublas> cublas_;
};

} // namespace

std::shared_ptr<RowSwaps> make_cuda_row_swaps(DeviceSession &session)
{
    return std::make_shared<CudaRowSwaps>(cublas_of(session));
}

} // namespace hpart
