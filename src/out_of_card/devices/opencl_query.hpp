// Queries of OpenCL about platforms and devices.
#pragma once

#include "out_of_card/devices/opencl_handles.hpp"

#include <string>
#include <vector>

namespace hpart
{

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
// It can call functions of the host.
bool has_native_kernels(cl_device_id device);

} // namespace hpart
