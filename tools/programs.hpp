// Processors that run a program of the user's: --processor NAME=COMMAND.
#pragma once

#include "arguments.hpp"
#include "library.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

struct ProgramArguments {
    std::optional<std::string> time_from, time_pattern, time_unit, protocol, timeout;

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

} // namespace hpart_command
