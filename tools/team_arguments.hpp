// The processors that profile and tune measure: of a built-in kernel, or programs.
#pragma once

#include "core/machine.hpp"
#include "processors.hpp"
#include "team.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

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

// Checks that this machine is quiet enough for measurements, and names disturbances with their remedies.

// The machine's state, read from the files below a root ("/" on this machine).
struct MachineState {
    double all_seconds() const { return times.busy + times.stolen + times.idle; }

    hpart::CoreTimes times;
    double swapped = 0; // pages, in and out
    std::map<std::int64_t, hpart::ProcessTimes> processes;
    std::int64_t own = 0;                         // the process that looks; 0: unknown
    std::map<std::string, std::string> governors; // by core
    bool turbo = false;
    std::string turbo_remedy;
};

MachineState machine_state(const std::string &root);

// One line each: "other processes use 65 % of the cores, most of it cc1plus (process 123): times get longer and intervals wider; stop
// them, or wait".
std::vector<std::string> disturbances_between(const MachineState &first, const MachineState &second);

struct QuietArguments {
    bool strict = false;
};
void add_quiet_arguments(CLI::App &sub, QuietArguments &arguments);

// Lines for stderr, one for each thing that disturbs measurements now. With --strict the command ends instead. Takes a quarter of a second.
// Arguments are checked first: a wrong call is wrong on a busy machine too.
std::string disturbances_now(const QuietArguments &arguments);

} // namespace hpart_command
