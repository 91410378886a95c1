// The command as a function, for main and for the tests, which run it in a forked process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace hpart_command
{

// Runs the command with the words after its name and returns the exit status. Uses the descriptors 0, 1 and 2 of the process and changes
// the actions of signals. Once a process: standard input and interrupts are remembered.
int run_command(const std::vector<std::string> &words);

// True if ulimit -v limits this process.
bool has_limited_space();

// Help that fits the terminal; into a file or pipe each description is one line, as the manual pages need it.

std::shared_ptr<CLI::FormatterBase> help_formatter();

} // namespace hpart_command
