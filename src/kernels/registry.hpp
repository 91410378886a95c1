// The built-in kernels by name, and the processors that they run on by specification.
#pragma once

#include "core/options.hpp"
#include "host/cores.hpp"
#include "kernels/kernel.hpp"

#include <memory>
#include <string_view>

namespace hpart
{

struct BuiltinProcessor {
    std::unique_ptr<BuiltinKernel> kernel;
    CoreList cores; // of the processor's thread; empty: unbound
};

// kernel "dgemm", processor "cpu:0-3" or a device as open_cards takes it, dims "n=512,k=512"; options of call_builtin.
BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims,
                              const Options &options = {});

} // namespace hpart
