#include "out_of_card/devices/registry.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#endif

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include <unistd.h>

namespace hpart
{

namespace
{

// One line a backend. The specification of its devices is its prefix, or begins with the prefix and a colon.
struct BackendEntry {
    std::string_view prefix;
    std::string_view specs; // for messages
    std::shared_ptr<Device> (*open)(std::string_view spec);
    std::vector<ListedDevice> (*list)();
};

std::shared_ptr<Device> open_host(std::string_view spec)
{
    if (spec != "host") fail_argument("device ", in_quotes(spec), " is unknown; the host is named host");
    return make_host_device();
}

std::vector<ListedDevice> list_host()
{
    const auto device = make_host_device();
    const auto &info = device->info();
    return {{info.spec, text("host this machine's cores, ", info.compute_units, " compute units, ", info.memory_bytes,
                             " bytes, host, double precision")}};
}

std::shared_ptr<Device> open_opencl(std::string_view spec)
{
#ifdef HPART_HAVE_OPENCL
    return make_opencl_device(spec);
#else
    fail(Status::unsupported, "device ", in_quotes(spec), " cannot be opened: this build has no OpenCL");
#endif
}

std::vector<ListedDevice> list_opencl()
{
    std::vector<ListedDevice> out;
    std::string on_cores; // the first processor
    for (const auto &device : list_opencl_devices()) {
        auto description = describe(device);
        // Drivers count the machine's cores, whatever a batch system left.
        if (const auto usable = usable_cores().size();
            device.type == "CPU" && std::cmp_less(usable, device.compute_units))
            description += text(", ", pluralise(usable, "usable core"));
        if (device.type == "CPU" && !on_cores.empty()) description += text(", the same cores as ", on_cores);
        if (device.type == "CPU" && on_cores.empty()) on_cores = device.spec;
        out.push_back({device.spec, std::move(description)});
    }
    return out;
}

std::shared_ptr<Device> open_cuda(std::string_view spec)
{
    constexpr std::string_view prefix = "cuda:";
    const auto number = parse_int(spec.substr(std::min(prefix.size(), spec.size())));
    if (!number || *number < 0 || text(prefix, *number) != spec)
        fail_argument(in_quotes(spec), " names no CUDA device; it must be cuda:N, as cuda:0");
    return make_cuda_device(*number);
}

std::vector<ListedDevice> list_cuda()
{
    std::vector<ListedDevice> out;
    for (const auto &info : list_cuda_devices())
        out.push_back(
            {info.spec, text(info.spec, " ", info.name, ", ", info.compute_units, " compute units, ", info.memory_bytes,
                             " bytes, GPU, double precision, ", info.driver, ", bus ", info.bus)});
    return out;
}

constexpr BackendEntry backends[] = {
    {"host", "host", open_host, list_host},
    {"opencl", "opencl:P:D, opencl:P:D:S", open_opencl, list_opencl},
    {"cuda", "cuda:N", open_cuda, list_cuda},
};

// Drivers that one process has used do not work in its forks.
void refuse_in_fork(std::string_view spec)
{
    static const pid_t first = getpid();
    if (getpid() != first)
        fail(Status::device, spec,
             " cannot be opened: this process was forked from one that had opened a device; start a new process "
             "instead");
}

std::shared_ptr<Device> open_device(std::string_view spec)
{
    std::string known;
    for (const auto &backend : backends) {
        if (spec.substr(0, spec.find(':')) == backend.prefix) {
            if (backend.open != open_host) refuse_in_fork(spec);
            return backend.open(spec);
        }
        known += text(known.empty() ? "" : ", ", backend.specs);
    }
    fail_argument("device ", in_quotes(spec), " is unknown; devices are ", known,
                  "; hpart info lists those of this machine");
}

bool is_unit(std::string_view spec) { return std::ranges::count(spec, ':') == 3; }

// Each has a thread of its own.
bool are_units_of_one(std::string_view one, std::string_view other)
{
    return is_unit(one) && is_unit(other) && one.substr(0, one.rfind(':')) == other.substr(0, other.rfind(':'));
}

// One processor of this machine may be a device of several platforms, and its units are parts of it.
void refuse_shared_cores(const DeviceInfo &one, const DeviceInfo &other)
{
    const auto is_on_cores = [](const DeviceInfo &info) {
        return info.on_host_cores && info.backend == Backend::opencl;
    };
    if (!is_on_cores(one) || !is_on_cores(other) || are_units_of_one(one.spec, other.spec)) return;
    CoreList shared;
    std::ranges::set_intersection(cores_of(one), cores_of(other), std::back_inserter(shared));
    if (shared.empty()) return;
    fail_argument("devices ", in_quotes(one.spec), " and ", in_quotes(other.spec), " share core",
                  shared.size() > 1 ? "s " : " ", format_cores(shared),
                  ", where each takes time from the other; open one of them alone");
}

// "cuda:0", "opencl:1": a device and its units have one platform.
std::string_view platform_of(std::string_view spec)
{
    const auto colon = spec.find(':');
    return spec.substr(0, spec.find(':', colon == std::string_view::npos ? colon : colon + 1));
}

void refuse_one_gpu(const DeviceInfo &one, const DeviceInfo &other)
{
    const auto is_same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    const bool is_same_bus = !one.bus.empty() && std::ranges::equal(one.bus, other.bus, is_same);
    if (!is_same_bus || platform_of(one.spec) == platform_of(other.spec)) return;
    fail_argument("devices ", in_quotes(one.spec), " and ", in_quotes(other.spec), " are one GPU, on bus ", one.bus,
                  "; open one of them alone");
}

std::optional<std::int64_t> memory_limit_of(const Options &options)
{
    return options.is_set("memory_limit") ? options.find_int("memory_limit") : std::nullopt;
}

} // namespace

CoreList cores_of(const DeviceInfo &info)
{
    if (!has_bound_units(info)) return usable_cores();
    const std::string_view spec = info.spec;
    const auto unit = is_unit(spec) ? parse_int(spec.substr(spec.rfind(':') + 1)).value_or(0) : std::int64_t{0};
    CoreList cores;
    for (auto core = unit; core < unit + info.compute_units; ++core) cores.push_back(static_cast<int>(core));
    return cores;
}

bool has_bound_units(const DeviceInfo &info)
{
    const char *affinity = std::getenv("POCL_AFFINITY");
    const bool is_pocl = info.driver.find("PoCL") != std::string::npos || info.driver.find("pocl") != std::string::npos;
    return is_pocl && affinity != nullptr && std::string_view(affinity) == "1";
}

DeviceGroup open_devices(std::string_view spec, const Options &options)
{
    std::vector<std::string_view> specs;
    for (auto rest = spec;;) {
        const auto comma = rest.find(',');
        const auto one = trim(rest.substr(0, comma));
        if (one.empty())
            fail_argument("devices are ", in_quotes(spec), "; they must be one or several, as opencl:0:0,host");
        if (std::find(specs.begin(), specs.end(), one) != specs.end())
            fail_argument("devices are ", in_quotes(spec), ", where ", in_quotes(one), " stands twice");
        specs.push_back(one);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    DeviceGroup devices;
    for (const auto one : specs)
        devices.sessions.push_back(std::make_shared<DeviceSession>(open_device(one), memory_limit_of(options)));
    refuse_shared_hardware(devices);
    return devices;
}

void refuse_shared_hardware(const DeviceGroup &devices)
{
    for (std::size_t second = 0; second < devices.sessions.size(); ++second)
        for (std::size_t first = 0; first < second; ++first) {
            const auto &one = devices.sessions[first]->info(), &other = devices.sessions[second]->info();
            refuse_shared_cores(one, other);
            refuse_one_gpu(one, other);
        }
}

double DeviceGroup::setup_seconds() const
{
    double sum = -shared_setup_seconds;
    for (const auto &session : sessions) sum += session->setup_seconds();
    return sum;
}

std::vector<std::unique_lock<DeviceLock>> DeviceGroup::lock_all() const
{
    std::vector<DeviceSession *> ordered;
    for (const auto &session : sessions) ordered.push_back(session.get());
    std::sort(ordered.begin(), ordered.end(), std::less<>());
    std::vector<std::unique_lock<DeviceLock>> locks;
    for (auto *const session : ordered) locks.emplace_back(session->in_use());
    return locks;
}

std::vector<ListedDevice> list_devices()
{
    std::vector<ListedDevice> out;
    for (const auto &backend : backends) {
        auto devices = backend.list();
        std::move(devices.begin(), devices.end(), std::back_inserter(out));
    }
    return out;
}

} // namespace hpart
