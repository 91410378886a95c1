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

// "NVIDIA H200": behind the spec, before the first comma.
std::string name_of(const Device &device)
{
    const auto rest = device.description.substr(std::min(device.spec.size() + 1, device.description.size()));
    return rest.substr(0, rest.find(','));
}

// CUDA's, and those of OpenCL that are none of CUDA's.
std::vector<std::string> graphics_of(const std::vector<Device> &devices)
{
    std::vector<std::string> specs, names;
    const auto add = [&](bool of_cuda) {
        for (const auto &device : devices) {
            if (!is_of_type(device, "GPU") || device.spec.starts_with("cuda:") != of_cuda) continue;
            if (!of_cuda && std::find(names.begin(), names.end(), name_of(device)) != names.end()) continue;
            specs.push_back(device.spec);
            if (of_cuda) names.push_back(name_of(device));
        }
    };
    add(true);
    add(false);
    return specs;
}

// The last cores are the GPUs' as long as one is left to compute.
std::vector<std::string> with_host_cores(const std::vector<std::string> &graphics, std::vector<int> cores)
{
    const auto count = static_cast<std::ptrdiff_t>(graphics.size());
    std::vector<int> of_hosts;
    if (static_cast<std::ptrdiff_t>(cores.size()) > count) {
        of_hosts.assign(cores.end() - count, cores.end());
        cores.resize(cores.size() - graphics.size());
    }
    std::vector<std::string> processors = {one_processor(cores)};
    for (std::size_t k = 0; k < graphics.size(); ++k)
        processors.push_back(graphics[k] + (of_hosts.empty() ? "" : "@" + std::to_string(of_hosts[k])));
    return processors;
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
    const auto found = devices();
    const auto graphics = graphics_of(found);
    if (!graphics.empty()) return with_host_cores(graphics, cores);
    const auto central =
        std::find_if(found.begin(), found.end(), [](const auto &device) { return is_of_type(device, "CPU"); });
    // Core 0 and, as an unlike neighbour, core 1 under OpenCL: they share nothing but the memory.
    if (cores.size() >= 2 && cores[0] == 0 && cores[1] == 1 && central != found.end())
        return {one_processor({0}), central->spec + ":1"};
    std::vector<std::string> processors;
    processors.reserve(cores.size());
    for (const int core : cores) processors.push_back(one_processor({core}));
    return processors;
}

} // namespace hpart_command
