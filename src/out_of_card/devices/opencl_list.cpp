#include "out_of_card/devices/opencl_list.hpp"

#include "core/error.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_handles.hpp"
#endif

namespace hpart
{

#ifdef HPART_HAVE_OPENCL

namespace
{
std::string_view type_name(cl_device_type type)
{
    if ((type & CL_DEVICE_TYPE_CPU) != 0) return "CPU";
    if ((type & CL_DEVICE_TYPE_GPU) != 0) return "GPU";
    return "accelerator";
}
} // namespace

std::vector<DeviceDescription> list_opencl_devices()
{
    std::vector<DeviceDescription> out;
    const auto platforms = cl_platforms();
    for (std::size_t p = 0; p < platforms.size(); ++p) {
        const auto devices = cl_devices(platforms[p]);
        for (std::size_t d = 0; d < devices.size(); ++d) {
            DeviceDescription info;
            info.spec = text("opencl:", p, ":", d);
            try {
                info.name = cl_text(devices[d], CL_DEVICE_NAME);
                info.type = type_name(cl_value<cl_device_type>(devices[d], CL_DEVICE_TYPE));
                info.driver = cl_text(devices[d], CL_DEVICE_VERSION);
                info.compute_units = cl_value<cl_uint>(devices[d], CL_DEVICE_MAX_COMPUTE_UNITS);
                info.memory_bytes =
                    static_cast<std::int64_t>(cl_value<cl_ulong>(devices[d], CL_DEVICE_GLOBAL_MEM_SIZE));
                if (info.type == "GPU") info.bus = pci_bus(devices[d]);
                info.double_precision = has_double_precision(devices[d]);
                info.is_divisible = info.compute_units > 1 && can_divide(devices[d]);
            } catch (const Error &) {
                continue;
            }
            out.push_back(std::move(info));
        }
    }
    return out;
}

std::string describe_opencl_platforms()
{
    std::string out;
    for (auto *const platform : cl_platforms()) {
        out += text(out.empty() ? "" : "; ", cl_text(platform, CL_PLATFORM_NAME), ": ",
                    cl_text(platform, CL_PLATFORM_VERSION));
        if (cl_devices(platform).empty()) out += text("; ", no_opencl_device(platform));
    }
    if (out.empty()) return text("built in, but ", no_opencl_platform());
    const auto missing = missing_opencl_drivers();
    return missing.empty() ? out : text(out, "; ", missing);
}

std::string describe_open_opencl()
{
    return is_opencl_open() ? describe_opencl_platforms() : "built in; drivers not opened";
}

#else

std::vector<DeviceDescription> list_opencl_devices() { return {}; }

std::string describe_opencl_platforms() { return "not built in"; }

std::string describe_open_opencl() { return describe_opencl_platforms(); }

#endif

} // namespace hpart
