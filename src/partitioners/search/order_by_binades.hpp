// The order of least sum where there are too many parts for a table of all their numbers.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/least_order.hpp"

#include <vector>

namespace hpart
{

// An order of these parts whose costs, added one by one in double, make the least sum. The same parts give the same order.
// Throws Status::limit, Status::cancelled.
Ordered order_by_binades(const std::vector<CostedParts> &parts, Control &control);

} // namespace hpart
