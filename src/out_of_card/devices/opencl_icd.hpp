// The drivers that OpenCL's loader is told of by .icd files. It passes over those that do not load without a word.
#pragma once

#include <string>

namespace hpart
{

// "/etc/OpenCL/vendors/a.icd: liba.so: cannot open shared object file", for each driver that does not load. Empty if each does.
std::string missing_opencl_drivers();
// "this machine has no OpenCL platform: ...", and the reason.
std::string no_opencl_platform();

} // namespace hpart
