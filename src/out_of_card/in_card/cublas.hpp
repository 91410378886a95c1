// The part of cuBLAS that the library uses, found when a CUDA device first needs it, and a handle of it for one device.
#pragma once

#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/device_session.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hpart
{

using CublasHandle = struct cublasContext *;

enum class CublasStatus : int { success = 0, not_initialized = 1, alloc_failed = 3 };
enum class CublasOperation : int { none = 0, transpose = 1, conjugate = 2 };

template <typename Value, typename Size>
using CublasCall = CublasStatus(CublasHandle handle, CublasOperation a_operation, CublasOperation b_operation, Size m,
                                Size n, Size k, const Value *alpha, const Value *a, Size lda, const Value *b, Size ldb,
                                const Value *beta, Value *c, Size ldc);

// Both forms of a product: that of 64 bits is null before CUDA 12.
template <typename Value> struct CublasGemm {
    CublasCall<Value, int> *narrow = nullptr;
    CublasCall<Value, std::int64_t> *wide = nullptr;
};

class CublasLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CublasLibrary(const CudaDriver &driver);

    CublasStatus (*create)(CublasHandle *handle) = nullptr;
    CublasStatus (*destroy)(CublasHandle handle) = nullptr;
    CublasStatus (*set_stream)(CublasHandle handle, CudaStream stream) = nullptr;
    CublasStatus (*set_workspace)(CublasHandle handle, void *workspace, std::size_t bytes) = nullptr;
    CublasGemm<float> sgemm;
    CublasGemm<double> dgemm;
    CublasGemm<std::complex<float>> cgemm;
    CublasGemm<std::complex<double>> zgemm;
    // The library's place.
    const std::string &name() const { return name_; }

    static void check(CublasStatus status, const char *call);

  private:
    std::string name_;
};

// One operation at a time uses it, as it uses the device.
class Cublas
{
  public:
    // Its workspace and what cuBLAS takes besides are on the device's account.
    explicit Cublas(DeviceSession &session);
    Cublas(const Cublas &) = delete;
    Cublas &operator=(const Cublas &) = delete;
    ~Cublas();

    const CublasLibrary &library() const { return library_; }
    // The handle, whose next calls go into this stream. The context is current.
    CublasHandle in_stream(CudaStream stream) const;

  private:
    DeviceSession &session_;
    std::int64_t workspace_bytes_, handle_bytes_ = 0;
    SessionBuffer workspace_;
    std::shared_ptr<CudaContext> context_;
    CublasLibrary library_;
    CublasHandle handle_ = nullptr;
};

// The device's own.
std::shared_ptr<Cublas> cublas_of(DeviceSession &session);

} // namespace hpart
