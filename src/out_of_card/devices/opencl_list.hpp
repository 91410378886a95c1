// The OpenCL devices of this machine; none in a build without OpenCL.
#pragma once

#include "core/text.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

struct OpenClDeviceInfo {
    std::string spec; // "opencl:0:0"
    std::string name;
    std::string type;    // "CPU", "GPU" or "accelerator"
    std::string version; // "OpenCL 3.0 ..."
    std::string bus;     // of a GPU, "0000:3b:00.0"; "" where it is not known
    std::int64_t compute_units = 0;
    std::int64_t memory_bytes = 0;
    bool double_precision = false;
    bool is_divisible = true; // into its compute units: "opencl:0:0:1" is one
};

// Devices that do not answer are left out.
HPART_PRIVATE std::vector<OpenClDeviceInfo> list_opencl_devices();

// "opencl:0:0 NAME, 2 compute units, 1073741824 bytes, CPU, double precision, OpenCL 3.0"; "CPU, indivisible" of processors without units
std::string describe(const OpenClDeviceInfo &device);

// "Portable Computing Language: OpenCL 3.0 PoCL 3.1", each platform; or why there is none.
std::string describe_opencl_platforms();
// The same if this process has opened the drivers, which it must not do for a description: some end the process.
std::string describe_open_opencl();

} // namespace hpart
