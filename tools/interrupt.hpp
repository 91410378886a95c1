// SIGINT, SIGTERM, SIGHUP and SIGQUIT: long work stops at its next check and leaves valid files.
#pragma once

#include <string>

namespace hpart_command
{

// From now on the first of these signals is only noted; a second one more than a second later ends the process at once.
// With last words the process also ends if it still runs patience_seconds after the first: it writes them and exits with 128 + signal.
void watch_for_interrupts(const std::string &last_words = "", unsigned patience_seconds = 5);

// The signal noted, or 0.
int interrupted_by();

} // namespace hpart_command
