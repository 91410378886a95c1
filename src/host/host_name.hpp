// A description of this machine for the records of measurements.
#pragma once

#include <string>

namespace hpart
{

// "AMD EPYC 9654, 4 cores, OpenBLAS SkylakeX": the processor, the cores that this process may use, the BLAS's kernels.
std::string host_name();

} // namespace hpart
