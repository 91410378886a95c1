#include "processors.hpp"

#include <algorithm>
#include <string_view>

#include <sched.h>

namespace hpart_command
{

namespace
{

bool is_of_type(const Device &device, std::string_view type)
{
    return device.description.find(", " + std::string(type) + ",") != std::string::npos;
}

// "cpu:0-3" or "cpu:0,2"
std::string one_processor(const std::vector<int> &cores)
{
    const auto first = cores.front(), last = cores.back();
    if (last - first + 1 == static_cast<int>(cores.size()) && last > first)
        return "cpu:" + std::to_string(first) + "-" + std::to_string(last);
    std::string spec = "cpu:";
    for (const int core : cores) spec += (core == first ? "" : ",") + std::to_string(core);
    return spec;
}

} // namespace

std::vector<int> usable_cores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return {0};
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &set)) cores.push_back(core);
    return cores;
}

std::vector<std::string> default_processors()
{
    const auto cores = usable_cores();
    std::vector<std::string> graphics;
    const Device *central = nullptr;
    const auto found = devices();
    for (const auto &device : found) {
        if (is_of_type(device, "GPU")) graphics.push_back(device.spec);
        if (is_of_type(device, "CPU") && central == nullptr) central = &device;
    }
    std::vector<std::string> processors;
    if (!graphics.empty()) {
        processors.push_back(one_processor(cores));
        processors.insert(processors.end(), graphics.begin(), graphics.end());
        return processors;
    }
    // Core 0 and, as an unlike neighbour, core 1 under OpenCL: they share nothing but the memory.
    if (cores.size() >= 2 && cores[0] == 0 && cores[1] == 1 && central != nullptr)
        return {one_processor({0}), central->spec + ":1"};
    for (const int core : cores) processors.push_back(one_processor({core}));
    return processors;
}

} // namespace hpart_command
