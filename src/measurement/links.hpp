// The links between the processors of a team: messages through this machine's memory.
#pragma once

#include "measurement/team.hpp"
#include "models/platform.hpp"

#include <functional>

namespace hpart
{

// Sets latency and bandwidth of the links between all processors of the platform, which are the team's, in both directions. Each
// processor is a thread on its cores, with a buffer in the memory near them. Pairs are measured one after another by ping-pong;
// around_rings: bandwidths of all threads at once: in round k, thread i takes from thread i + k. Calls look repeatedly; it may
// throw.
void measure_links(const Team &team, bool around_rings, Platform &platform,
                   const std::function<void(double fraction)> &look);

} // namespace hpart
