// Random platforms of every shape that has ever broken a partitioner.
#pragma once

#include "models/platform.hpp"
#include "support/random.hpp"

#include <cstdint>
#include <functional>
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
    bool wide_sizes = false;  // one in four has sizes that sum to nearly 2^62
};

// Sizes: contiguous, late start, multiples with holes, unlike granularities, odd only (parity traps). Costs: few values (many
// ties), 1..1000, near-proportional, linear, zero, sums that are not exact, wild scales; on one in three, times and energies have a
// common offset, all of them or a scale from 1e-300 to 1e258: sums must stay below 1e280. Some processors empty, limited or alike; some points with a time only.
hpart::Platform any_platform(Random &random, Extent extent);

// Half of them the sum of one size or none of each processor, else any from 0 to a little above the largest sum; at most `most`, unless
// the sizes are wide.
std::int64_t any_size(Random &random, const hpart::Platform &platform, std::int64_t most);

// Sizes 1 to `points` on each processor, with times and, if given, energies.
using Cost = std::function<double(std::int64_t processor, std::int64_t size)>;
hpart::Platform full_platform(std::int64_t processors, std::int64_t points, const Cost &seconds,
                              const Cost &joules = nullptr);

// The measured functions of tests/data/measured. They have times only: with energies that vary from point to point, in doubles whose
// sums are not exact.
hpart::Platform measured_platform(const std::string &file);

// The sum of all largest sizes.
std::int64_t largest_sum(const hpart::Platform &platform);

// The platform as text, for a failing test.
std::string describe(const hpart::Platform &platform, std::int64_t n);

// The platform with energies whose sums are exact in double.
hpart::Platform with_whole_energies(const hpart::Platform &platform);

// Sizes without any structure in a huge range, about k * 2^bits: no method is quick.
hpart::Platform hard_platform(std::uint64_t seed, std::int64_t p = 30, std::int64_t m = 30, int bits = 50);

// The sum of one size of each processor.
std::int64_t hard_size(const hpart::Platform &platform);

} // namespace instances
