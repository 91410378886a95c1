// The textbook dynamic program on dense tables: large instances, values only. Shares no code with the library's partitioners.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace reference
{

// Least energy of the distributions of n whose time is at most `longest`; nothing when there is none.
std::optional<double> dense_least_energy(const hpart::Platform &platform, std::int64_t n,
                                         double longest = std::numeric_limits<double>::infinity());

// Least time.
std::optional<double> dense_least_time(const hpart::Platform &platform, std::int64_t n);

} // namespace reference
