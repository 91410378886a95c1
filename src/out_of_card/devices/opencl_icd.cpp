#include "out_of_card/devices/opencl_query.hpp"

#include "core/file.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"

#ifdef HPART_HAVE_HWLOC
#include "host/topology.hpp"
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
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

} // namespace hpart
