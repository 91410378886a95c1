// Teams of built-in kernels, from processor specs.
#pragma once

#include "kernel_line.hpp"
#include "library.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

// A team that runs the kernel on the processors; the library names each by its spec.
// memory_limit is the text of --memory-limit, for devices.
Team make_team(const KernelLine &line, const std::vector<std::string> &processors,
               const std::optional<std::string> &memory_limit);

// The spec of a processor from its name in a platform file, where a list of cores has no commas: "cpu:0+2" is cpu:0,2.
std::string spec_of_name(std::string name);

} // namespace hpart_command
