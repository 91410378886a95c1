// NVIDIA's management library, found when the program runs.
#pragma once

#include "energy/sensor.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct NvmlLibraries {
    std::vector<std::string> nvml, cuda; // of each, the first that loads
};

// `argument`: "N", a device in the order of the management library (by bus), or "cuda:N", in CUDA's order.
Sensor open_nvml_of(const NvmlLibraries &libraries, const std::string &argument, const MeterSettings &settings);

// The rows of the Watts up? PRO, a meter between a machine and the wall.

// "#d,-,18,1234,1203,...;" is 123.4 W. Nothing for other, cut or garbled rows.
std::optional<double> wattsup_watts(std::string_view row);

} // namespace hpart
