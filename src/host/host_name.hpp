// What this machine is, for records of what was measured on it.
#pragma once

#include <string>

namespace hpart
{

// "AMD EPYC 9654, 4 cores, OpenBLAS SkylakeX": the processor, the cores that this process may use, the BLAS's kernels.
std::string host_name();

} // namespace hpart
