// A command that the user wants to be run.
#pragma once

#include <string>
#include <vector>

namespace hpart_command
{

// Runs it to its end and gives the exit status of a shell: the command's, or 128 + the signal that ended it. Signals that
// were sent to this process alone are passed on. Throws Failure when it cannot be started: 127 not found, 126 anything else.
int run_child(const std::vector<std::string> &command, bool output_to_stderr);

} // namespace hpart_command
