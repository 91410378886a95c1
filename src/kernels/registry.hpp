// The built-in kernels by name, and the processors that they run on by specification.
#pragma once

#include "core/builtin_kernels.hpp"
#include "core/options.hpp"
#include "host/cores.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct BuiltinProcessor {
    std::unique_ptr<BuiltinKernel> kernel;
    CoreList cores;                           // of the processor's thread and of those that it starts; empty: unbound
    std::optional<std::int64_t> memory_limit; // of devices, where the options set one
    CoreList occupied;                        // that the work runs on: the cores, or those that a device is made of
};

// kernel "dgemm", processor "cpu:0-3" or a device as open_devices takes it, with "@CORES" for the
// threads of its driver and transfers; dims "n=512,k=512"; options of call_builtin.
BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims,
                              const Options &options = {});

// The fixed dimensions of a built-in kernel.

struct Dimension {
    std::string name;
    std::int64_t value;
};

// value, or the size where the dimension is equal to it.
inline std::int64_t at_size(std::int64_t value, std::int64_t size) { return value == equal_to_size ? size : value; }

// From "n=512,k=size": each of `names` exactly once, in any order, positive; the result is in the order of names.
std::vector<Dimension> parse_dimensions(std::string_view dims, std::span<const std::string_view> names,
                                        std::string_view kernel);

// "dgemm n=512 k=512", "dgemm n=size k=size"
std::string describe_kernel(std::string_view kernel, std::span<const Dimension> dimensions);

// Versions of the libraries that the kernels use.

struct Library {
    std::string_view name; // "openblas"
    std::string about;     // version and what else decides its speed; "not built in"
};

std::vector<Library> list_libraries();

// The machine and the library that decide the kernels' speed: "Intel Xeon Processor, 2 cores, OpenBLAS 0.3.21 for SkylakeX".
std::string this_machine();

} // namespace hpart
