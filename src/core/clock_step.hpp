// The step of a clock's values, if they are printed, too.
#pragma once

#include "core/text.hpp"

#include <algorithm>
#include <optional>

namespace hpart
{

// printed: the unit of the value's last decimal as it was printed; 0.50 does not show it. The step of a binary clock may be longer.
inline double clock_step(double value, std::optional<double> printed)
{
    const double step = clock_step(value);
    if (!printed) return step;
    return step > decimal_step(value) ? std::max(step, *printed) : *printed;
}

} // namespace hpart
