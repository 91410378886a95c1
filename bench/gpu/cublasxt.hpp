// cuBLASXt, NVIDIA's own products of matrices on the host, to compare with. It is found in cuBLAS when the program runs.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"
#include "out_of_card/scalar.hpp"

#include <cstdint>

namespace gpu_bench
{

class CublasXt
{
  public:
    // Status::unsupported where there is no cuBLAS, Status::device where it does not start.
    CublasXt(const hpart::CudaLibraries &libraries, int device);
    CublasXt(const CublasXt &) = delete;
    CublasXt &operator=(const CublasXt &) = delete;
    ~CublasXt();

    // C = A B, square, row-major and contiguous. Returns when C is on the host.
    void multiply(hpart::Scalar type, std::int64_t n, const void *a, const void *b, void *c, int block) const;
    // Whether it pins plain memory for the time of a product.
    void set_pinning(bool pins) const;

  private:
    using Handle = struct cublasXtContext *;
    using Gemm = int(Handle, int, int, std::size_t, std::size_t, std::size_t, const void *, const void *, std::size_t,
                     const void *, std::size_t, const void *, void *, std::size_t);
    int (*create_)(Handle *) = nullptr;
    int (*destroy_)(Handle) = nullptr;
    int (*select_)(Handle, int, int *) = nullptr;
    int (*set_block_)(Handle, int) = nullptr;
    int (*set_pinning_)(Handle, int) = nullptr; // null where the library has none
    Gemm *gemm_[4] = {};
    Handle handle_ = nullptr;
};

} // namespace gpu_bench
