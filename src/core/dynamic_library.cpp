#include "core/dynamic_library.hpp"

#include "core/error.hpp"

#include <dlfcn.h>

namespace hpart
{

DynamicLibrary::DynamicLibrary(const char *what, const std::vector<std::string> &names) : what_(what)
{
    std::string not_there, broken;
    for (const auto &name : names) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            name_ = name;
            return;
        }
        // A library that exists but cannot be loaded is a better reason than one that is missing.
        const auto *const error = dlerror();
        const std::string why = error != nullptr ? error : "unknown reason";
        const bool is_there = why.rfind(name + ": cannot open", 0) == std::string::npos;
        auto &reason = is_there ? broken : not_there;
        if (reason.empty()) reason = why;
    }
    fail(Status::unsupported, what_, " cannot be loaded: ", broken.empty() ? not_there : broken);
}

void *DynamicLibrary::symbol(const char *symbol) const
{
    auto *const address = dlsym(handle_, symbol);
    if (address == nullptr)
        fail(Status::unsupported, what_, " (", name_, ") has no function ", symbol, ": its version is not supported");
    return address;
}

} // namespace hpart
