// The lines of programs that print watts.
#pragma once

#include <string>
#include <string_view>

namespace hpart
{

// Watts of a line; Status::device, with the meter's name, when it has none.
double command_watts(const std::string &name, std::string_view line);

} // namespace hpart
