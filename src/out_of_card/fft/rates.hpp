// The rates of a device that transforms depend on.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace hpart
{

struct FftRates {
    double in = 8e9, out = 8e9;       // bytes over the link
    bool half_duplex = true;          // in and out take turns
    double row_seconds = 1e-7;        // more for each row of a rectangle
    std::int64_t least_row_bytes = 1; // of rectangles that travel as fast as what is packed on the host
    double packing = 0;               // bytes both ways between plain and pinned memory; 0: transfers go directly
    double command_seconds = 1e-5;    // of a launch or transfer besides its work
    double flops = 1e10;              // of transforms in the device
    double copy = 8e9;                // bytes of copies on the device, and of twists
    double units = 1; // of the host's cores that kernels and copies share; 0: they run beside each other
};

// Under which name a session keeps them.
std::string name_of_fft_rates(std::string_view engine, bool is_double);
// Measured with this implementation in some hundredths of a second, once a device.
FftRates rates_of(DeviceSession &session, InCardFft &engine, bool is_double);

} // namespace hpart
