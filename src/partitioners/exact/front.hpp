// Fronts of the energies that are returned, and HTPOPT from HEPOPT.
#pragma once

#include "partitioners/problem/solution.hpp"
#include "partitioners/search/resource_search.hpp"

#include <optional>
#include <vector>

namespace hpart
{

// The points of an exact dynamic front, in increasing time, that are not dominated once their energies are rounded: the dynamic energy,
// or base power x time + dynamic energy.
std::vector<TimedEnergy> rounded_front(std::vector<TimedEnergy> front, const Instance &instance,
                                       std::optional<double> base_power);

// The dynamic energies for which power x seconds + energy, rounded, is within the total.
CostLimit energy_within_total(double power, double seconds, double total);

} // namespace hpart
