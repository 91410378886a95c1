// The order of a chain.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace hpart
{

// The order of the processors with the least longest load, where each has the time given and exchanges with those before and after it.
// At most Communication::most_in_any_order of them.
std::vector<std::size_t> best_order(const std::vector<double> &seconds,
                                    const std::function<double(std::size_t, std::size_t)> &exchange);

} // namespace hpart
