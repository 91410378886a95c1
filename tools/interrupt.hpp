// Ctrl-C and termination asked for politely: long work stops at its next look and leaves its files whole.
#pragma once

namespace hpart_command
{

// From here on the first SIGINT or SIGTERM is noted, a second one ends the process at once.
void watch_for_interrupts();

// The signal noted, or 0.
int interrupted_by();

} // namespace hpart_command
