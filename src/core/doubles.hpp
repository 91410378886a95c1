// Names for doubles that the whole library needs.
#pragma once

#include <limits>

namespace hpart
{

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN(); // a value that nobody measured
inline constexpr double unit_roundoff = 0x1p-53;

} // namespace hpart
