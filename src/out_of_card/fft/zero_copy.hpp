// Transforms by devices that share the host's memory, where the data is.
#pragma once

#include "out_of_card/fft/device_member.hpp"

#include <optional>

namespace hpart
{

// Option zero_copy: whether this device works on the host's memory.
bool uses_host_memory(const DeviceSession &session, const Options &options);

// True if an array of the call can hold the work, and the implementation has its shapes.
bool can_be_in_host_memory(const FftMember &member, const FftProblem &problem);

// Nothing where it cannot be; then nothing was written.
std::optional<FlowRecord> transform_in_host_memory(FftMember &member, const FftProblem &problem, Control &control,
                                                   const FftBeginning &begin);

} // namespace hpart
