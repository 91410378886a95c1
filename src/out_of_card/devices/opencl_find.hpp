// The OpenCL device that a specification names.
#pragma once

#include "out_of_card/devices/opencl_handles.hpp"

#include <string_view>

namespace hpart
{

// "opencl:P:D" or "opencl:P:D:S": device D of platform P, or its S-th compute unit. Status::device when it is not there or
// cannot be divided. Valid for the life of the process.
cl_device_id find_opencl_device(std::string_view spec);

// The compute unit after "opencl:P:D:S", which find_opencl_device has found. Null for whole devices, and where
// there is no other.
cl_device_id find_opencl_neighbour(std::string_view spec);

} // namespace hpart
