// Random platforms of every shape that has ever broken a partitioner.
#pragma once

#include "models/platform.hpp"
#include "support/random.hpp"

#include <cstdint>
#include <string>

namespace instances
{

using support::between;
using support::how_many;
using support::Random;
using support::seeded;

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

} // namespace instances
