// OpenCL objects that release themselves, and its status codes as errors.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

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

} // namespace hpart
