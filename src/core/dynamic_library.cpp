#include "core/dynamic_library.hpp"

#include "core/error.hpp"

#include <algorithm>

#include <dlfcn.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

namespace hpart
{

namespace
{

void add_once(std::vector<std::string> &list, std::string one)
{
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
}

std::string joined(const std::vector<std::string> &list)
{
    std::string out;
    for (const auto &one : list) out += text(out.empty() ? "" : ", ", one);
    return out;
}

// "liba.so.2, liba.so.1 in the loader's folders, /usr/local/lib"
std::string places_of(const std::vector<std::string> &names)
{
    if (names.size() == 1) return names.front();
    std::vector<std::string> files, folders;
    for (const auto &name : names) {
        const auto slash = name.rfind('/');
        add_once(files, slash == std::string::npos ? name : name.substr(slash + 1));
        add_once(folders, slash == std::string::npos ? "the loader's folders" : name.substr(0, slash));
    }
    return text(joined(files), " in ", joined(folders));
}

// The path of a library that was found by its bare name, where the loader reports it. A library that is loaded already is found so,
// whatever its folder.
std::string place_of([[maybe_unused]] void *handle, const std::string &name)
{
#if __has_include(<link.h>)
    link_map *map = nullptr;
    if (name.find('/') == std::string::npos && dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void *>(&map)) == 0 &&
        *map->l_name != '\0')
        return map->l_name;
#endif
    return name;
}

} // namespace

DynamicLibrary::DynamicLibrary(const char *what, const std::vector<std::string> &names) : what_(what)
{
    std::string broken;
    for (const auto &name : names) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            name_ = place_of(handle_, name);
            return;
        }
        // A library that exists but cannot be loaded is a better reason than a missing library.
        const auto *const error = dlerror();
        const std::string why = error != nullptr ? error : "unknown reason";
        const bool is_there = why.rfind(name + ": cannot open", 0) == std::string::npos;
        if (is_there && broken.empty()) broken = why;
    }
    if (!broken.empty()) fail(Status::unsupported, what_, " cannot be loaded: ", broken);
    fail(Status::unsupported, what_, " cannot be loaded: there is no ", places_of(names));
}

void *DynamicLibrary::find(const char *symbol) const { return dlsym(handle_, symbol); }

void *find_in_loaded(const char *file, const char *symbol)
{
    auto *const handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
    return handle != nullptr ? dlsym(handle, symbol) : nullptr;
}

std::string file_of(const void *address)
{
    Dl_info found{};
    return dladdr(address, &found) != 0 && found.dli_fname != nullptr ? found.dli_fname : "";
}

void *DynamicLibrary::symbol(const char *symbol) const
{
    auto *const address = find(symbol);
    if (address == nullptr)
        fail(Status::unsupported, what_, " (", name_, ") has no function ", symbol, ": its version is not supported");
    return address;
}

} // namespace hpart
