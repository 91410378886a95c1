// hpart energy --reference: the correction of a meter by a reference meter.
#pragma once

#include "arguments.hpp"
#include "library.hpp"

#include <string>
#include <vector>

namespace hpart_command
{

// Exit status of a meter that fails, out of the way of the command's own.
constexpr int exit_meter_failed = 125;

// Measures windows of both meters on the idle machine and while the command runs. Returns the command's exit status.
int run_calibration(const Common &common, const Meter &meter, const Meter &reference,
                    const std::vector<std::string> &command);

} // namespace hpart_command
