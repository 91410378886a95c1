// Ctrl-C and termination asked for politely: long work stops at its next look and leaves its files whole.
#pragma once

namespace hpart_command
{

// From here on the first SIGINT or SIGTERM is noted, a second one ends the process at once. So does the first one, after a
// second, where nothing is left half done: a transform by a library is one call, and nobody looks meanwhile.
enum class Unheard { waits, ends }; // work that does not look within a second
void watch_for_interrupts(Unheard unheard = Unheard::waits);

// The signal noted, or 0.
int interrupted_by();

} // namespace hpart_command
