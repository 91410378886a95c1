// The shape of a processor's measured functions: whether load balancing is optimal for them, and how far they are from smooth.
#pragma once

#include "core/options.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hpart
{

// Number of operations of a problem of that size, positive and finite.
using Operations = std::function<double(std::int64_t size)>;

Report shape_of(const Processor &processor, const Operations &operations);

// A distribution as fractions of the whole.

// x[i] / sum x, as multiples of 2^-53 that are at most 2^-53 off and whose sum, in any order of additions in double, is exactly 1.
std::vector<double> shares_of(std::span<const std::int64_t> x);

} // namespace hpart
