// The tree searches of Khaleghzadeh's thesis.
#pragma once

#include "partitioners/solution.hpp"

#include <vector>

namespace hpart
{

Solution hpopta(const Question &question, Control &control, Work &work);

} // namespace hpart
