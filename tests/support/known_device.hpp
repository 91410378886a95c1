// Devices whose rates are known: their sessions measure nothing, and plans do not depend on the machine's load.
#pragma once

#include "out_of_card/devices/registry.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace support
{

// Bytes, operations and seconds per second or command; about those of a GPU in a slow slot.
struct KnownRates {
    double in = 1e10, out = 9e9, both = 1.6e10, copy_seconds = 5e-6, row_seconds = 1e-10;
    double staging = 5e9;
    double product_flops = 2e11, product_seconds = 2e-6;
    double product_depth = 0; // at which products have half of that rate
    double fft_copy = 2e10, fft_flops = 1e10, fft_seconds = 1e-5;
    double host_flops = 1e10;
    // cuSOLVER's rows x columns^2 a second, and seconds of each column besides: faster than the host, whatever the panel.
    double panel_flops = 1e13, panel_column_seconds = 1e-9;
    bool are_measured = false; // products' rates may then be measured anew
};

// Keeps every value that an operation would otherwise measure, and the choice of kernels.
void keep_rates(hpart::DeviceSession &session, const KnownRates &rates = {});
std::shared_ptr<hpart::DeviceSession> known_device(std::shared_ptr<hpart::Device> device,
                                                   std::optional<std::int64_t> limit, const KnownRates &rates = {});
// The devices of a list, as "opencl:0:0,host"; fails as open_devices does.
hpart::DeviceGroup known_devices(std::string_view specs, std::optional<std::int64_t> limit);

} // namespace support
