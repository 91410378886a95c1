#include "cublasxt.hpp"

#include "core/error.hpp"

#include <complex>

namespace gpu_bench
{

namespace
{

void check(int status, const char *call)
{
    if (status != 0) hpart::fail(hpart::Status::device, call, " returns ", status);
}

} // namespace

CublasXt::CublasXt(const hpart::CudaLibraries &libraries, int device)
{
    const hpart::CudaDriver driver(libraries);
    const hpart::DynamicLibrary library(
        "cuBLAS", hpart::cuda_library_names(libraries.cublas, "libcublas", {11, 12, 13}, driver.version()));
    library.bind(create_, "cublasXtCreate");
    library.bind(destroy_, "cublasXtDestroy");
    library.bind(select_, "cublasXtDeviceSelect");
    library.bind(set_block_, "cublasXtSetBlockDim");
    try {
        library.bind(set_pinning_, "cublasXtSetPinningMemMode");
    } catch (const hpart::Error &) {
    }
    const char *const names[] = {"cublasXtSgemm", "cublasXtDgemm", "cublasXtCgemm", "cublasXtZgemm"};
    for (std::size_t k = 0; k < 4; ++k) library.bind(gemm_[k], names[k]);
    check(create_(&handle_), "cublasXtCreate");
    check(select_(handle_, 1, &device), "cublasXtDeviceSelect");
}

CublasXt::~CublasXt() { destroy_(handle_); }

void CublasXt::set_pinning(bool pins) const
{
    if (set_pinning_ == nullptr)
        hpart::fail(hpart::Status::unsupported, "this cuBLAS has no cublasXtSetPinningMemMode");
    check(set_pinning_(handle_, pins ? 1 : 0), "cublasXtSetPinningMemMode");
}

void CublasXt::multiply(hpart::Scalar type, std::int64_t n, const void *a, const void *b, void *c, int block) const
{
    check(set_block_(handle_, block), "cublasXtSetBlockDim");
    const float s[] = {1, 0};
    const double d[] = {1, 0};
    const std::complex<float> cs[] = {1, 0};
    const std::complex<double> zs[] = {1, 0};
    const void *const ones[] = {&s[0], &d[0], &cs[0], &zs[0]};
    const void *const zeros[] = {&s[1], &d[1], &cs[1], &zs[1]};
    const auto t = static_cast<std::size_t>(type), size = static_cast<std::size_t>(n);
    // By columns: the transposes, in the other order.
    check(gemm_[t](handle_, 0, 0, size, size, size, ones[t], b, size, a, size, zeros[t], c, size), "cublasXtGemm");
}

} // namespace gpu_bench
