#include "fake_nvml.hpp"

#include <chrono>

namespace fake_nvml
{

DeviceSession &card()
{
    static DeviceSession only;
    return only;
}

void reset()
{
    card().devices = 1;
    card().watts = 150;
    card().has_energy = true;
    card().failure = 0;
    card().init_result = 0;
}

namespace
{
constexpr int success = 0, invalid_argument = 2, not_supported = 3;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int answer(const void *device) { return device != &card() ? invalid_argument : card().failure.load(); }
} // namespace

} // namespace fake_nvml

using fake_nvml::card;

extern "C" {

int nvmlInit_v2(void)
{
    if (card().init_result == fake_nvml::success) ++card().sessions;
    return card().init_result;
}

int nvmlShutdown(void)
{
    --card().sessions;
    return fake_nvml::success;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = card().devices;
    return fake_nvml::success;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    if (index >= card().devices) return fake_nvml::invalid_argument;
    *device = &card();
    return fake_nvml::success;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    if (!card().has_energy) return fake_nvml::not_supported;
    *millijoules = static_cast<unsigned long long>(1000 * card().watts * fake_nvml::seconds());
    return fake_nvml::answer(device);
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    *milliwatts = static_cast<unsigned>(1000 * card().watts);
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
