// Random platforms of every shape that has ever broken a partitioner.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace instances
{

using Random = std::mt19937_64;

// The same instances in every run, unless HPART_TEST_SEED asks for others.
Random seeded(std::uint64_t stream);

inline std::int64_t between(Random &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

struct Extent {
    std::int64_t most_processors;
    std::int64_t most_points; // a processor
};

// Sizes: contiguous, late start, multiples with holes, unlike granularities, odd only (parity traps). Costs: few values (many
// ties), 1..1000, near-proportional, linear, zero, sums that are not exact, wild scales. Some processors empty, limited or alike;
// some points with a time only.
hpart::Platform any_platform(Random &random, Extent extent);

// The sum of all largest sizes.
std::int64_t largest_sum(const hpart::Platform &platform);

// The platform as text, for a failing test.
std::string describe(const hpart::Platform &platform, std::int64_t n);

// HPART_TEST_INSTANCES when it is set, else `usual`; scaled by `share` of the whole.
std::int64_t how_many(std::int64_t usual, double share);

} // namespace instances
