// The lines of programs that print watts.
#pragma once

#include <string>
#include <string_view>

namespace hpart
{

// The watts in a line. Status::device, with the meter's name, if there are none.
double command_watts(const std::string &name, std::string_view line);

} // namespace hpart
