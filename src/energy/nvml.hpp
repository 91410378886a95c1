// NVIDIA's management library, found when the program runs.
#pragma once

#include "energy/registry.hpp"

#include <string>
#include <vector>

namespace hpart
{

// Device number `argument` through the first of these libraries that loads.
Sensor open_nvml_of(const std::vector<std::string> &libraries, const std::string &argument,
                    const MeterSettings &settings);

} // namespace hpart
