#include "out_of_card/devices/opencl_query.hpp"

#include "core/file.hpp"
#include "core/text.hpp"

#include <cstdlib>
#include <fstream>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>

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

std::string library_named_in(const std::string &file)
{
    std::string line;
    std::ifstream stream(file);
    std::getline(stream, line);
    return std::string(trim(line));
}

// A folder, or one file or library of it.
std::string vendors()
{
    for (const auto *name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"})
        if (const auto *const value = std::getenv(name); value != nullptr && *value != '\0') return value;
    return usual_folder;
}

std::vector<std::string> files_in(const std::string &place)
{
    struct stat info {
    };
    if (::stat(place.c_str(), &info) != 0) return {};
    if (!S_ISDIR(info.st_mode)) return {place};
    std::vector<std::string> files;
    for (const auto &name : names_in(place))
        if (is_icd(name)) files.push_back(text(place, "/", name));
    return files;
}

} // namespace

std::string missing_opencl_drivers()
{
    std::string out;
    for (const auto &file : files_in(vendors())) {
        const auto library = is_icd(file) ? library_named_in(file) : file;
        const auto why = library.empty() ? "it names no library" : why_not_loaded(library);
        if (!why.empty()) out += text(out.empty() ? "" : "; ", file, ": ", why);
    }
    return out;
}

std::string no_opencl_platform()
{
    constexpr const char *none = "this machine has no OpenCL platform: ";
    const auto place = vendors();
    if (files_in(place).empty())
        return text(none, "there is no .icd file in ", place, "; the loader looks in ", usual_folder,
                    ", or in the folder that OCL_ICD_VENDORS names");
    const auto missing = missing_opencl_drivers();
    return text(none, missing.empty() ? text("the drivers in ", place, " show none") : missing);
}

} // namespace hpart
