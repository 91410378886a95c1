// The abstract processors that this machine offers.
#pragma once

#include "library.hpp"

#include <string>
#include <vector>

namespace hpart_command
{

// Numbers of the cores that this process may use, in increasing order.
std::vector<int> usable_cores();

// The default processors of `hpart profile`: all cores, and each GPU with a core for its driver and transfers.
std::vector<std::string> default_processors();

} // namespace hpart_command
