// Which points have a reduced cost, cost - multiplier x size, of at most a bound.
#pragma once

#include "partitioners/search/simd/level.hpp"

#include <cstddef>
#include <cstdint>

namespace hpart
{

struct ReducedCostBound {
    double multiplier;
    std::int64_t largest_size;
    double most;
};

// Bit b: whether least_costs[b] - multiplier x min(extreme_sizes[b], largest size) <= most. count <= 64.
std::uint64_t blocks_within(SimdLevel level, const double *least_costs, const double *extreme_sizes, std::size_t count,
                            const ReducedCostBound &bound);

// The points of size <= largest size and reduced cost <= most: their indices and reduced costs, in order; gives how many.
// Both outputs have room for count, a multiple of 8 of them for the reduced costs; count <= 32.
std::size_t points_within(SimdLevel level, const std::int64_t *sizes, const double *costs, std::size_t count,
                          const ReducedCostBound &bound, std::uint32_t *indices, double *reduced);

// Index of the least cost - multiplier x size, the lowest of equals; count when no cost is finite.
std::size_t least_reduced(SimdLevel level, const std::int64_t *sizes, const double *costs, std::size_t count,
                          double multiplier);

} // namespace hpart
