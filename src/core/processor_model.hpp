// The name of this machine's processor.
#pragma once

#include <string>

namespace hpart
{

// As /proc/cpuinfo has it, of the tree in HPART_MACHINE_ROOT if that is set; "" where it has none.
std::string processor_model();

} // namespace hpart
