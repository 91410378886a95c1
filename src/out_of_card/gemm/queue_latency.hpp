// The time that one queue loses when it waits for another.
#pragma once

#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"

namespace hpart
{

// Seconds from the end of a kernel to the start of a copy that waits for it in another queue, or back, where what is to
// go on has been idle for as long as a step takes: a thread that sleeps, or a command that the driver held back. Measured at
// the first call for this device, in some 30 ms and within what is free of its memory; kept with the device and its profile.
// The device's in_use is held.
double measured_queue_latency(DeviceSession &session, InCardGemm &kernel, const GemmRates &rates);

} // namespace hpart
