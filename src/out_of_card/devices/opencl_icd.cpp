#include "out_of_card/devices/opencl_icd.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include <dlfcn.h>

namespace hpart
{

namespace
{

namespace fs = std::filesystem;

constexpr const char *usual_folder = "/etc/OpenCL/vendors";

// Why a library does not load; empty if it does. The loader has tried it before, so that it stays as it is.
std::string why_not_loaded(const std::string &library)
{
    if (dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr) return {};
    const auto *const error = dlerror();
    return error == nullptr ? "unknown reason" : error;
}

std::string library_named_in(const fs::path &file)
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

std::vector<fs::path> files_in(const std::string &place)
{
    std::error_code ignored;
    std::vector<fs::path> files;
    if (!fs::is_directory(place, ignored)) {
        if (fs::exists(place, ignored)) files.emplace_back(place);
        return files;
    }
    for (const auto &entry : fs::directory_iterator(place, ignored))
        if (entry.path().extension() == ".icd") files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

} // namespace

std::string missing_opencl_drivers()
{
    std::string out;
    for (const auto &file : files_in(vendors())) {
        const auto library = file.extension() == ".icd" ? library_named_in(file) : file.string();
        const auto why = library.empty() ? "it names no library" : why_not_loaded(library);
        if (!why.empty()) out += text(out.empty() ? "" : "; ", file.string(), ": ", why);
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
