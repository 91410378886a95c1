// A distribution as fractions of the whole.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

// x[i] / sum x, as multiples of 2^-53 that are at most 2^-53 off and whose sum, in any order of additions in double, is exactly 1.
std::vector<double> shares_of(std::span<const std::int64_t> x);

} // namespace hpart
