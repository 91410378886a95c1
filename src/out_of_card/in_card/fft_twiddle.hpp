// The twiddle on the host.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"
#include "out_of_card/in_card/fft.hpp"

#include <cstdint>
#include <memory>

namespace hpart
{

// Kernels of our own on CUDA's devices, translated by the driver when they are first used.

// The text of the kernels in cuda_twiddle.cu for the driver.
extern const char *const cuda_twiddle_ptx;

class CudaModule
{
  public:
    CudaModule(std::shared_ptr<CudaContext> context, const char *text);
    CudaModule(const CudaModule &) = delete;
    CudaModule &operator=(const CudaModule &) = delete;
    ~CudaModule();

    CudaFunction function(const char *name) const;
    // Adds a launch to the stream; the parameters are read at once.
    void launch(CudaFunction function, std::int64_t blocks, int threads_per_block, CudaStream stream,
                void **parameters) const;

  private:
    std::shared_ptr<CudaContext> context_;
    CudaModuleHandle handle_ = nullptr;
};

// The part of it that makes rows first_row to end_row of `to`. Throws nothing.
void twiddle_rows(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first_row,
                  std::int64_t end_row) noexcept;

} // namespace hpart
