// The kernel and fixed dimensions that functions were measured with: "dgemm n=512 k=512" in a platform file.
#pragma once

#include "output.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace hpart_command
{

// A dimension that is the size of the problem: "n=size".
constexpr std::int64_t equal_to_size = -1;

// The order of kernels' names: n=512 k=512.
struct DimOrder {
    using is_transparent = void;
    bool operator()(std::string_view one, std::string_view other) const
    {
        return std::pair(one != "n", one) < std::pair(other != "n", other);
    }
};
using Dims = std::map<std::string, std::int64_t, DimOrder>;

struct KernelLine {
    std::string kernel;
    Dims dims;
    std::string math_mode{}; // "fp64-emulated"; empty: as usual
    std::string_view math_mode_name() const { return math_mode.empty() ? "usual" : std::string_view(math_mode); }
};

// "n=512,k=512", "n=size,k=512", or "512x512" in the kernel's order; refuses anything else, naming the argument.
Dims parse_dims(std::string_view argument, std::string_view text, std::string_view kernel);
// Nothing when the line is not of that form.
std::optional<KernelLine> parse_kernel_line(std::string_view line);
// True if the line names a kernel that hpart runs itself.
bool is_builtin(std::string_view line);

// "n=512,k=512", as the library's option dims and --dims have it.
std::string dims_text(const Dims &dims);
// Numbers, and "size".
Json dims_json(const Dims &dims);

// Floating-point operations of a problem of `size` rows; nothing for a kernel that is not known here.
std::optional<double> operations(const KernelLine &line, std::int64_t size);

} // namespace hpart_command
