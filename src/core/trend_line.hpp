// The smooth line that stands for a function: method smooth-fpm and hpart plot.
#pragma once

#include <cstdint>
#include <vector>

namespace hpart
{

// The polynomial of that degree nearest to the points by least squares, at each x. Of count points, a degree of count - 1 at most is used.
std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree);

} // namespace hpart
