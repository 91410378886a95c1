// Teams of built-in kernels, from processor specs.
#pragma once

#include "kernel_line.hpp"
#include "library.hpp"

#include <string>
#include <vector>

namespace hpart_command
{

// A team that runs the kernel on the processors, each named by its spec.
Team make_team(const KernelLine &line, const std::vector<std::string> &processors);

} // namespace hpart_command
