// Transforms by devices that share the host's memory, where the data is.
#pragma once

#include "out_of_card/fft/device_member.hpp"

#include <optional>

namespace hpart
{

// Option zero_copy: whether this device works on the host's memory.
bool uses_host_memory(const DeviceSession &session, const Options &options);

// Nothing where no array of the call can hold the work, or the implementation lacks a shape; then nothing was written.
std::optional<FlowRecord> transform_in_host_memory(FftMember &member, const FftProblem &problem, Control &control,
                                                   const FftBeginning &begin);

} // namespace hpart
