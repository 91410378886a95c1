#include "processors.hpp"

#include <algorithm>
#include <string_view>

#include <sched.h>

namespace hpart_command
{

namespace
{
bool is_central_processor(const Device &device) { return device.description.find("CPU") != std::string::npos; }
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
    const auto cpu = [](int core) { return "cpu:" + std::to_string(core); };
    const auto found = devices();
    const auto device = std::find_if(found.begin(), found.end(), is_central_processor);
    // Core 0 and, as an unlike neighbour, core 1 under OpenCL: they share nothing but the memory.
    if (cores.size() >= 2 && cores[0] == 0 && cores[1] == 1 && device != found.end())
        return {cpu(0), device->spec + ":1"};
    std::vector<std::string> processors;
    for (const int core : cores) processors.push_back(cpu(core));
    return processors;
}

} // namespace hpart_command
