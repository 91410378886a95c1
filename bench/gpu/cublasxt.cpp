#include "cublasxt.hpp"

#include "core/error.hpp"

namespace gpu_bench
{

void CublasXt::check(int status, const char *call)
{
    if (status != 0) hpart::fail(hpart::Status::device, call, " returns ", status);
}

CublasXt::CublasXt(const hpart::CudaLibraries &libraries, int device)
{
    const hpart::CudaDriver driver(libraries);
    const auto library = driver.load({"cuBLAS", "libcublas", "cublasGetProperty", 11}, libraries.cublas);
    library.bind(create_, "cublasXtCreate");
    library.bind(destroy_, "cublasXtDestroy");
    library.bind(select_, "cublasXtDeviceSelect");
    library.bind(set_block_, "cublasXtSetBlockDim");
    try {
        library.bind(set_pinning_, "cublasXtSetPinningMemMode");
    } catch (const hpart::Error &) {
    }
    library.bind(std::get<0>(gemm_), "cublasXtSgemm");
    library.bind(std::get<1>(gemm_), "cublasXtDgemm");
    library.bind(std::get<2>(gemm_), "cublasXtCgemm");
    library.bind(std::get<3>(gemm_), "cublasXtZgemm");
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

} // namespace gpu_bench
