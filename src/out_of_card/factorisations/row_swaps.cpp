#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/part.hpp"

namespace hpart
{

namespace
{

class HostRowSwaps final : public RowSwaps
{
  public:
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        auto *const memory = block.buffer->native();
        for (auto &other : others) ++other; // as LAPACK counts
        return [=](LaunchContext &) {
            with_type(type, [&]<typename Value>() {
                swap_rows(Part<Value>{static_cast<Value *>(memory) + block.offset, block.rows, block.columns, block.ld,
                                      block.row_major},
                          std::span<const std::int64_t>(others));
            });
        };
    }
};

std::shared_ptr<RowSwaps> make_row_swaps(DeviceSession &session)
{
    switch (session.info().backend) {
    case Backend::host: return std::make_shared<HostRowSwaps>();
#ifdef HPART_HAVE_OPENCL
    case Backend::opencl: return make_opencl_row_swaps(session);
#endif
    default: return make_cuda_row_swaps(session);
    }
}

} // namespace

std::shared_ptr<RowSwaps> row_swaps(DeviceSession &session)
{
    return session.kept<RowSwaps>("row swaps", [&] { return make_row_swaps(session); });
}

} // namespace hpart
