// A transform on several devices at once: each makes its share of the first pass, and when all have, its share of the second.
#pragma once

#include "out_of_card/fft/device_member.hpp"

#include <string>
#include <vector>

namespace hpart
{

// The devices are the caller's for as long as this takes. Empty when it was done; else why not: nothing was written then.
std::string fft_on_several_devices(std::vector<FftMember> members, const FftCall &call, const Options &options,
                                   FftAccount &account, const FftBeginning &begin);

} // namespace hpart
