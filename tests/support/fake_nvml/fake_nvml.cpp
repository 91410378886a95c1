#include "fake_nvml.hpp"

#include <cstring>

namespace fake_nvml
{

DeviceSession &session()
{
    static DeviceSession only;
    return only;
}

void reset()
{
    session().devices = 1;
    session().watts = 150;
    session().joules = 0;
    session().has_energy = true;
    session().failure = 0;
    session().init_result = 0;
}

namespace
{
constexpr int success = 0, invalid_argument = 2, not_supported = 3;

int answer(const void *device) { return device != &session() ? invalid_argument : session().failure.load(); }
} // namespace

} // namespace fake_nvml

using fake_nvml::session;

extern "C" {

int nvmlInit_v2(void)
{
    if (session().init_result == fake_nvml::success) ++session().sessions;
    return session().init_result;
}

int nvmlShutdown(void)
{
    --session().sessions;
    return fake_nvml::success;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = session().devices;
    return fake_nvml::success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    if (index >= session().devices) return fake_nvml::invalid_argument;
    *device = &session();
    return fake_nvml::success;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device)
{
    constexpr int not_found = 6;
    if (std::strcmp(bus, fake_nvml::bus) != 0) return not_found;
    *device = &session();
    return fake_nvml::success;
}

// CUDA's driver, whose device 3 is this one.
int cuInit(unsigned) { return fake_nvml::success; }

int cuDeviceGet(int *device, int ordinal)
{
    constexpr int invalid_device = 101;
    *device = ordinal;
    return ordinal < 4 ? fake_nvml::success : invalid_device;
}

int cuDeviceGetPCIBusId(char *bus, int length, int device)
{
    std::strncpy(bus, device == 3 ? fake_nvml::bus : "0000:01:00.0", static_cast<std::size_t>(length));
    return fake_nvml::success;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    if (!session().has_energy) return fake_nvml::not_supported;
    *millijoules = static_cast<unsigned long long>(1000 * session().joules);
    return fake_nvml::answer(device);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = static_cast<unsigned>(1000 * session().watts);
    return fake_nvml::answer(device);
}

const char *nvmlErrorString(int result)
{
    switch (result) {
    case 0: return "Success";
    case 3: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case 9: return "Driver Not Loaded";
    case 15: return "GPU is lost";
    default: return "Unknown Error";
    }
}

} // extern "C"
