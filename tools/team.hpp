// Teams of built-in kernels, from processor specs.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "processors.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

// A team that runs the kernel on the processors; the library names each by its spec.
// memory_limit is the text of --memory-limit, for devices.
Team make_team(const KernelLine &line, const std::vector<std::string> &processors,
               const std::optional<std::string> &memory_limit);

// The spec of a processor from its name in a platform file, where a list of cores has no commas: "cpu:0+2" is cpu:0,2.
std::string spec_of_name(std::string name);

// Processors that run a program of the user's: --processor NAME=COMMAND.

struct ProgramArguments {
    std::optional<std::string> time_from, time_pattern, time_unit, protocol, timeout;
    std::optional<double> longest_run; // seconds: the timeout if none is given

    bool are_given() const { return time_from || time_pattern || time_unit || protocol || timeout; }
    bool stays_alive() const { return protocol == "lines"; }
    // With the budget, or `least` seconds, as the time of a single run: nothing but its end would come of waiting.
    ProgramArguments within(const std::optional<std::string> &budget, double least) const;
};

// --time-from, --time-pattern, --time-unit, --protocol and --timeout.
void add_program_arguments(CLI::App &app, ProgramArguments &arguments);

struct Program {
    std::string name, command;
};

// --application: a command that runs all processors.
struct ApplicationArguments {
    std::optional<std::string> command, processors;

    bool are_given() const { return command || processors; }
};

// --application and --processors; `names` may come from a file.
void add_application_arguments(CLI::App &app, ApplicationArguments &arguments, bool names_are_of_a_file = false);

// The programs of --processor NAME=COMMAND; none when all texts are of built-in kernels' processors. Refuses a mixture.
std::vector<Program> programs_of(const std::vector<std::string> &processors);
// In the order of the names; refuses others than these.
std::vector<Program> in_order(const std::vector<Program> &programs, const std::vector<std::string> &names);
bool takes_size(const Program &program);

Team make_team(const std::vector<Program> &programs, const ProgramArguments &arguments);
// names: "CPU,GPU0"
Team make_application_team(const ApplicationArguments &application, const std::string &names,
                           const ProgramArguments &arguments);

// The kernel that a platform file of the team has.
std::string kernel_of(const Team &team);
// True if this kernel of a file means programs or an application.
bool is_of_programs(std::string_view kernel);

// The team that a platform file was measured with: its processors, by the names that they have there, or programs.

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
