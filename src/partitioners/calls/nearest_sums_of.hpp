// The sums of the points of a call that are nearest to its size.
#pragma once

#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/reachable_sum.hpp"

#include <cstddef>
#include <cstdint>

namespace hpart
{

NearestSums nearest_sums_of(const Prepared &points, bool all_work, std::int64_t size, Control &control, Work &work);

} // namespace hpart
