// Checks that this machine is quiet enough for measurements, and names disturbances with their remedies.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hpart_command
{

// The machine's state, read from the files below a root ("/" on this machine).
struct MachineState {
    struct Process {
        std::string name;
        double ticks = 0; // of processor time
    };
    std::int64_t cores = 0;
    double busy = 0, stolen = 0, all = 0; // ticks of all cores
    double swapped = 0;                   // pages, in and out
    std::map<std::int64_t, Process> processes;
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
