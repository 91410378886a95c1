// HTPOPT from HEPOPT.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <vector>

namespace hpart
{

// The points of a dynamic front, in increasing time, that are not dominated in base power x time + dynamic energy. That value
// becomes their joules.
std::vector<TimedEnergy> total_energy_front(std::vector<TimedEnergy> front, double base_power);

// The largest dynamic energy that keeps power x seconds + energy, as double computes it, within `total`, which power x seconds is.
double most_dynamic_energy(double power, double seconds, double total);

} // namespace hpart
