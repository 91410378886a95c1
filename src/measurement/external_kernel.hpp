// Processors that run what a command names: a program, or a function of a shared library.
#pragma once

#include "core/options.hpp"
#include "host/cores.hpp"
#include "kernels/kernel.hpp"

#include <memory>
#include <string_view>

namespace hpart
{

struct ExternalProcessor {
    std::unique_ptr<Kernel> kernel;
    CoreList cores; // empty: unbound
};

// "./app --gpu {size}", or "lib:PATH:FUNCTION[@CORES]" with int FUNCTION(int64_t size, void *user), user NULL; options of call_program.
ExternalProcessor make_external(std::string_view command, const Options &options);

} // namespace hpart
