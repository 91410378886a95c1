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
    // The first of these names or paths that loads. Status::unsupported, with the loader's word on the last of them, when
    // none does; `what` is how the sentence names the library.
    DynamicLibrary(const char *what, const std::vector<std::string> &names);

    // The name under which it was found.
    const std::string &name() const { return name_; }
    // Status::unsupported when it has none of this name.
    void *symbol(const char *symbol) const;

    template <typename Function> void bind(Function *&function, const char *symbol_name) const
    {
        function = reinterpret_cast<Function *>(symbol(symbol_name));
    }

  private:
    const char *what_;
    std::string name_;
    void *handle_ = nullptr;
};

} // namespace hpart
