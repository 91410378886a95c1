// The fewest active processors of a distribution within a time. See fewest_within_time.cpp.
#pragma once

#include "core/progress.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/problem/prepared.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// A distribution of times <= level.seconds with the fewest active processors; one exists. Throws Status::limit, Status::cancelled.
std::vector<std::int64_t> fewest_within_time(const Prepared &prepared, std::int64_t size, const TimeLevel &level,
                                             Control &control, Work &work);

} // namespace hpart
