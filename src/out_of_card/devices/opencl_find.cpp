#include "out_of_card/devices/opencl_query.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <map>
#include <mutex>
#include <optional>

namespace hpart
{

namespace
{

struct Spec {
    std::size_t platform = 0, device = 0;
    std::optional<std::size_t> unit;
};

Spec parse_spec(std::string_view spec)
{
    constexpr std::string_view prefix = "opencl:";
    std::vector<std::size_t> numbers;
    for (auto rest = spec.substr(std::min(prefix.size(), spec.size()));;) {
        const auto colon = std::min(rest.find(':'), rest.size());
        const auto number = parse_int(rest.substr(0, colon));
        // One way to write each: a device that stands twice in a list is found by its name.
        if (!number || *number < 0 || text(*number) != rest.substr(0, colon) || numbers.size() == 3) {
            numbers.clear();
            break;
        }
        numbers.push_back(static_cast<std::size_t>(*number));
        if (colon == rest.size()) break;
        rest.remove_prefix(colon + 1);
    }
    if (spec.substr(0, prefix.size()) != prefix || numbers.size() < 2)
        fail_argument(in_quotes(spec), " names no OpenCL device; it must be opencl:P:D or opencl:P:D:S, as opencl:0:0");
    return {numbers[0], numbers[1], numbers.size() == 3 ? std::optional(numbers[2]) : std::nullopt};
}

std::vector<ClDevice> divide(cl_device_id device, std::string_view spec)
{
    if (!can_divide(device))
        fail(Status::device, "the device of ", in_quotes(spec),
             " cannot be divided into compute units: its driver makes no such sub-devices; give ",
             spec.substr(0, spec.rfind(':')), ", the whole device");
    const auto units = cl_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    std::vector<cl_device_partition_property> counts = {CL_DEVICE_PARTITION_BY_COUNTS};
    counts.insert(counts.end(), units, 1);
    counts.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
    counts.push_back(0);
    std::vector<cl_device_id> made(units);
    const auto status = clCreateSubDevices(device, counts.data(), units, made.data(), nullptr);
    if (status != CL_SUCCESS)
        fail(Status::device, "the device of ", in_quotes(spec),
             " cannot be divided into compute units: ", cl_error_name(status));
    return {made.begin(), made.end()};
}

// A device's compute units as sub-devices, made once a process and kept: PoCL's threads look at the device of a command
// after they have told that the command is complete, so that a sub-device released in between is used after its end.
struct DividedDevices {
    std::mutex mutex;
    std::map<cl_device_id, std::vector<ClDevice>> units;
};

DividedDevices &divided_devices()
{
    static auto *const the_one = new DividedDevices; // not destroyed: the driver's threads may end after static objects
    return *the_one;
}

cl_device_id unit_of(cl_device_id device, std::size_t unit, std::string_view spec)
{
    auto &divided = divided_devices();
    const std::lock_guard lock(divided.mutex);
    auto found = divided.units.find(device);
    if (found == divided.units.end()) found = divided.units.emplace(device, divide(device, spec)).first;
    if (unit >= found->second.size())
        fail(Status::device, in_quotes(spec), " names compute unit ", unit, "; the device has units 0 to ",
             found->second.size() - 1);
    return found->second[unit].get();
}

cl_device_id find_device(const Spec &wanted, std::string_view spec)
{
    const auto platforms = cl_platforms();
    if (wanted.platform >= platforms.size()) {
        if (platforms.empty()) fail(Status::device, in_quotes(spec), " is not here: ", no_opencl_platform());
        const auto missing = missing_opencl_drivers();
        fail(Status::device, in_quotes(spec), " is not here: this machine has ",
             pluralise(std::ssize(platforms), "OpenCL platform"), missing.empty() ? "" : "; ", missing);
    }
    const auto devices = cl_devices(platforms[wanted.platform]);
    if (devices.empty())
        fail(Status::device, in_quotes(spec), " is not here: OpenCL platform ", wanted.platform, ", ",
             no_opencl_device(platforms[wanted.platform]));
    if (wanted.device >= devices.size())
        fail(Status::device, in_quotes(spec), " is not here: OpenCL platform ", wanted.platform, " has ",
             pluralise(std::ssize(devices), "device"));
    auto *const device = devices[wanted.device];
    return wanted.unit ? unit_of(device, *wanted.unit, spec) : device;
}

} // namespace

cl_device_id find_opencl_neighbour(std::string_view spec)
{
    auto wanted = parse_spec(spec);
    if (!wanted.unit) return nullptr;
    const Spec whole{wanted.platform, wanted.device, std::nullopt};
    const auto units = cl_value<cl_uint>(find_device(whole, spec), CL_DEVICE_MAX_COMPUTE_UNITS);
    if (units < 2) return nullptr;
    wanted.unit = (*wanted.unit + 1) % units;
    return find_device(wanted, spec);
}

cl_device_id find_opencl_device(std::string_view spec) { return find_device(parse_spec(spec), spec); }

} // namespace hpart
