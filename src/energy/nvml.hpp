// NVIDIA's management library, found when the program runs.
#pragma once

#include "energy/sensor.hpp"

#include <string>
#include <vector>

namespace hpart
{

struct NvmlLibraries {
    std::vector<std::string> nvml, cuda; // of each, the first that loads
};

// `argument`: "N", a device in the order of the management library (by bus), or "cuda:N", in CUDA's order.
Sensor open_nvml_of(const NvmlLibraries &libraries, const std::string &argument, const MeterSettings &settings);

} // namespace hpart
