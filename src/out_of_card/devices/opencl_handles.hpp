// OpenCL objects that release themselves, and its status codes as errors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <csignal>
#include <string>
#include <utility>

namespace hpart
{

template <typename Handle, cl_int (*Release)(Handle)> class ClHandle
{
  public:
    ClHandle() = default;
    explicit ClHandle(Handle handle) : handle_(handle) {}
    ClHandle(ClHandle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    ClHandle &operator=(ClHandle &&other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ClHandle(const ClHandle &) = delete;
    ClHandle &operator=(const ClHandle &) = delete;
    ~ClHandle()
    {
        if (handle_ != nullptr) Release(handle_);
    }
    Handle get() const { return handle_; }
    Handle release() { return std::exchange(handle_, nullptr); }

  private:
    Handle handle_ = nullptr;
};

using ClDevice = ClHandle<cl_device_id, clReleaseDevice>; // a root device may be released without effect
using ClContext = ClHandle<cl_context, clReleaseContext>;
using ClQueue = ClHandle<cl_command_queue, clReleaseCommandQueue>;
using ClBuffer = ClHandle<cl_mem, clReleaseMemObject>;
using ClEvent = ClHandle<cl_event, clReleaseEvent>;
using ClProgram = ClHandle<cl_program, clReleaseProgram>;
using ClKernel = ClHandle<cl_kernel, clReleaseKernel>;

// Status::device with the call and the code, unless it is CL_SUCCESS; out of memory where the code says so.
void check_cl(cl_int status, const char *call);
// The same for calls that take memory of the device: drivers report a shortage by more codes there.
void check_allocation(cl_int status, const char *call);

// "CL_DEVICE_NOT_AVAILABLE (-2)"
std::string cl_error_name(cl_int status);

// While it lives, signal handlers stay the program's: LLVM, with which drivers compile, takes 15 signals at its first use, and
// no longer calls the program's handler of SIGUSR1. PoCL's handler of SIGFPE, which kernels rely on, stays.
class KeptSignals
{
  public:
    KeptSignals();
    KeptSignals(const KeptSignals &) = delete;
    KeptSignals &operator=(const KeptSignals &) = delete;
    ~KeptSignals();

  private:
    std::array<struct sigaction, 65> before_{};
};

// Queries of OpenCL about drivers, platforms and devices.

// True once this process has opened the drivers.
bool is_opencl_open();
// Empty when the loader finds none.
std::vector<cl_platform_id> cl_platforms();
// Devices of any type; empty when there are none.
std::vector<cl_device_id> cl_devices(cl_platform_id platform);

std::string cl_text(cl_platform_id platform, cl_platform_info what);
std::string cl_text(cl_device_id device, cl_device_info what);

template <typename Value> Value cl_value(cl_device_id device, cl_device_info what)
{
    Value value{};
    check_cl(clGetDeviceInfo(device, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
    return value;
}

bool has_double_precision(cl_device_id device);
// As CUDA writes it, "0000:65:00.0"; empty where the driver does not tell.
std::string pci_bus(cl_device_id device);
// Into its compute units, "opencl:P:D:S". Some drivers end the process when they are asked to divide another device.
bool can_divide(cl_device_id device);
// It can call functions of the host.
bool has_native_kernels(cl_device_id device);

// "opencl:P:D" or "opencl:P:D:S": device D of platform P, or its S-th compute unit. Status::device when it is not there or
// cannot be divided. Valid for the life of the process.
cl_device_id find_opencl_device(std::string_view spec);

// The compute unit after "opencl:P:D:S", which find_opencl_device has found. Null for whole devices, and where
// there is no other.
cl_device_id find_opencl_neighbour(std::string_view spec);

// Drivers that .icd files name to OpenCL's loader, which passes over those that do not load without a word:
// "/etc/OpenCL/vendors/a.icd: liba.so: cannot open shared object file", for each driver that does not load. Empty if each does.
std::string missing_opencl_drivers();
// PoCL ends the process when it cannot bind its thread S to core S, as in a cpuset or under an emulated topology. "" if it will not.
const std::string &why_pocl_would_end();
// "this machine has no OpenCL platform: ...", and the reason.
std::string no_opencl_platform();
// "rusticl has no device; set RUSTICL_ENABLE to its drivers, ...", of a platform that has none.
std::string no_opencl_device(cl_platform_id platform);

} // namespace hpart
