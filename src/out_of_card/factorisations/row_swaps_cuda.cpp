#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/in_card/cuda_module.hpp"

#include "core/rounding.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

// As cuda_swap_rows.cu has them.
struct CudaOthers {
    int row[64];
};
constexpr int threads = 256;

class CudaRowSwaps final : public RowSwaps, public std::enable_shared_from_this<CudaRowSwaps>
{
  public:
    explicit CudaRowSwaps(std::shared_ptr<CudaContext> context) : module_(std::move(context), cuda_swap_rows_ptx)
    {
        for (const auto *name : {"swap_4", "swap_8", "swap_16"}) functions_.push_back(module_.function(name));
    }

    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        return [self = shared_from_this(), type, block, others = std::move(others)](LaunchContext &context) {
            for (std::size_t first = 0; first < others.size(); first += std::size(CudaOthers().row))
                self->add(type, block, others, first, static_cast<CudaStream>(context.queue));
        };
    }

  private:
    void add(Scalar type, const DeviceBlock &block, const std::vector<std::int64_t> &others, std::size_t first,
             CudaStream stream) const
    {
        CudaOthers some{};
        auto count = static_cast<int>(std::min(std::size(some.row), others.size() - first));
        std::transform(others.begin() + static_cast<std::ptrdiff_t>(first),
                       others.begin() + static_cast<std::ptrdiff_t>(first) + count, some.row,
                       [](std::int64_t other) { return static_cast<int>(other); });
        void *top = static_cast<unsigned char *>(block.buffer->native()) + block.offset * bytes_of(type);
        auto row_stride = static_cast<long long>(block.row_major ? block.ld : 1),
             column_stride = static_cast<long long>(block.row_major ? 1 : block.ld),
             columns = static_cast<long long>(block.columns);
        auto first_row = static_cast<int>(first);
        void *parameters[] = {&top, &row_stride, &column_stride, &columns, &first_row, &count, &some};
        const auto *const function = &functions_[bytes_of(type) == 4 ? 0 : bytes_of(type) == 8 ? 1 : 2];
        module_.launch(*function, ceil_div(block.columns, threads), threads, stream, parameters);
    }

    CudaModule module_;
    std::vector<CudaFunction> functions_;
};

} // namespace

std::shared_ptr<RowSwaps> make_cuda_row_swaps(DeviceSession &session)
{
    return std::make_shared<CudaRowSwaps>(cuda_context(session.device()));
}

} // namespace hpart
