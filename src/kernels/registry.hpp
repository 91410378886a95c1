// The built-in kernels by name, and the processors that they run on by specification.
#pragma once

#include "kernels/kernel.hpp"
#include "host/cores.hpp"

#include <memory>
#include <string_view>

namespace hpart
{

struct BuiltinProcessor {
    std::unique_ptr<BuiltinKernel> kernel;
    CoreList cores; // of the processor's thread; empty: unbound
};

// kernel "dgemm", processor "cpu:0-3" or "opencl:0:0:1", dims "n=512,k=512".
BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims);

} // namespace hpart
