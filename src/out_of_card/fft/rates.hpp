// What a card does in a second, as far as transforms are concerned.
#pragma once

#include "out_of_card/in_card/fft.hpp"

namespace hpart
{

struct FftRates {
    double in = 8e9, out = 8e9;    // bytes over the link
    bool half_duplex = true;       // in and out take turns
    double row_seconds = 1e-7;     // more for each row of a rectangle
    double command_seconds = 1e-5; // of a launch or transfer besides its work
    double flops = 1e10;           // of transforms in the card
    double copy = 8e9;             // bytes of copies on the card, and of twists
    double units = 1;              // of the host's cores that kernels and copies share; 0: they run beside each other
};

// Measured with this implementation in a few milliseconds, once a card.
FftRates rates_of(Card &card, InCardFft &engine, bool is_double);

} // namespace hpart
