// OpenCL devices behind the interface of all devices.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <memory>
#include <string_view>

namespace hpart
{

// "opencl:P:D", or "opencl:P:D:S" for its S-th compute unit. Status::device when it is not there or cannot be divided.
std::shared_ptr<Device> make_opencl_device(std::string_view spec);

} // namespace hpart
