// Devices whose rates are known: what is planned does not hang on the machine's load, and nothing has to be measured.
#pragma once

#include "out_of_card/devices/device_session.hpp"

#include <memory>
#include <optional>

namespace problem
{

// The rates that FFT plans and links are modelled with.
hpart::DeviceProfile known_profile();
std::shared_ptr<hpart::DeviceSession> known_device(std::shared_ptr<hpart::Device> device,
                                                   std::optional<std::int64_t> limit);

} // namespace problem
