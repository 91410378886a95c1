// The OpenCL devices of this machine; none in a build without OpenCL.
#pragma once

#include "core/machine.hpp"
#include "core/text.hpp"

#include <string>
#include <vector>

namespace hpart
{

// Devices that do not answer are left out.
HPART_PRIVATE std::vector<DeviceDescription> list_opencl_devices();

// "Portable Computing Language: OpenCL 3.0 PoCL 3.1", each platform; or why there is none.
std::string describe_opencl_platforms();
// The same if this process has opened the drivers, which it must not do for a description: some end the process.
std::string describe_open_opencl();

} // namespace hpart
