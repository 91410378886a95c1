// HEPOPT: the Pareto front of time and dynamic energy, exact.
#pragma once

#include "partitioners/epsilon_constraint.hpp"

#include <vector>

namespace hpart
{

// In increasing time; empty when there is no distribution. Throws Status::limit.
std::vector<TimedEnergy> exact_front(const Instance &instance, std::int64_t size, Control &control, Work &work);

// HTPOPT: of a dynamic front in increasing time, the points not dominated in base power x time + dynamic energy, with that value
// as joules.
std::vector<TimedEnergy> total_energy_front(std::vector<TimedEnergy> front, double base_power);

} // namespace hpart
