// HEPOPTA as HTPOPTA calls it.
#pragma once

#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// The Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution. `fastest` gets the
// distribution of least time that HPOPTA finds first, if one is known when a limit is met. Throws Status::limit.
std::vector<TimedEnergy> search_front(const Instance &instance, std::int64_t size, Control &control, Work &work,
                                      std::vector<std::int64_t> &fastest);

} // namespace hpart
