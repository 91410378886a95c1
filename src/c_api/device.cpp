#include "c_api/guard.hpp"
#include "out_of_card/devices/opencl_list.hpp"

using namespace hpart;
using namespace hpart::c_api;

extern "C" {

int64_t hpart_device_count(void)
{
    try {
        return static_cast<std::int64_t>(list_opencl_devices().size());
    } catch (...) {
        return 0; // a loader that fails has no devices for us
    }
}

hpart_status hpart_device_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        const auto devices = list_opencl_devices();
        const auto count = static_cast<std::int64_t>(devices.size());
        if (count == 0) fail_argument("k is ", k, "; there are no devices: OpenCL is ", describe_opencl_platforms());
        if (k < 0 || k >= count) fail_argument("k is ", k, "; the devices are 0 to ", count - 1);
        copy_text(describe(devices[static_cast<std::size_t>(k)]), buffer, capacity, needed);
    });
}

} // extern "C"
