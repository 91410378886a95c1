#include "out_of_card/devices/opencl_handles.hpp"

#include "core/error.hpp"
#include "host/cores.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <string_view>

#include <dlfcn.h>

namespace hpart
{

std::string cl_error_name(cl_int status)
{
    switch (status) {
#define HPART_CL_NAME(code)                                                                                            \
    case code: return text(#code, " (", status, ")");
        HPART_CL_NAME(CL_DEVICE_NOT_FOUND)
        HPART_CL_NAME(CL_DEVICE_NOT_AVAILABLE)
        HPART_CL_NAME(CL_COMPILER_NOT_AVAILABLE)
        HPART_CL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
        HPART_CL_NAME(CL_OUT_OF_RESOURCES)
        HPART_CL_NAME(CL_OUT_OF_HOST_MEMORY)
        HPART_CL_NAME(CL_BUILD_PROGRAM_FAILURE)
        HPART_CL_NAME(CL_DEVICE_PARTITION_FAILED)
        HPART_CL_NAME(CL_MEM_COPY_OVERLAP)
        HPART_CL_NAME(CL_MAP_FAILURE)
        HPART_CL_NAME(CL_MISALIGNED_SUB_BUFFER_OFFSET)
        HPART_CL_NAME(CL_INVALID_VALUE)
        HPART_CL_NAME(CL_INVALID_CONTEXT)
        HPART_CL_NAME(CL_INVALID_COMMAND_QUEUE)
        HPART_CL_NAME(CL_INVALID_HOST_PTR)
        HPART_CL_NAME(CL_INVALID_MEM_OBJECT)
        HPART_CL_NAME(CL_INVALID_BINARY)
        HPART_CL_NAME(CL_INVALID_BUILD_OPTIONS)
        HPART_CL_NAME(CL_INVALID_PROGRAM)
        HPART_CL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
        HPART_CL_NAME(CL_INVALID_KERNEL_NAME)
        HPART_CL_NAME(CL_INVALID_KERNEL_DEFINITION)
        HPART_CL_NAME(CL_INVALID_KERNEL_ARGS)
        HPART_CL_NAME(CL_INVALID_ARG_INDEX)
        HPART_CL_NAME(CL_INVALID_ARG_VALUE)
        HPART_CL_NAME(CL_INVALID_ARG_SIZE)
        HPART_CL_NAME(CL_INVALID_WORK_GROUP_SIZE)
        HPART_CL_NAME(CL_INVALID_WORK_ITEM_SIZE)
        HPART_CL_NAME(CL_INVALID_GLOBAL_OFFSET)
        HPART_CL_NAME(CL_INVALID_EVENT_WAIT_LIST)
        HPART_CL_NAME(CL_INVALID_EVENT)
        HPART_CL_NAME(CL_INVALID_OPERATION)
        HPART_CL_NAME(CL_INVALID_BUFFER_SIZE)
        HPART_CL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
        HPART_CL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
#undef HPART_CL_NAME
    default: return text("status ", status);
    }
}

namespace
{

[[noreturn]] void fail_call(Status kind, cl_int status, const char *call)
{
    fail(kind, "the OpenCL call ", call, " failed with ", cl_error_name(status));
}

} // namespace

void check_cl(cl_int status, const char *call)
{
    if (status == CL_SUCCESS) return;
    const bool memory = status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY;
    fail_call(memory ? Status::out_of_memory : Status::device, status, call);
}

void check_allocation(cl_int status, const char *call)
{
    // Other calls report a kernel's fault as CL_OUT_OF_RESOURCES, too.
    if (status == CL_OUT_OF_RESOURCES || status == CL_INVALID_BUFFER_SIZE)
        fail_call(Status::out_of_memory, status, call);
    check_cl(status, call);
}

namespace
{

// The text that query(capacity, buffer, needed) gives.
template <typename Query> std::string text_of(const Query &query, const char *call)
{
    std::size_t length = 0;
    check_cl(query(0, nullptr, &length), call);
    std::string text(length, '\0');
    check_cl(query(length, text.data(), nullptr), call);
    while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
    return text;
}

std::vector<cl_platform_id> all_platforms()
{
    cl_uint count = 0;
    // The loader reports a machine without platforms as an error.
    if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
    std::vector<cl_platform_id> platforms(count);
    check_cl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    return platforms;
}

std::vector<cl_device_id> all_devices(cl_platform_id platform)
{
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) return {};
    std::vector<cl_device_id> devices(count);
    check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr), "clGetDeviceIDs");
    return devices;
}

std::atomic<bool> is_open{false};

// Loaders and drivers set themselves up during the first queries, some of them without a lock.
void set_up_drivers()
{
    static std::once_flag once;
    std::call_once(once, [] {
        is_open = true;
        usable_cores(); // before a driver starts threads on others
        if (!why_pocl_would_end().empty()) return;
        const KeptSignals kept;
        for (auto *const platform : all_platforms()) all_devices(platform);
    });
}

} // namespace

KeptSignals::KeptSignals()
{
    for (std::size_t k = 1; k < before_.size(); ++k) ::sigaction(static_cast<int>(k), nullptr, &before_[k]);
}

KeptSignals::~KeptSignals()
{
    for (std::size_t k = 1; k < before_.size(); ++k) {
        struct sigaction now = {};
        if (::sigaction(static_cast<int>(k), nullptr, &now) != 0 || now.sa_handler == before_[k].sa_handler) continue;
        Dl_info owner{};
        if (::dladdr(reinterpret_cast<void *>(now.sa_handler), &owner) == 0 || owner.dli_fname == nullptr) continue;
        if (std::string_view(owner.dli_fname).find("/libLLVM") != std::string_view::npos)
            ::sigaction(static_cast<int>(k), &before_[k], nullptr);
    }
}

bool is_opencl_open() { return is_open; }

std::vector<cl_platform_id> cl_platforms()
{
    set_up_drivers();
    return why_pocl_would_end().empty() ? all_platforms() : std::vector<cl_platform_id>();
}

std::vector<cl_device_id> cl_devices(cl_platform_id platform) { return all_devices(platform); }

std::string cl_text(cl_platform_id platform, cl_platform_info what)
{
    return text_of([&](std::size_t capacity, char *buffer,
                       std::size_t *needed) { return clGetPlatformInfo(platform, what, capacity, buffer, needed); },
                   "clGetPlatformInfo");
}

std::string cl_text(cl_device_id device, cl_device_info what)
{
    return text_of([&](std::size_t capacity, char *buffer,
                       std::size_t *needed) { return clGetDeviceInfo(device, what, capacity, buffer, needed); },
                   "clGetDeviceInfo");
}

bool has_double_precision(cl_device_id device)
{
    return cl_value<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
}

bool can_divide(cl_device_id device)
{
    cl_uint units = 0, most = 0;
    std::array<cl_device_partition_property, 16> ways{};
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr) != CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, nullptr) != CL_SUCCESS ||
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways.data(), nullptr) != CL_SUCCESS)
        return false;
    constexpr cl_device_partition_property counts = CL_DEVICE_PARTITION_BY_COUNTS;
    return most >= units && std::find(ways.begin(), ways.end(), counts) != ways.end();
}

bool has_native_kernels(cl_device_id device)
{
    const auto can = cl_value<cl_device_exec_capabilities>(device, CL_DEVICE_EXECUTION_CAPABILITIES);
    return (can & CL_EXEC_NATIVE_KERNEL) != 0;
}

std::string pci_bus(cl_device_id device)
{
    constexpr cl_device_info bus_info_khr = 0x410F, bus_nv = 0x4008, slot_nv = 0x4009; // cl_khr_pci_bus_info; NVIDIA's
    std::array<cl_uint, 4> at{};                                                       // domain, bus, device, function
    cl_uint slot = 0;
    if (clGetDeviceInfo(device, bus_info_khr, sizeof at, at.data(), nullptr) != CL_SUCCESS) {
        if (clGetDeviceInfo(device, bus_nv, sizeof at[1], &at[1], nullptr) != CL_SUCCESS ||
            clGetDeviceInfo(device, slot_nv, sizeof slot, &slot, nullptr) != CL_SUCCESS)
            return "";
        at[2] = slot >> 3U, at[3] = slot & 7U;
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", at[0], at[1], at[2], at[3]);
    return text.data();
}

} // namespace hpart
