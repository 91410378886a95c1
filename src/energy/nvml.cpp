#include "energy/backends.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "energy/sensor.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace hpart
{

namespace
{

constexpr double nvml_interval_seconds = 0.1; // of both, on the devices of a decade
constexpr double joules_of_millijoule = 1e-3;
constexpr double watts_of_milliwatt = 1e-3;

// Declarations of nvml.h. Its binary interface has kept them since the first version.
using NvmlReturn = int;
using NvmlDevice = void *; // a pointer to what nobody else sees
constexpr NvmlReturn nvml_success = 0, nvml_not_supported = 3, nvml_no_permission = 4, nvml_not_found = 6,
                     nvml_driver_not_loaded = 9;

struct Nvml {
    NvmlReturn (*init)() = nullptr;
    NvmlReturn (*shutdown)() = nullptr;
    NvmlReturn (*device_count)(unsigned *count) = nullptr;
    NvmlReturn (*device_by_index)(unsigned index, NvmlDevice *device) = nullptr;
    NvmlReturn (*device_by_bus)(const char *bus, NvmlDevice *device) = nullptr;
    NvmlReturn (*total_energy)(NvmlDevice device, unsigned long long *millijoules) = nullptr;
    NvmlReturn (*power_usage)(NvmlDevice device, unsigned *milliwatts) = nullptr;
    const char *(*error_string)(NvmlReturn result) = nullptr;

    explicit Nvml(const std::vector<std::string> &libraries)
    {
        const DynamicLibrary library("NVIDIA's management library, which comes with the driver,", libraries);
        library.bind(init, "nvmlInit_v2");
        library.bind(shutdown, "nvmlShutdown");
        library.bind(device_count, "nvmlDeviceGetCount_v2");
        library.bind(device_by_index, "nvmlDeviceGetHandleByIndex_v2");
        library.bind(device_by_bus, "nvmlDeviceGetHandleByPciBusId_v2");
        library.bind(total_energy, "nvmlDeviceGetTotalEnergyConsumption");
        library.bind(power_usage, "nvmlDeviceGetPowerUsage");
        library.bind(error_string, "nvmlErrorString");
    }

    // Throws `otherwise` for errors that have no status of their own.
    void check(NvmlReturn result, const std::string &what, Status otherwise) const
    {
        if (result == nvml_success) return;
        if (result == nvml_no_permission)
            fail(Status::permission, what, ": ", error_string(result),
                 "; let the user into the group that may open /dev/nvidiactl and /dev/nvidia0");
        const bool is_absent =
            result == nvml_not_supported || result == nvml_not_found || result == nvml_driver_not_loaded;
        fail(is_absent ? Status::unsupported : otherwise, what, ": ", error_string(result));
    }
};

// The library counts who has begun to use it.
class NvmlSession
{
  public:
    explicit NvmlSession(const std::vector<std::string> &libraries) : calls_(libraries)
    {
        calls_.check(calls_.init(), "NVIDIA's management library does not start", Status::device);
    }
    NvmlSession(const NvmlSession &) = delete;
    NvmlSession &operator=(const NvmlSession &) = delete;
    ~NvmlSession() { calls_.shutdown(); }
    const Nvml *operator->() const { return &calls_; }

  private:
    Nvml calls_;
};

class NvidiaDevice final : public Source
{
  public:
    // bus: of the device; empty: the device is found by its number
    NvidiaDevice(const std::vector<std::string> &libraries, unsigned number, const std::string &bus, std::string name)
        : nvml_(libraries), name_(std::move(name))
    {
        if (bus.empty())
            find(number);
        else
            nvml_->check(nvml_->device_by_bus(bus.c_str(), &device_), name_, Status::device);
        unsigned long long millijoules = 0;
        counts_ = nvml_->total_energy(device_, &millijoules) == nvml_success; // else power, or why there is none
        read();
    }

    std::string origin() const { return text("nvml ", std::bit_cast<std::uintptr_t>(device_)); }

    // Since Volta; before, power is all there is.
    bool counts() const { return counts_; }

    Reading read() override
    {
        const auto before = Clock::now();
        double value = 0;
        if (counts_) {
            unsigned long long millijoules = 0;
            nvml_->check(nvml_->total_energy(device_, &millijoules), name_, Status::device);
            value = static_cast<double>(millijoules) * joules_of_millijoule;
        } else {
            unsigned milliwatts = 0;
            nvml_->check(nvml_->power_usage(device_, &milliwatts), name_, Status::device);
            value = static_cast<double>(milliwatts) * watts_of_milliwatt;
        }
        return {middle_seconds(before, Clock::now()), {value}};
    }

  private:
    void find(unsigned number)
    {
        unsigned count = 0;
        nvml_->check(nvml_->device_count(&count), name_, Status::device);
        if (number >= count)
            fail(Status::unsupported, name_, ": there ", count == 1 ? "is 1 device" : text("are ", count, " devices"),
                 " of NVIDIA's, numbered from 0");
        nvml_->check(nvml_->device_by_index(number, &device_), name_, Status::device);
    }

    NvmlSession nvml_;
    std::string name_;
    NvmlDevice device_ = nullptr;
    bool counts_ = false;
};

const NvmlLibraries &usual_libraries()
{
    static const NvmlLibraries names = {
        {"libnvidia-ml.so.1", "/usr/local/nvidia/lib64/libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"},
        {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}};
    return names;
}

// CUDA numbers the fastest device first, and only the devices of CUDA_VISIBLE_DEVICES.
std::string bus_of_cuda_device(const std::vector<std::string> &libraries, int number, const std::string &name)
{
    const DynamicLibrary library("the CUDA driver", libraries);
    int (*init)(unsigned flags) = nullptr;
    int (*device_get)(int *device, int ordinal) = nullptr;
    int (*bus_of)(char *bus, int length, int device) = nullptr;
    library.bind(init, "cuInit");
    library.bind(device_get, "cuDeviceGet");
    library.bind(bus_of, "cuDeviceGetPCIBusId");
    std::array<char, 32> bus{};
    int device = 0;
    for (const int error :
         {init(0), device_get(&device, number), bus_of(bus.data(), static_cast<int>(bus.size() - 1), device)})
        if (error != 0) fail(Status::unsupported, name, ": CUDA has no device ", number, " (error ", error, ")");
    return bus.data();
}

} // namespace

Sensor open_nvml_of(const NvmlLibraries &libraries, const std::string &argument, const MeterSettings &settings)
{
    const auto name = "nvml:" + argument;
    constexpr std::string_view of_cuda = "cuda:";
    const bool is_of_cuda = argument.starts_with(of_cuda);
    const auto number = parse_int(std::string_view(argument).substr(is_of_cuda ? of_cuda.size() : 0));
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max())
        fail_parameter("spec", " is ", in_quotes(name),
                       "; it must have the number of a device, as in nvml:0, or nvml:cuda:0 for cuda:0");
    const auto bus = is_of_cuda ? bus_of_cuda_device(libraries.cuda, static_cast<int>(*number), name) : std::string();
    auto device = std::make_unique<NvidiaDevice>(libraries.nvml, static_cast<unsigned>(*number), bus, name);
    const bool counts = device->counts();
    Sensor sensor;
    sensor.traits = {name,
                     counts ? Quantity::joules : Quantity::watts,
                     counts ? Method::counter : Method::integrated,
                     settings.interval.value_or(nvml_interval_seconds),
                     {{"device " + argument, never_wraps}}};
    sensor.traits.never_rests = true;
    sensor.traits.origin = device->origin();
    sensor.source = std::move(device);
    return sensor;
}

Sensor open_nvml(const std::string &argument, const MeterSettings &settings)
{
    return open_nvml_of(usual_libraries(), argument, settings);
}

MeterAvailability look_for_nvml() { return try_to_open(open_nvml, "0"); }

} // namespace hpart
