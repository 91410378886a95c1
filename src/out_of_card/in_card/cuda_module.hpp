// Kernels of our own on CUDA's devices, translated by the driver when they are first used.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"

#include <cstdint>
#include <memory>

namespace hpart
{

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

} // namespace hpart
