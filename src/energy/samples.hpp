// Readings between two times.
#pragma once

#include "energy/reading.hpp"

#include <vector>

namespace hpart
{

// Power at a time between two readings of one channel, on the line between them.
Reading power_on_line(const Reading &before, const Reading &after, double seconds);

// Power over [from, to] by readings (one channel, increasing times, one at least): the first and last at the ends. Between two
// readings power is on a line; before the first and after the last it is held.
std::vector<Reading> power_between(const std::vector<Reading> &readings, double from, double to);

} // namespace hpart
