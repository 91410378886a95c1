// The built-in kernels by name, and the processors that they run on by specification.
#pragma once

#include "core/options.hpp"
#include "host/cores.hpp"
#include "kernels/kernel.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

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

} // namespace hpart
