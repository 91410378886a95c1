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
    // The first of these names or paths that loads. Status::unsupported where none does, with the loader's word on one that
    // is there, or the places where none is; `what` is how the sentence names the library.
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

} // namespace hpart
