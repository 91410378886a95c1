// Workloads that the processors of a node can have together.
#pragma once

#include "core/progress.hpp"
#include "partitioners/problem/instance.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart
{

// The sums, from 1 to `limit`, of one size of each of the first processors, increasing. Throws Status::limit.
std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control);

} // namespace hpart
