// A product on several devices at once.
#pragma once

#include "out_of_card/gemm/one_device.hpp"

namespace hpart
{

// C is split by rows, or by columns where that repeats less: the shares come from the library's own partitioner, on the
// devices' modelled times, corrected by what earlier calls took. Each device works on a thread of its own; the host, without a
// memory limit, in place on the cores that the others leave. When one fails, all stop.
Account gemm_on_devices(DeviceGroup &devices, const GemmCall &row_major, const GemmSettings &settings,
                        Control &control);

} // namespace hpart
