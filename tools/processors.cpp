#include "processors.hpp"

#include "arguments.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "library.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>
#include <thread>
#include <vector>

namespace hpart_command
{

namespace
{

constexpr std::string_view is_size = "size";

// Adds "n=512" or "n=size"; false when it is not of that form or the name is there already.
bool add_dim(std::string_view setting, Dims &dims)
{
    const auto equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos) return false;
    const auto text = setting.substr(equals + 1);
    const auto value = text == is_size ? equal_to_size : hpart::parse_count(text).value_or(0);
    if (value < 1 && text != is_size) return false;
    return dims.emplace(setting.substr(0, equals), value).second;
}

// "512x512" as "n=512,k=512"; other texts unchanged.
std::string with_names(std::string_view text, std::string_view kernel)
{
    const auto *const known = hpart::find_kernel(kernel);
    const auto sizes = split(text, 'x');
    if (text.find('=') != std::string_view::npos || known == nullptr || sizes.size() != known->dimensions.size())
        return std::string(text);
    std::string named;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        named += hpart_command::text(k == 0 ? "" : ",", known->dimensions[k], "=", sizes[k]);
    return named;
}

} // namespace

Dims parse_dims(std::string_view argument, std::string_view text, std::string_view kernel)
{
    Dims dims;
    if (text.empty()) return dims;
    const auto named = with_names(text, kernel);
    for (const auto setting : split(named, ',')) {
        if (add_dim(setting, dims)) continue;
        const auto equals = setting.find('=');
        const auto name = setting.substr(0, equals);
        const auto size = equals == std::string_view::npos ? std::string_view() : setting.substr(equals + 1);
        const auto value = size == is_size ? std::optional<std::int64_t>(1) : hpart::parse_count(size);
        if (!value || name.empty())
            refuse(argument, " is ", in_quotes(text),
                   "; it must be NAME=SIZE settings joined with commas, as in n=512,k=512, or the sizes in their order "
                   "joined by x, as in 512x512");
        if (*value < 1)
            refuse(argument, " is ", in_quotes(text), ", where ", in_quotes(name), " is ", *value,
                   "; a dimension must be 1 or more");
        refuse(argument, " is ", in_quotes(text), ", where ", in_quotes(name), " is given twice");
    }
    return dims;
}

std::optional<KernelLine> parse_kernel_line(std::string_view line)
{
    KernelLine parsed;
    const auto next_word = [&line] {
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        const auto word = line.substr(0, line.find(' '));
        line.remove_prefix(word.size());
        return word;
    };
    parsed.kernel = next_word();
    if (parsed.kernel.empty()) return std::nullopt;
    constexpr std::string_view math = "math=";
    for (auto word = next_word(); !word.empty(); word = next_word())
        if (word.starts_with(math))
            parsed.math_mode = word.substr(math.size());
        else if (!add_dim(word, parsed.dims))
            return std::nullopt;
    return parsed;
}

bool is_builtin(std::string_view line)
{
    const auto parsed = parse_kernel_line(line);
    return parsed && hpart::find_kernel(parsed->kernel) != nullptr;
}

std::string dims_text(const Dims &dims)
{
    std::string out;
    for (const auto &[name, value] : dims) {
        out += text(out.empty() ? "" : ",", name, "=");
        out += value == equal_to_size ? std::string(is_size) : text(value);
    }
    return out;
}

Json dims_json(const Dims &dims)
{
    Json out = Json::object();
    for (const auto &[name, value] : dims) out[name] = value == equal_to_size ? Json(is_size) : Json(value);
    return out;
}

std::optional<double> operations(const KernelLine &line, std::int64_t size)
{
    const auto *const kernel = hpart::find_kernel(line.kernel);
    if (kernel == nullptr) return std::nullopt;
    auto elements = static_cast<double>(size);
    for (const auto name : kernel->dimensions) {
        const auto found = line.dims.find(name);
        if (found == line.dims.end()) return std::nullopt;
        elements *= static_cast<double>(found->second == equal_to_size ? size : found->second);
    }
    return kernel->work.operations(elements);
}

namespace
{

// "0-3,8"
std::string list_of(std::vector<int> cores)
{
    std::sort(cores.begin(), cores.end());
    std::string list;
    for (std::size_t k = 0; k < cores.size();) {
        auto end = k + 1;
        while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
        list += (list.empty() ? "" : ",") + std::to_string(cores[k]);
        if (end - k > 1) list += "-" + std::to_string(cores[end - 1]);
        k = end;
    }
    return list;
}

// "0000:3b:00.0", as the kernel's folders have it; "" where the description has none.
std::string bus_of(const Device &device)
{
    auto bus = hpart::parse_device(device.description).value_or(hpart::DeviceDescription{}).bus;
    for (auto &c : bus)
        if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    return bus;
}

// The cores beside the bridge of each GPU; empty where the kernel does not tell.
std::vector<std::vector<int>> cores_near(const std::vector<std::string> &graphics, const std::vector<Device> &devices)
{
    std::vector<std::vector<int>> near(graphics.size());
    for (const auto &device : devices) {
        const auto at = std::find(graphics.begin(), graphics.end(), device.spec);
        const auto bus = bus_of(device);
        if (at == graphics.end() || bus.empty()) continue;
        const auto list = hpart::read_sysfs(text(hpart::sysfs_root(), "/bus/pci/devices/", bus, "/local_cpulist"));
        if (list.status == hpart::Status::success)
            near[static_cast<std::size_t>(at - graphics.begin())] = numbers_of(list.text);
    }
    return near;
}

bool is_divided_by_pocl(const Device &device)
{
    const auto known = hpart::parse_device(device.description);
    return known && known->type == "CPU" && known->is_divisible && hpart::is_pocl(known->driver);
}

// The hardware threads that a processor names.
std::vector<int> threads_of(std::string_view processor, const std::vector<std::string> &with_bound_units)
{
    constexpr std::string_view cpu = "cpu:";
    if (processor.starts_with(cpu)) return numbers_of(processor.substr(cpu.size()));
    const auto at = std::min(processor.rfind('@'), processor.size());
    auto threads = numbers_of(processor.substr(std::min(at + 1, processor.size())));
    for (auto rest = processor.substr(0, at); !rest.empty();) {
        const auto device = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(device.size() + 1, rest.size()));
        for (const auto &spec : with_bound_units)
            if (device.starts_with(spec + ":"))
                for (const auto unit : numbers_of(device.substr(spec.size() + 1))) threads.push_back(unit);
    }
    return threads;
}

} // namespace

std::vector<std::string> graphics_of(const std::vector<Device> &devices)
{
    std::vector<std::string> specs;
    std::map<std::string, std::string> platforms; // by name: the platform that counts
    const auto add = [&](bool of_cuda) {
        for (const auto &device : devices) {
            const auto known = hpart::parse_device(device.description);
            if (!known || known->type != "GPU" || device.spec.starts_with("cuda:") != of_cuda) continue;
            const auto platform = device.spec.substr(0, device.spec.rfind(':')); // cuda, opencl:0
            if (platforms.emplace(known->name, platform).first->second == platform) specs.push_back(device.spec);
        }
    };
    add(true);
    add(false);
    return specs;
}

std::vector<std::string> with_host_cores(const std::vector<std::string> &graphics, CoreThreads cores,
                                         const std::vector<std::vector<int>> &near)
{
    constexpr std::size_t most = 8; // more copied no faster beside an H100
    const auto each = std::clamp<std::size_t>(cores.size() / (2 * graphics.size()), 1, most);
    std::vector<std::string> processors(graphics.begin(), graphics.end());
    const auto is_near = [](const std::vector<int> &core, const std::vector<int> &list) {
        return std::find(list.begin(), list.end(), core.front()) != list.end();
    };
    const bool has_some = cores.size() > graphics.size();
    for (auto k = has_some ? graphics.size() : 0; k-- > 0;) {
        // The last of those near it, else the last.
        std::stable_partition(cores.begin(), cores.end(), [&](const auto &core) { return !is_near(core, near[k]); });
        std::vector<int> threads;
        for (std::size_t count = 0; count < each; ++count) {
            threads.insert(threads.end(), cores.back().begin(), cores.back().end());
            cores.pop_back();
        }
        std::sort(cores.begin(), cores.end());
        processors[k] += "@" + list_of(std::move(threads));
    }
    std::vector<int> rest;
    for (const auto &core : cores) rest.push_back(core.front());
    processors.insert(processors.begin(), "cpu:" + list_of(std::move(rest)));
    return processors;
}

std::vector<int> numbers_of(std::string_view list)
{
    std::vector<int> numbers;
    while (!list.empty()) {
        const auto range = list.substr(0, list.find(','));
        list.remove_prefix(std::min(range.size() + 1, list.size()));
        const auto first = hpart::parse_int(range.substr(0, range.find('-')));
        const auto last = hpart::parse_int(range.substr(range.find('-') + 1)); // the same without a dash
        for (auto number = first.value_or(0); first && last && number <= *last; ++number)
            numbers.push_back(static_cast<int>(number));
    }
    return numbers;
}

#ifdef HPART_CORE_ONLY

std::vector<Grouping> groupings_here(bool /*with_other_names*/)
{
    std::vector<Grouping> groupings = {{"node", {}}, {"core", {}}};
    const auto count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned core = 0; core < count; ++core) groupings[1].cores.push_back(std::to_string(core));
    groupings[0].cores.push_back(text("0-", count - 1));
    return groupings;
}

#else

std::vector<Grouping> groupings_here(bool with_other_names)
{
    std::int64_t count = 0, needed = 0;
    check(hpart_grouping_count(nullptr, &count));
    std::vector<Grouping> groupings;
    for (std::int64_t k = 0; k < count || with_other_names; ++k) {
        const auto status = hpart_grouping_describe(nullptr, k, nullptr, 0, &needed);
        if (k >= count && status == HPART_ERR_INVALID_ARGUMENT) break;
        check(status);
        std::string line(static_cast<std::size_t>(needed), '\0');
        check(hpart_grouping_describe(nullptr, k, line.data(), needed, &needed));
        line.pop_back();
        std::istringstream words(line);
        Grouping grouping;
        words >> grouping.name;
        for (std::string cores; words >> cores;) grouping.cores.push_back(cores);
        groupings.push_back(std::move(grouping));
    }
    return groupings;
}

#endif

std::vector<int> usable_cores() { return numbers_of(groupings_here().front().cores.front()); }

CoreThreads cores_here() { return threads_of_cores(groupings_here()); }

std::vector<std::string> devices_of_bound_units(const std::vector<Device> &devices)
{
    std::vector<std::string> specs;
    const char *affinity = std::getenv("POCL_AFFINITY");
    if (affinity == nullptr || std::string_view(affinity) != "1") return specs;
    for (const auto &device : devices)
        if (is_divided_by_pocl(device)) specs.push_back(device.spec);
    return specs;
}

std::string siblings_of(const std::vector<std::string> &processors, const CoreThreads &cores,
                        const std::vector<std::string> &with_bound_units)
{
    std::map<std::size_t, std::string> owners; // by core
    std::string pairs;
    for (const auto &processor : processors) {
        const auto name = processor.substr(0, processor.find('='));
        const auto threads = threads_of(processor, with_bound_units);
        for (std::size_t core = 0; core < cores.size(); ++core) {
            const auto &all = cores[core];
            if (all.size() < 2) continue;
            if (std::find_first_of(all.begin(), all.end(), threads.begin(), threads.end()) == all.end()) continue;
            const auto owner = owners.emplace(core, name).first->second;
            if (owner != name && pairs.empty()) pairs = text(owner, " and ", name);
        }
    }
    return pairs;
}

// Threads are the finest grouping where they are not cores; the one before is of cores, under whatever name.
CoreThreads threads_of_cores(const std::vector<Grouping> &groupings)
{
    const bool has_threads = groupings.size() > 1 && groupings.back().name == "thread";
    CoreThreads cores;
    for (const auto &list : groupings[groupings.size() - (has_threads ? 2 : 1)].cores)
        cores.push_back(numbers_of(list));
    return cores;
}

std::vector<std::string> default_processors()
{
    const auto cores = cores_here();
    const auto found = devices();
    const auto graphics = graphics_of(found);
    if (!graphics.empty()) return with_host_cores(graphics, cores, cores_near(graphics, found));
    const auto bound = devices_of_bound_units(found);
    // Core 0 and, as an unlike neighbour, the next core under OpenCL: they share nothing but the memory.
    if (cores.size() >= 2 && cores[0].front() == 0 && !bound.empty())
        return {"cpu:0", text(bound[0], ":", cores[1].front())};
    std::vector<std::string> processors;
    processors.reserve(cores.size());
    for (const auto &core : cores) processors.push_back(text("cpu:", core.front()));
    return processors;
}

} // namespace hpart_command
