// HTPOPT from HEPOPT.
#pragma once

#include "partitioners/solution.hpp"

#include <vector>

namespace hpart
{

// Of a dynamic front in increasing time, the points not dominated in base power x time + dynamic energy, with that value
// as joules.
std::vector<TimedEnergy> total_energy_front(std::vector<TimedEnergy> front, double base_power);

} // namespace hpart
