#include "out_of_card/factorisations/row_swaps.hpp"
#include "out_of_card/factorisations/on_host.hpp"

namespace hpart
{

namespace
{

class HostRowSwaps final : public RowSwaps
{
  public:
    Launch swap(Scalar type, const DeviceBlock &block, std::vector<std::int64_t> others) override
    {
        const auto bytes = block.offset * bytes_of(type);
        const HostMatrix rows{
            type,    block.row_major, block.rows, block.columns, static_cast<char *>(block.buffer->native()) + bytes,
            block.ld};
        for (auto &other : others) ++other; // as LAPACK counts
        return [=](LaunchContext &) { on_host::swap_rows(rows, others); };
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
