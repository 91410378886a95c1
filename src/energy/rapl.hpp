// Counters that show the energy of another one again.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace hpart
{

// For each of `count` counters: the earlier counter that it mirrors, or its own index. read: all counters, in order.
// are_alike(k, j): j may mirror k. Watches them for 40 ms if some are alike.
std::vector<std::size_t> mirrored_counters(std::size_t count, const std::function<std::vector<double>()> &read,
                                           const std::function<bool(std::size_t, std::size_t)> &are_alike);

} // namespace hpart
