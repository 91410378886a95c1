// The processors that profile and tune measure: of a built-in kernel, or programs.
#pragma once

#include "kernel_line.hpp"
#include "programs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

struct TeamArguments {
    std::string kernel, dims;
    std::vector<std::string> processors;
    ProgramArguments program;
    ApplicationArguments application;
    std::optional<std::string> memory_limit;

    KernelLine line() const;
    // Without --processor: those that hpart info proposes.
    Team make() const;
    // Lines for stderr: processors that share a core, and an OpenBLAS that does not know these cores.
    std::string warning() const;
};

// --kernel, --dims, --processor, --memory-limit, and the options of programs and applications.
void add_team_arguments(CLI::App &app, TeamArguments &arguments);

} // namespace hpart_command
