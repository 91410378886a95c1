// Devices by specification.
#pragma once

#include "core/options.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/device.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// The rates of the link between host and device.

struct LinkRates {
    double in_bytes_per_second = 1e10, out_bytes_per_second = 1e10;
    double both_bytes_per_second = 1e10; // in total, both ways at once
    double copy_seconds = 5e-6;          // of each copy, besides its bytes
    double row_seconds = 1e-8;           // of each row of a rectangle, besides its bytes
    double shared_units = 0;             // compute units that copies share with kernels; 0: they share none

    // Times of transfers in and out take the link so long together. Each way slows the other as far as both at once are slower than
    // each alone: not at all on a link of two full ways; on a link that goes one way at a time they add up. bytes_share: the bytes'
    // share of the times. The rest, for rows, leaves the link to the other way.
    double busy_seconds(double in_seconds, double out_seconds, double bytes_share = 1) const
    {
        return std::max(in_seconds, out_seconds) + (slowing(bytes_share) - 1) * std::min(in_seconds, out_seconds);
    }
    // By so much transfers the other way at the same time slow one: 1 to 2.
    double slowing(double bytes_share = 1) const
    {
        return std::clamp(bytes_share * (in_bytes_per_second + out_bytes_per_second) / both_bytes_per_second, 1.0, 2.0);
    }

    // At best, when nothing waits: kernels beside transfers. A kernel takes all of the shared units, a copy one.
    double overlapped_seconds(double kernel_seconds, double in_seconds, double out_seconds,
                              double bytes_share = 1) const
    {
        if (shared_units > 0) kernel_seconds += (in_seconds + out_seconds) / shared_units;
        return std::max(kernel_seconds, busy_seconds(in_seconds, out_seconds, bytes_share));
    }

    // The link of data that is staged at so many bytes per second, both ways together. Its rows are packed.
    LinkRates staged_at(double bytes_per_second) const
    {
        auto staged = *this;
        for (auto *rate : {&staged.in_bytes_per_second, &staged.out_bytes_per_second, &staged.both_bytes_per_second})
            *rate = std::min(*rate, bytes_per_second);
        staged.row_seconds = 0;
        return staged;
    }

    // Rectangles with shorter rows travel slower than staged ones at so many bytes a second, both ways together. Rows are never
    // staged if their own time is below a quarter of their bytes' time: staging takes cores.
    std::int64_t shortest_direct_row(double staging) const
    {
        const double link = std::min(in_bytes_per_second, out_bytes_per_second);
        const double saved = std::max(2 / staging - 1 / link, 0.25 / link); // seconds a byte
        return static_cast<std::int64_t>(row_seconds / saved);
    }
};

// Under which name a session keeps them.
constexpr const char *name_of_link_rates = "link rates";

// Measured at the first call for this device, in less than 0.2 s, within its free memory, from pinned memory where the device has
// its own; kept with the device. The device's in_use is held.
LinkRates measured_link(DeviceSession &session);

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

// Calls `take` with the specification of each device that is no processor, each GPU once. libhpart_blas, which loads the library, knows the
// function by its symbol.
HPART_PRIVATE void each_accelerator(void (*take)(void *user, const char *spec), void *user);

} // namespace hpart
