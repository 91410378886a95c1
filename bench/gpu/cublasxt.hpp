// cuBLASXt, NVIDIA's own products of matrices on the host, to compare with. It is found in cuBLAS when the program runs.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"

#include <complex>
#include <cstdint>
#include <tuple>

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
    template <typename Value> void multiply(std::int64_t n, const Value *a, const Value *b, Value *c, int block) const
    {
        check(set_block_(handle_, block), "cublasXtSetBlockDim");
        const Value one = 1, zero = 0;
        const auto size = static_cast<std::size_t>(n);
        // By columns: the transposes, in the other order.
        check(std::get<Gemm<Value> *>(gemm_)(handle_, 0, 0, size, size, size, &one, b, size, a, size, &zero, c, size),
              "cublasXtGemm");
    }
    // Pins plain memory for the time of a product.
    void set_pinning(bool pins) const;

  private:
    using Handle = void *;
    template <typename Value>
    using Gemm = int(Handle, int, int, std::size_t, std::size_t, std::size_t, const Value *, const Value *, std::size_t,
                     const Value *, std::size_t, const Value *, Value *, std::size_t);
    static void check(int status, const char *call);

    int (*create_)(Handle *) = nullptr;
    int (*destroy_)(Handle) = nullptr;
    int (*select_)(Handle, int, int *) = nullptr;
    int (*set_block_)(Handle, int) = nullptr;
    int (*set_pinning_)(Handle, int) = nullptr; // null where the library has none
    std::tuple<Gemm<float> *, Gemm<double> *, Gemm<std::complex<float>> *, Gemm<std::complex<double>> *> gemm_;
    Handle handle_ = nullptr;
};

} // namespace gpu_bench
