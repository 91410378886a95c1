// The sizes that a split of a workload can have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

// Those of the sizes, each 1 or more, that are part of a sum of at most `processors` of them which is the size of the workload. Empty if
// there is no such sum. If a search of all sums would take long, those up to the size.
std::vector<std::int64_t> possible_sizes(std::span<const std::int64_t> sizes, std::size_t processors,
                                         std::int64_t size);

} // namespace hpart
