// NVIDIA's devices through CUDA's driver, which is looked for when one is opened.
//
// CUDA has no failed commands, only failed contexts: what a command fails with is told by every call from then on. So all
// events that were not seen done before are failed then, with the first error's name, and nothing more can be given. Copies
// between the device and memory that is not pinned are right, but the call may return only when they are done. There are no
// gates.
#pragma once

#include "out_of_card/devices/cuda_driver.hpp"

#include <memory>
#include <string>
#include <vector>

namespace hpart
{

// Status::unsupported where there is no driver, Status::device when it has no device of this number or cannot use it.
std::shared_ptr<Device> make_cuda_device(std::int64_t number, const CudaLibraries &libraries = {});

// The context of a CUDA device, or of a wrapper of one. Status::unsupported for others.
const std::shared_ptr<CudaContext> &cuda_context(Device &device);

// Those that the driver finds, none where there is no driver; why there are no more, if `reason` is given. They are not
// opened: memory_bytes is all that they have.
HPART_PRIVATE std::vector<DeviceInfo> list_cuda_devices(const CudaLibraries &libraries = {},
                                                        std::string *reason = nullptr);

} // namespace hpart
