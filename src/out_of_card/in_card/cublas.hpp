// The part of cuBLAS that the library uses, found when a CUDA device first needs it, and a handle of it for one device.
#pragma once

#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/device.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>

namespace hpart
{

using CublasHandle = struct cublasContext *;

enum class CublasStatus : int { success = 0, not_initialized = 1, alloc_failed = 3 };
enum class CublasOperation : int { none = 0, transpose = 1, conjugate = 2 };

template <typename Value, typename Size>
using CublasGemm = CublasStatus(CublasHandle handle, CublasOperation a_operation, CublasOperation b_operation, Size m,
                                Size n, Size k, const Value *alpha, const Value *a, Size lda, const Value *b, Size ldb,
                                const Value *beta, Value *c, Size ldc);

template <typename Value, typename Size>
using CublasSwap = CublasStatus(CublasHandle handle, Size n, Value *x, Size x_step, Value *y, Size y_step);

// The calls for a type. The calls with 64-bit sizes are null before CUDA 12.
template <typename Value> struct CublasCalls {
    CublasGemm<Value, int> *gemm = nullptr;
    CublasGemm<Value, std::int64_t> *gemm_64 = nullptr;
    CublasSwap<Value, int> *swap = nullptr;
    CublasSwap<Value, std::int64_t> *swap_64 = nullptr;

    CublasStatus exchange(CublasHandle handle, std::int64_t n, Value *x, Value *y, std::int64_t step) const
    {
        const auto n_32 = static_cast<int>(n), step_32 = static_cast<int>(step);
        return swap_64 != nullptr ? swap_64(handle, n, x, step, y, step) : swap(handle, n_32, x, step_32, y, step_32);
    }
};

// Kernels of several releases have read beyond operands of more elements, in calls of 64 bits, too.
constexpr std::int64_t longest_cublas_span = std::numeric_limits<std::int32_t>::max();

class CublasLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CublasLibrary(const CudaDriver &driver);

    CublasStatus (*create)(CublasHandle *handle) = nullptr;
    CublasStatus (*destroy)(CublasHandle handle) = nullptr;
    CublasStatus (*set_stream)(CublasHandle handle, CudaStream stream) = nullptr;
    CublasStatus (*set_workspace)(CublasHandle handle, void *workspace, std::size_t bytes) = nullptr;
    CublasStatus (*get_math_mode)(CublasHandle handle, int *mode) = nullptr; // null in old ones
    template <typename Value> const CublasCalls<Value> &calls() const { return std::get<CublasCalls<Value>>(calls_); }
    // The library's place.
    const std::string &name() const { return name_; }

    static void check(CublasStatus status, const char *call);

  private:
    std::string name_;
    std::tuple<CublasCalls<float>, CublasCalls<double>, CublasCalls<std::complex<float>>,
               CublasCalls<std::complex<double>>>
        calls_;
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
    // The math mode for numbers of this precision, if not the usual one: "tf32", "fp64-emulated". By the library, or by the variables of the
    // environment that it obeys.
    std::string math_mode(bool is_double) const;
    // Returns the handle; its next calls go into this stream. The context is current.
    CublasHandle in_stream(CudaStream stream) const;

  private:
    DeviceSession &session_;
    std::int64_t workspace_bytes_, handle_bytes_ = 0;
    SessionBuffer workspace_;
    std::shared_ptr<CudaContext> context_;
    CublasLibrary library_;
    CublasHandle handle_ = nullptr;
    int math_mode_ = 0;
};

// The device's own.
std::shared_ptr<Cublas> cublas_of(DeviceSession &session);

} // namespace hpart
