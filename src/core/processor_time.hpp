// Processor time of cores and of this process, as /proc has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Busy and stolen core seconds of these cores (all if empty), as /proc/stat's content has them.
struct CoreTimes {
    double busy = 0, stolen = 0;
    int cores = 0;
};
CoreTimes parse_core_times(std::string_view stat, const std::vector<int> &cores);
CoreTimes core_times(const std::string &proc_root, const std::vector<int> &cores);

// Core seconds of this process and of the processes that it started and those started, living or waited for.
double own_core_seconds(const std::string &proc_root);

} // namespace hpart
