#include "out_of_card/devices/opencl_backend.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/opencl_handles.hpp"

#ifdef HPART_HAVE_HWLOC
#include "host/topology.hpp"
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hpart
{

namespace
{

struct Spec {
    std::size_t platform = 0, device = 0;
    std::optional<std::size_t> unit;
};

Spec parse_spec(std::string_view spec)
{
    constexpr std::string_view prefix = "opencl:";
    std::vector<std::size_t> numbers;
    for (auto rest = spec.substr(std::min(prefix.size(), spec.size()));;) {
        const auto colon = std::min(rest.find(':'), rest.size());
        const auto number = parse_int(rest.substr(0, colon));
        // One way to write each: a device that stands twice in a list is found by its name.
        if (!number || *number < 0 || text(*number) != rest.substr(0, colon) || numbers.size() == 3) {
            numbers.clear();
            break;
        }
        numbers.push_back(static_cast<std::size_t>(*number));
        if (colon == rest.size()) break;
        rest.remove_prefix(colon + 1);
    }
    if (spec.substr(0, prefix.size()) != prefix || numbers.size() < 2)
        fail_argument(in_quotes(spec), " names no OpenCL device; it must be opencl:P:D or opencl:P:D:S, as opencl:0:0");
    return {numbers[0], numbers[1], numbers.size() == 3 ? std::optional(numbers[2]) : std::nullopt};
}

std::vector<ClDevice> divide(cl_device_id device, std::string_view spec)
{
    if (!can_divide(device))
        fail(Status::device, "the device of ", in_quotes(spec),
             " cannot be divided into compute units: its driver makes no such sub-devices; give ",
             spec.substr(0, spec.rfind(':')), ", the whole device");
    const auto units = cl_value<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    std::vector<cl_device_partition_property> counts = {CL_DEVICE_PARTITION_BY_COUNTS};
    counts.insert(counts.end(), units, 1);
    counts.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
    counts.push_back(0);
    std::vector<cl_device_id> made(units);
    const auto status = clCreateSubDevices(device, counts.data(), units, made.data(), nullptr);
    if (status != CL_SUCCESS)
        fail(Status::device, "the device of ", in_quotes(spec),
             " cannot be divided into compute units: ", cl_error_name(status));
    return {made.begin(), made.end()};
}

// A device's compute units as sub-devices, made once a process and kept: PoCL's threads look at the device of a command
// after they have told that the command is complete, so that a sub-device released in between is used after its end.
struct DividedDevices {
    std::mutex mutex;
    std::map<cl_device_id, std::vector<ClDevice>> units;
};

DividedDevices &divided_devices()
{
    static auto *const the_one = new DividedDevices; // not destroyed: the driver's threads may end after static objects
    return *the_one;
}

cl_device_id unit_of(cl_device_id device, std::size_t unit, std::string_view spec)
{
    auto &divided = divided_devices();
    const std::lock_guard lock(divided.mutex);
    auto found = divided.units.find(device);
    if (found == divided.units.end()) found = divided.units.emplace(device, divide(device, spec)).first;
    if (unit >= found->second.size())
        fail(Status::device, in_quotes(spec), " names compute unit ", unit, "; the device has units 0 to ",
             found->second.size() - 1);
    return found->second[unit].get();
}

cl_device_id find_device(const Spec &wanted, std::string_view spec)
{
    const auto platforms = cl_platforms();
    if (wanted.platform >= platforms.size()) {
        if (platforms.empty()) fail(Status::device, in_quotes(spec), " is not here: ", no_opencl_platform());
        const auto missing = missing_opencl_drivers();
        fail(Status::device, in_quotes(spec), " is not here: this machine has ",
             pluralise(std::ssize(platforms), "OpenCL platform"), missing.empty() ? "" : "; ", missing);
    }
    const auto devices = cl_devices(platforms[wanted.platform]);
    if (devices.empty())
        fail(Status::device, in_quotes(spec), " is not here: OpenCL platform ", wanted.platform, ", ",
             no_opencl_device(platforms[wanted.platform]));
    if (wanted.device >= devices.size())
        fail(Status::device, in_quotes(spec), " is not here: OpenCL platform ", wanted.platform, " has ",
             pluralise(std::ssize(devices), "device"));
    auto *const device = devices[wanted.device];
    return wanted.unit ? unit_of(device, *wanted.unit, spec) : device;
}

} // namespace

cl_device_id find_opencl_neighbour(std::string_view spec)
{
    auto wanted = parse_spec(spec);
    if (!wanted.unit) return nullptr;
    const Spec whole{wanted.platform, wanted.device, std::nullopt};
    const auto units = cl_value<cl_uint>(find_device(whole, spec), CL_DEVICE_MAX_COMPUTE_UNITS);
    if (units < 2) return nullptr;
    wanted.unit = (*wanted.unit + 1) % units;
    return find_device(wanted, spec);
}

cl_device_id find_opencl_device(std::string_view spec) { return find_device(parse_spec(spec), spec); }

namespace
{

constexpr const char *usual_folder = "/etc/OpenCL/vendors";

// Why a library does not load; empty if it does. The loader has tried it before, so that it stays as it is.
std::string why_not_loaded(const std::string &library)
{
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return {};
    const auto *const error = dlerror();
    return error == nullptr ? "unknown reason" : error;
}

bool is_icd(const std::string &file) { return file.ends_with(".icd"); }

std::string first_line_of(const std::string &file)
{
    std::string line;
    std::ifstream stream(file);
    std::getline(stream, line);
    return line;
}

std::string name_of_blank(char character)
{
    switch (character) {
    case '\r': return "a carriage return";
    case '\t': return "a tab";
    default: return "a blank";
    }
}

// Loaders take the line as it is. Empty if they find its library.
std::string why_not_loaded_by(const std::string &line)
{
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"))
        return "it is no text in UTF-8, but perhaps in UTF-16; it must be the name of a library alone";
    const bool has_mark = line.starts_with(mark);
    const std::string library(trim(std::string_view(line).substr(has_mark ? mark.size() : 0)));
    if (library.empty()) return "it names no library";
    if (has_mark)
        return text(
            "its line begins with a byte order mark, which the loader takes for a part of the name; it must be ",
            library, " alone");
    const auto why = why_not_loaded(line);
    if (why.empty() || library == line) return why;
    const bool is_at_end = line.front() == library.front();
    return text("its line ", is_at_end ? "ends" : "begins", " with ", name_of_blank(is_at_end ? line.back() : line[0]),
                ", which the loader takes for a part of the name; it must be ", library, " alone");
}

// A folder, or one file or library of it.
std::string vendors()
{
    for (const auto *name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"})
        if (const auto *const value = std::getenv(name); value != nullptr && *value != '\0') return value;
    return usual_folder;
}

bool is_folder(const std::string &place)
{
    struct stat info {
    };
    return ::stat(place.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::vector<std::string> files_in(const std::string &place)
{
    if (::access(place.c_str(), F_OK) != 0) return {};
    if (!is_folder(place)) return {place};
    std::vector<std::string> files;
    for (const auto &name : names_in(place))
        if (is_icd(name)) files.push_back(text(place, "/", name));
    return files;
}

bool has_pocl()
{
    const auto files = files_in(vendors());
    return std::any_of(files.begin(), files.end(), [](const auto &file) {
        return (is_icd(file) ? first_line_of(file) : file).find("pocl") != std::string::npos;
    });
}

bool is_affinity_set()
{
    const char *const affinity = std::getenv("POCL_AFFINITY");
    return affinity != nullptr && std::string_view(affinity) == "1";
}

// PoCL asks hwloc, which knows the topologies of its environment variables.
int topology_cores()
{
#ifdef HPART_HAVE_HWLOC
    return hwloc_get_nbobjs_by_type(this_topology().get(), HWLOC_OBJ_PU);
#else
    return online_cores();
#endif
}

// Tries it with a thread of its own; nothing if all of them can be had, or no thread.
std::optional<int> first_core_without_a_binding(int cores)
{
    std::optional<int> found;
    const auto look = [&] {
        for (int core = 0; core < cores && !found; ++core) {
            std::vector<cpu_set_t> sets(static_cast<std::size_t>(core) / CPU_SETSIZE + 1);
            const auto bytes = sets.size() * sizeof(cpu_set_t);
            CPU_SET_S(static_cast<std::size_t>(core), bytes, sets.data());
            if (::sched_setaffinity(0, bytes, sets.data()) != 0 && errno == EINVAL) found = core;
        }
    };
    try {
        std::thread(look).join();
    } catch (const std::system_error &) {
        return std::nullopt;
    }
    return found;
}

} // namespace

std::string missing_opencl_drivers()
{
    std::string out;
    for (const auto &file : files_in(vendors())) {
        const auto why = why_not_loaded_by(is_icd(file) ? first_line_of(file) : file);
        if (!why.empty()) out += text(out.empty() ? "" : "; ", file, ": ", why);
    }
    return out;
}

const std::string &why_pocl_would_end()
{
    static const std::string why = [] {
        if (!has_pocl() || !is_affinity_set()) return std::string();
        const auto core = first_core_without_a_binding(topology_cores());
        return core ? text("POCL_AFFINITY=1 makes PoCL bind a thread to core ", *core,
                           ", which this process cannot have; unset POCL_AFFINITY")
                    : std::string();
    }();
    return why;
}

std::string no_opencl_platform()
{
    constexpr const char *none = "this machine has no OpenCL platform: ";
    if (const auto &why = why_pocl_would_end(); !why.empty()) return text(none, why);
    const auto place = vendors();
    if (files_in(place).empty())
        return text(none, "there is no .icd file in ", place, "; the loader looks in ", usual_folder,
                    ", or in the folder that OCL_ICD_VENDORS names");
    if (const auto missing = missing_opencl_drivers(); !missing.empty()) return text(none, missing);
    return text(none, "the drivers in ", place, " show none",
                is_folder(place) ? "" : "; some loaders take a folder alone, of .icd files, in OCL_ICD_VENDORS");
}

std::string no_opencl_device(cl_platform_id platform)
{
    const auto name = cl_text(platform, CL_PLATFORM_NAME);
    // Mesa's have none until they are asked for.
    const char *remedy = name == "rusticl"  ? "; set RUSTICL_ENABLE to its drivers, as RUSTICL_ENABLE=radeonsi"
                         : name == "Clover" ? "; LP_CL=1 enables llvmpipe"
                                            : "";
    return text(name, " has no device", remedy);
}

namespace
{

// The usual limit of drivers that have one is 65,535.
constexpr cl_uint turns_of_probe = 100'000;

// No compiler knows the last number without these turns, and each turn has another number.
constexpr const char *probe_source = R"(
__kernel void loop_turns(__global uint *result, uint turns)
{
    uint x = 1;
#pragma unroll 1
    for (uint turn = 0; turn < turns; ++turn) x = x * 1664525u + 1013904223u;
    *result = x;
}
)";

constexpr cl_uint next_number(cl_uint x) { return x * 1664525U + 1013904223U; }

ClKernel make_probe(const OpenClState &state)
{
    if (cl_value<cl_bool>(state.device, CL_DEVICE_COMPILER_AVAILABLE) == CL_FALSE) return {};
    const char *source = probe_source;
    cl_int status = CL_SUCCESS;
    const ClProgram program(clCreateProgramWithSource(state.context.get(), 1, &source, nullptr, &status));
    check_cl(status, "clCreateProgramWithSource");
    // A compiler that refuses this one refuses the library's programs, with its words.
    if (clBuildProgram(program.get(), 1, &state.device, "-w", nullptr, nullptr) != CL_SUCCESS) return {};
    ClKernel kernel(clCreateKernel(program.get(), "loop_turns", &status));
    check_cl(status, "clCreateKernel");
    return kernel;
}

cl_uint run_probe(const OpenClState &state, cl_kernel kernel)
{
    cl_int status = CL_SUCCESS;
    const ClBuffer result(clCreateBuffer(state.context.get(), CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &status));
    check_allocation(status, "clCreateBuffer");
    auto *const buffer = result.get();
    check_cl(clSetKernelArg(kernel, 0, sizeof(cl_mem), &buffer),
             "clSetKernelArg"); // NOLINT(bugprone-sizeof-expression)
    check_cl(clSetKernelArg(kernel, 1, sizeof turns_of_probe, &turns_of_probe), "clSetKernelArg");
    const std::size_t one = 1;
    auto *const queue = state.service.get();
    check_cl(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
             "clEnqueueNDRangeKernel");
    cl_uint number = 0;
    check_cl(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof number, &number, 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return number;
}

// Empty if the loop is whole.
std::string fault_of_loops(const OpenClState &state)
{
    const KeptSignals kept; // most drivers compile here for the first time
    const auto kernel = make_probe(state);
    if (kernel.get() == nullptr) return {};
    const auto got = run_probe(state, kernel.get());
    std::optional<cl_uint> turns;
    cl_uint x = 1;
    for (cl_uint turn = 0; turn < turns_of_probe; ++turn, x = next_number(x))
        if (x == got) turns = turn;
    if (got == x) return {};
    return turns ? text("ends a kernel's loops after ", *turns, " turns")
                 : text("computes another result in a loop of ", turns_of_probe, " turns");
}

// By driver and device: a device's units share its driver's faults.
struct CheckedDrivers {
    std::mutex mutex;
    std::map<std::string, std::string> faults;
};

} // namespace

void refuse_short_loops(const OpenClState &state, const DeviceInfo &info)
{
    static CheckedDrivers checked;
    const std::lock_guard lock(checked.mutex);
    const auto key = text(info.driver, ", ", info.name);
    auto found = checked.faults.find(key);
    if (found == checked.faults.end()) found = checked.faults.emplace(key, fault_of_loops(state)).first;
    if (!found->second.empty())
        fail(Status::device, info.spec, " cannot be used: its driver (", key, ") ", found->second,
             ", so that results would be wrong; take another device");
}

} // namespace hpart
