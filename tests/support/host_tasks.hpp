// Launches that run a function of the test's on any device that runs on this machine.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <functional>
#include <span>
#include <vector>

namespace support
{

using Task = std::function<void(std::span<std::byte *const> memories)>;

// The task gets the memory of the buffers when its turn comes. It must not throw.
hpart::Launch host_task(hpart::Device &device, Task task, std::vector<hpart::DeviceBuffer *> buffers = {});

} // namespace support
