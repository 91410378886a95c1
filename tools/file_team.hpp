// The team that a platform file was measured with: its processors, by the names that they have there, or programs.
#pragma once

#include "library.hpp"
#include "programs.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

struct FileTeam {
    std::string file;
    std::optional<std::string> kernel, dims, memory_limit;
    std::vector<std::string> processors;
    ProgramArguments program;
    ApplicationArguments application;

    bool are_given() const
    {
        return kernel || dims || memory_limit || !processors.empty() || program.are_given() || application.command;
    }
    bool runs_programs() const
    {
        return !processors.empty() || application.command;
    } // of a team that was made: other processors are refused
};

// --kernel, --dims, --memory-limit, --processor, and the options of programs and applications.
void add_file_team(CLI::App &app, FileTeam &arguments);
// Refuses a file of another kernel, other dimensions, another memory limit or other programs.
Team make_team(const FileTeam &arguments, const hpart_platform *platform);

} // namespace hpart_command
