// The abstract processors that this machine offers.
#pragma once

#include "library.hpp"

#include <span>
#include <string>
#include <vector>

namespace hpart_command
{

// Numbers of the cores that this process may use, in increasing order.
std::vector<int> usable_cores();

// The GPUs. Those of one name under several platforms count once: CUDA's, or those of OpenCL's first platform that has them.
std::vector<std::string> graphics_of(const std::vector<Device> &devices);

// "cpu:0-7", "cuda:0@8-15": the last cores, half of them and at most eight a GPU, are for the GPUs' drivers and transfers as long as one is
// left to compute.
std::vector<std::string> with_host_cores(const std::vector<std::string> &graphics, std::span<const int> cores);

// The default processors of `hpart profile`.
std::vector<std::string> default_processors();

} // namespace hpart_command
