// The shape of a processor's measured functions: whether load balancing is optimal for them, and how far they are from smooth.
#pragma once

#include "core/options.hpp"
#include "models/platform.hpp"

#include <functional>

namespace hpart
{

// Number of operations of a problem of that size, positive and finite.
using Operations = std::function<double(std::int64_t size)>;

Report shape_of(const Processor &processor, const Operations &operations);

} // namespace hpart
