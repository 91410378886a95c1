#include "out_of_card/devices/dynamic_library.hpp"

#include "core/error.hpp"

#include <dlfcn.h>

namespace hpart
{

DynamicLibrary::DynamicLibrary(const char *what, const std::vector<std::string> &names) : what_(what)
{
    std::string reason = "no name was given";
    for (const auto &name : names) {
        handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ != nullptr) {
            name_ = name;
            return;
        }
        const auto *const error = dlerror();
        reason = error != nullptr ? error : "unknown reason";
    }
    fail(Status::unsupported, what_, " cannot be loaded: ", reason);
}

void *DynamicLibrary::symbol(const char *symbol) const
{
    auto *const address = dlsym(handle_, symbol);
    if (address == nullptr)
        fail(Status::unsupported, what_, " (", name_, ") has no function ", symbol, ": its version is not supported");
    return address;
}

} // namespace hpart
