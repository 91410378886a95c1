// NVIDIA's devices through CUDA's driver, which is looked for when one is opened.
//
// CUDA has no failed commands, only failed contexts: what a command fails with is told by every call from then on. So all
// events that were not seen done before are failed then, with the first error's name, and nothing more can be given. Copies
// between the card and memory that is not pinned are right, but the call may return only when they are done. There are no
// gates.
#pragma once

#include "out_of_card/devices/cuda_context.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hpart
{

// Status::unsupported where there is no driver, Status::device when it has no device of this number or cannot use it.
std::shared_ptr<Device> make_cuda_device(std::int64_t number, const CudaLibraries &libraries = {});

// Those that the driver finds, none where there is no driver. They are not opened: memory_bytes is all that they have.
std::vector<DeviceInfo> list_cuda_devices(const CudaLibraries &libraries = {});

// Memory of a CUDA device, for those who launch on it.
class CudaBuffer : public DeviceBuffer
{
  public:
    CudaBuffer(std::shared_ptr<CudaContext> context, CudaAddress address);
    CudaBuffer(const CudaBuffer &) = delete;
    CudaBuffer &operator=(const CudaBuffer &) = delete;
    ~CudaBuffer() override;

    const std::shared_ptr<CudaContext> &context() const { return context_; }
    CudaAddress address() const { return address_; }
    void *native() const override
    {
        return reinterpret_cast<void *>(
            address_); // NOLINT(performance-no-int-to-ptr): the driver's addresses are numbers
    }

  private:
    std::shared_ptr<CudaContext> context_;
    CudaAddress address_;
};

} // namespace hpart
