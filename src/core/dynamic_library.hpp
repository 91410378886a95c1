// Libraries that are found when the program runs.
#pragma once

#include <string>
#include <vector>

namespace hpart
{

// Stays loaded to the end of the process: drivers leave threads and handlers behind.
class DynamicLibrary
{
  public:
    // Loads the first library of these names or paths that can be loaded. Status::unsupported if none can: with the loader's
    // message on a library that exists, or else with the places searched. The message names the library `what`.
    DynamicLibrary(const char *what, const std::vector<std::string> &names);

    // Its path, or the name under which it was found.
    const std::string &name() const { return name_; }
    // Status::unsupported when it has none of this name.
    void *symbol(const char *symbol) const;
    // Null when it has none.
    void *find(const char *symbol) const;

    template <typename Function> void bind(Function *&function, const char *symbol_name) const
    {
        function = reinterpret_cast<Function *>(symbol(symbol_name));
    }
    template <typename Function> void bind_if_there(Function *&function, const char *symbol_name) const
    {
        function = reinterpret_cast<Function *>(find(symbol_name));
    }

  private:
    const char *what_;
    std::string name_;
    void *handle_ = nullptr;
};

// Null where the process has no library of this file name, or the library no such symbol.
void *find_in_loaded(const char *file, const char *symbol);

// The function of the library that this one was linked with. `linked` may be another library's of the process: a program's own BLAS, MKL,
// or a library that was preloaded. It is taken where the file is unknown, as in static builds.
template <typename Function> Function *own_function(const char *file, Function *linked, const char *symbol)
{
    auto *const own = file != nullptr ? find_in_loaded(file, symbol) : nullptr;
    return own != nullptr ? reinterpret_cast<Function *>(own) : linked;
}

// The file that has this function or variable, or "".
std::string file_of(const void *address);

} // namespace hpart
