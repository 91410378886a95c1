#include "processors.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include <sched.h>

namespace hpart_command
{

namespace
{

bool has_word(const Device &device, std::string_view word)
{
    return device.description.find(", " + std::string(word) + ",") != std::string::npos;
}

// "0-3" or "0,2"
std::string list_of(std::span<const int> cores)
{
    const auto first = cores.front(), last = cores.back();
    if (last - first + 1 == static_cast<int>(cores.size()) && last > first)
        return std::to_string(first) + "-" + std::to_string(last);
    std::string list;
    for (const int core : cores) list += (core == first ? "" : ",") + std::to_string(core);
    return list;
}

// "NVIDIA H200, 132 compute units, ...": the name.
std::string name_of(const Device &device) { return device.description.substr(0, device.description.find(',')); }

} // namespace

std::vector<std::string> graphics_of(const std::vector<Device> &devices)
{
    std::vector<std::string> specs;
    std::map<std::string, std::string> platforms; // of each name the one that counts
    const auto add = [&](bool of_cuda) {
        for (const auto &device : devices) {
            if (!has_word(device, "GPU") || device.spec.starts_with("cuda:") != of_cuda) continue;
            const auto platform = device.spec.substr(0, device.spec.rfind(':')); // cuda, opencl:0
            if (platforms.emplace(name_of(device), platform).first->second == platform) specs.push_back(device.spec);
        }
    };
    add(true);
    add(false);
    return specs;
}

std::vector<std::string> with_host_cores(const std::vector<std::string> &graphics, std::span<const int> cores)
{
    constexpr std::size_t most = 8; // more copied no faster beside an H100
    const auto each = std::clamp<std::size_t>(cores.size() / (2 * graphics.size()), 1, most);
    const bool has_some = cores.size() > graphics.size();
    auto rest = has_some ? cores.first(cores.size() - each * graphics.size()) : cores;
    std::vector<std::string> processors = {"cpu:" + list_of(rest)};
    for (std::size_t k = 0; k < graphics.size(); ++k)
        processors.push_back(graphics[k] +
                             (has_some ? "@" + list_of(cores.subspan(rest.size() + k * each, each)) : std::string()));
    return processors;
}

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
    const auto central = std::find_if(found.begin(), found.end(), [](const auto &device) {
        return has_word(device, "CPU") && !has_word(device, "indivisible") &&
               device.description.find("PoCL") != std::string::npos;
    });
    const char *affinity = std::getenv("POCL_AFFINITY");
    const bool is_bound = affinity != nullptr && std::string_view(affinity) == "1";
    // Core 0 and, as an unlike neighbour, core 1 under OpenCL: they share nothing but the memory.
    if (is_bound && cores.size() >= 2 && cores[0] == 0 && cores[1] == 1 && central != found.end())
        return {"cpu:0", central->spec + ":1"};
    std::vector<std::string> processors;
    processors.reserve(cores.size());
    for (const int core : cores) processors.push_back("cpu:" + std::to_string(core));
    return processors;
}

} // namespace hpart_command
