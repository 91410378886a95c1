#include "out_of_card/devices/cuda_driver.hpp"

#include "core/error.hpp"

#include <type_traits>

namespace hpart
{

namespace
{

// The last one is where the Windows Subsystem for Linux keeps it.
std::vector<std::string> driver_names(const std::string &given)
{
    if (!given.empty()) return {given};
    return {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1"};
}

} // namespace

CudaDriver::CudaDriver(const CudaLibraries &libraries) : libraries_(libraries)
{
    const DynamicLibrary library("the CUDA driver", driver_names(libraries.driver));
#define HPART_CUDA_BIND(member, symbol, ...) library.bind(member, #symbol);
    HPART_CUDA_DRIVER_FUNCTIONS(HPART_CUDA_BIND)
#undef HPART_CUDA_BIND

    const auto result = init(0);
    if (result == CudaResult::stub_library)
        fail(Status::unsupported, "the CUDA driver (", library.name(),
             ") is a stub to link with; the driver itself is not installed");
    if (result == CudaResult::no_device) fail(Status::device, "the CUDA driver finds no device on this machine");
    check(result, "cuInit");
    check(driver_version(&version_), "cuDriverGetVersion");
}

std::string CudaDriver::error_name(CudaResult result) const
{
    const char *name = nullptr;
    const bool known = get_error_name(result, &name) == CudaResult::success && name != nullptr;
    return text(known ? name : "unknown CUDA error", " (", static_cast<int>(result), ")");
}

void CudaDriver::check(CudaResult result, const char *call) const
{
    if (result == CudaResult::success) return;
    fail(result == CudaResult::out_of_memory ? Status::out_of_memory : Status::device, call, ": ", error_name(result));
}

} // namespace hpart
