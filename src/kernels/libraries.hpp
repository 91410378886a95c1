// Versions of the libraries that the kernels use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct Library {
    std::string_view name; // "openblas"
    std::string about;     // version and what else decides its speed; "not built in"
};

std::vector<Library> list_libraries();

// The machine and the library that decide the kernels' speed: "Intel Xeon Processor, 2 cores, OpenBLAS 0.3.21 for SkylakeX".
std::string this_machine();

} // namespace hpart
