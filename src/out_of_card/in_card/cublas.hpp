// The part of cuBLAS that the library uses, found when a CUDA card first needs it, and a handle of it for one card.
#pragma once

#include "out_of_card/devices/card.hpp"
#include "out_of_card/devices/cuda_device.hpp"

#include <complex>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace hpart
{

using CublasHandle = struct cublasContext *;

enum class CublasStatus : int { success = 0, alloc_failed = 3 };
enum class CublasOperation : int { none = 0, transpose = 1, conjugate = 2 };

template <typename Value>
using CublasGemm = CublasStatus(CublasHandle handle, CublasOperation a_operation, CublasOperation b_operation, int m,
                                int n, int k, const Value *alpha, const Value *a, int lda, const Value *b, int ldb,
                                const Value *beta, Value *c, int ldc);

class CublasLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CublasLibrary(const CudaDriver &driver);

    CublasStatus (*create)(CublasHandle *handle) = nullptr;
    CublasStatus (*destroy)(CublasHandle handle) = nullptr;
    CublasStatus (*set_stream)(CublasHandle handle, CudaStream stream) = nullptr;
    CublasStatus (*set_workspace)(CublasHandle handle, void *workspace, std::size_t bytes) = nullptr;
    CublasGemm<float> *sgemm = nullptr;
    CublasGemm<double> *dgemm = nullptr;
    CublasGemm<std::complex<float>> *cgemm = nullptr;
    CublasGemm<std::complex<double>> *zgemm = nullptr;

    static void check(CublasStatus status, const char *call);
};

// One operation at a time uses it, as it uses the card.
class Cublas
{
  public:
    // Takes its workspace from the card's account.
    explicit Cublas(Card &card);
    Cublas(const Cublas &) = delete;
    Cublas &operator=(const Cublas &) = delete;
    ~Cublas();

    const CublasLibrary &library() const { return library_; }
    // What is called next goes into this stream. The context is current.
    CublasHandle in_stream(CudaStream stream) const;

  private:
    std::int64_t workspace_bytes_;
    CardBuffer workspace_;
    std::shared_ptr<CudaContext> context_;
    CublasLibrary library_;
    CublasHandle handle_ = nullptr;
};

// The card's own.
std::shared_ptr<Cublas> cublas_of(Card &card);

} // namespace hpart
