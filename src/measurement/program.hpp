// Processors whose kernel is a program: any executable that takes a size.
#pragma once

#include "core/options.hpp"
#include "kernels/kernel.hpp"
#include "measurement/printed_time.hpp"

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace hpart
{

struct ProgramSettings {
    bool prints_time = false; // else its wall time counts
    bool stays = false;       // one size a line on its input, one line of seconds as answer
    std::string pattern;
    double timeout = std::numeric_limits<double>::infinity(); // seconds of one run

    // Fails when the options contradict each other.
    static ProgramSettings from(const Options &options);
};

// {size} in the words is replaced at each run. A run that fails throws RunFailure with the command, the reason and the last line
// that the program wrote to standard error. Destroying the kernel ends the program.
std::unique_ptr<Kernel> make_program(std::vector<std::string> words, const ProgramSettings &settings);

} // namespace hpart
