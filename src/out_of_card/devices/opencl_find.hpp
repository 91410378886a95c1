// A check of a driver, made when the first of its devices is opened.
#pragma once

#include "out_of_card/devices/opencl_backend.hpp"

namespace hpart
{

// Status::device if the driver ends a kernel's loops early, as llvmpipe's does with success: results would be wrong. A device
// without a compiler is not checked.
void refuse_short_loops(const OpenClState &state, const DeviceInfo &info);

} // namespace hpart
