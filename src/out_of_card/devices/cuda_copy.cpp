#include "out_of_card/devices/cuda_context.hpp"

namespace hpart
{

namespace
{

void set_source(CudaRectangleCopy &copy, CudaAddress from)
{
    copy.source_type = CudaMemoryType::device;
    copy.source_device = from;
}
void set_source(CudaRectangleCopy &copy, const void *from)
{
    copy.source_type = CudaMemoryType::host;
    copy.source_host = from;
}
void set_target(CudaRectangleCopy &copy, CudaAddress to)
{
    copy.target_type = CudaMemoryType::device;
    copy.target_device = to;
}
void set_target(CudaRectangleCopy &copy, void *to)
{
    copy.target_type = CudaMemoryType::host;
    copy.target_host = to;
}

CudaAddress advance(CudaAddress address, std::int64_t bytes) { return address + static_cast<CudaAddress>(bytes); }
const void *advance(const void *address, std::int64_t bytes) { return static_cast<const std::byte *>(address) + bytes; }
void *advance(void *address, std::int64_t bytes) { return static_cast<std::byte *>(address) + bytes; }

// `copy_row` is one of the driver's functions for contiguous bytes, `call` its name.
template <typename To, typename From, typename CopyRow>
void copy_by_driver(const CudaContext &context, CudaStream stream, const CudaRows<To> &to, const CudaRows<From> &from,
                    const Rectangle &rectangle, CopyRow *copy_row, const char *call)
{
    const auto [rows, row_bytes] = rectangle;
    if (rows <= 0 || row_bytes <= 0) return;
    if (rows == 1 || (to.pitch_bytes == row_bytes && from.pitch_bytes == row_bytes)) {
        context.check(copy_row(to.first, from.first, static_cast<std::size_t>(rectangle.bytes()), stream), call);
        return;
    }
    CudaRectangleCopy copy{};
    set_source(copy, from.first);
    set_target(copy, to.first);
    copy.source_pitch = static_cast<std::size_t>(from.pitch_bytes);
    copy.target_pitch = static_cast<std::size_t>(to.pitch_bytes);
    copy.width_bytes = static_cast<std::size_t>(row_bytes);
    copy.height = static_cast<std::size_t>(rows);
    const auto result = context.driver().copy_rectangle(&copy, stream);
    if (result != CudaResult::invalid_value) return context.check(result, "cuMemcpy2DAsync");
    // Rows that are too far apart for the device: two gigabytes, or less on the device itself.
    for (std::int64_t row = 0; row < rows; ++row)
        context.check(copy_row(advance(to.first, row * to.pitch_bytes), advance(from.first, row * from.pitch_bytes),
                               static_cast<std::size_t>(row_bytes), stream),
                      call);
}

} // namespace

void copy_in(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
             const CudaRows<const void *> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_in, "cuMemcpyHtoDAsync");
}

void copy_out(const CudaContext &context, CudaStream stream, const CudaRows<void *> &to,
              const CudaRows<CudaAddress> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_out, "cuMemcpyDtoHAsync");
}

void copy_on_device(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
                    const CudaRows<CudaAddress> &from, const Rectangle &rectangle)
{
    copy_by_driver(context, stream, to, from, rectangle, context.driver().copy_on_device, "cuMemcpyDtoDAsync");
}

} // namespace hpart
