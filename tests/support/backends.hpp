// The devices that every test of the out-of-card engine runs on.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace support
{

struct BackendCase {
    std::string name; // fit for a test's name
    std::function<std::shared_ptr<hpart::Device>()> open;
    bool is_here = true;
};

// host, opencl:0:0, its first compute unit, and opencl:0:0 taken for a device with memory of its own. Those that this machine
// lacks are not here.
const std::vector<BackendCase> &backend_cases();
// cuda:0 of a driver that works on the host. What delays commands or makes them fail needs gates, which CUDA does not have.
const std::vector<BackendCase> &backend_cases_without_gates();

// For GoogleTest's messages.
inline void PrintTo(const BackendCase &backend, std::ostream *out) { *out << backend.name; }

} // namespace support
