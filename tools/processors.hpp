// The abstract processors that this machine offers.
#pragma once

#include "core/builtin_kernels.hpp"
#include "library.hpp"
#include "output.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart_command
{

// The kernel and fixed dimensions that functions were measured with: "dgemm n=512 k=512" in a platform file.

using hpart::equal_to_size;

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

struct Grouping {
    std::string name;
    std::vector<std::string> cores; // of each group, "0-3,8"
};
// From coarse to fine. with_other_names: then the same groupings under their other names.
std::vector<Grouping> groupings_here(bool with_other_names = false);

// Numbers of the cores that this process may use, in increasing order.
std::vector<int> usable_cores();

// The hardware threads of each core.
using CoreThreads = std::vector<std::vector<int>>;
CoreThreads cores_here();
// By hpart_grouping_describe's groupings of a machine.
CoreThreads threads_of_cores(const std::vector<Grouping> &groupings);

// "opencl:0:0": the devices of which unit S is core S.
std::vector<std::string> devices_of_bound_units(const std::vector<Device> &devices);

// "cpu:0 and cpu:8", the first two of the processors that have threads of one core; else "".
std::string siblings_of(const std::vector<std::string> &processors, const CoreThreads &cores,
                        const std::vector<std::string> &with_bound_units = {});

// "3-7,12" as numbers.
std::vector<int> numbers_of(std::string_view list);

// The GPUs. GPUs of one name under several platforms count once: under CUDA, or under OpenCL's first platform that has them.
std::vector<std::string> graphics_of(const std::vector<Device> &devices);

// "cpu:0-7", "cuda:0@8-15": half of the cores and at most eight a GPU, of those near it the last, are for the GPUs' drivers and transfers
// as long as one is left to compute. A GPU has all threads of its cores, the host one a core. near: of each GPU; empty: not known.
std::vector<std::string> with_host_cores(const std::vector<std::string> &graphics, CoreThreads cores,
                                         const std::vector<std::vector<int>> &near);

// The default processors of `hpart profile`.
std::vector<std::string> default_processors();

} // namespace hpart_command
