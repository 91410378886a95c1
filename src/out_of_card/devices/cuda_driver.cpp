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

std::vector<std::string> cuda_library_names(const std::string &given, const char *library,
                                            const std::vector<int> &soversions, int driver_version)
{
    if (!given.empty()) return {given};
    constexpr int first_major = 11; // of CUDA, whose soversion is the first of the list
    std::vector<std::string> names;
    const auto driver_major = driver_version / 1000;
    for (auto major = first_major + static_cast<int>(soversions.size()) - 1; major >= first_major; --major) {
        if (major > driver_major) continue;
        const auto file = text(library, ".so.", soversions[static_cast<std::size_t>(major - first_major)]);
        names.push_back(file);
        names.push_back(text("/usr/local/cuda-", major, "/lib64/", file));
    }
    names.push_back(text(library, ".so"));
    names.push_back(text("/usr/local/cuda/lib64/", library, ".so"));
    return names;
}

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
