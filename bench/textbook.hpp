// References for hpart: one pass over the values, and the textbook dynamic program.
#pragma once

#include "profiles.hpp"

#include <cstdint>
#include <vector>

namespace bench
{

// A plain sum over all values of one quantity, stored one after another: the cost of reading the input once.
double streaming_sum(const std::vector<double> &values);

// V_i[s] = min over the points (x, c) of processor i and idling of V_{i-1}[s - x] + c, for all s up to n; with the larger of the two
// in place of the sum for times. p m n steps, vectorised; values only, a distribution would need n p entries more.
double textbook_energy(const std::vector<Function> &functions, std::int64_t processors, std::int64_t size);
double textbook_time(const std::vector<Function> &functions, std::int64_t processors, std::int64_t size);

} // namespace bench
