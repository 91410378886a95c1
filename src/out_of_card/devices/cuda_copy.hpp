// Rectangles from and to a CUDA device and on it. The context is current.
#pragma once

#include "out_of_card/devices/cuda_context.hpp"

#include <cstdint>

namespace hpart
{

template <typename Address> struct CudaRows {
    Address first;
    std::int64_t pitch_bytes;
};

void copy_in(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
             const CudaRows<const void *> &from, const Rectangle &rectangle);
void copy_out(const CudaContext &context, CudaStream stream, const CudaRows<void *> &to,
              const CudaRows<CudaAddress> &from, const Rectangle &rectangle);
void copy_on_device(const CudaContext &context, CudaStream stream, const CudaRows<CudaAddress> &to,
                    const CudaRows<CudaAddress> &from, const Rectangle &rectangle);

} // namespace hpart
