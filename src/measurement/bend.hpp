// The size at which a partially measured function bends most: the next size to measure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

// Values of several processors at the same sizes.
struct Curves {
    std::vector<std::int64_t> sizes;          // increasing
    std::vector<std::vector<double>> seconds; // one array per processor
};

// The multiple of `block` nearest to the middle of the interval between neighbouring sizes in which a straight line is worst,
// over all processors, relative to the smaller end: the error is judged by the second differences with the sizes on either side. Nothing
// when it is at most `tolerance` everywhere, or no interval has a multiple inside. With only two sizes: the
// middle.
std::optional<std::int64_t> size_at_bend(const Curves &curves, double tolerance, std::int64_t block);

} // namespace hpart
