// Devices by specification.
#pragma once

#include "core/options.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/device_session.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// One or several devices that do an operation together; in the order of the specification, none twice.
struct DeviceGroup {
    std::vector<std::shared_ptr<DeviceSession>> sessions;
    double shared_setup_seconds = 0; // counted by more than one session, since these were made ready at the same time

    double setup_seconds() const;
    // Their in_use, in one order: two calls do not wait for each other.
    std::vector<std::unique_lock<DeviceLock>> lock_all() const;
};

// "host", "opencl:0:0", "opencl:0:0:1" (a compute unit), "cuda:0", or a list "opencl:0:0,host". Option
// memory_limit: of each device.
DeviceGroup open_devices(std::string_view spec, const Options &options);

// The host's cores that an OpenCL device on them uses: the cores of its units, or all usable cores.
CoreList cores_of(const DeviceInfo &info);
// PoCL, an OpenCL implementation on cores, has unit S on core S under POCL_AFFINITY=1, even if the process may not use that core.
// Units of others, and PoCL's without it, may run on any usable core.
bool has_bound_units(const DeviceInfo &info);

// Fails if two devices share cores, or are one GPU under two platforms.
void refuse_shared_hardware(const DeviceGroup &devices);

struct ListedDevice {
    std::string spec;
    std::string description; // its first word is the specification
};

// The host, then the devices of OpenCL and of CUDA that answer.
std::vector<ListedDevice> list_devices();

} // namespace hpart
