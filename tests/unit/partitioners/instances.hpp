// Random platforms of every shape that has ever broken a partitioner.
#pragma once

#include "models/platform.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace instances
{

using support::between;
using support::how_many;
using support::Random;
using support::seeded;

// Runs a test on random instances, as many as how_many(share) says, until one fails.
template <typename Test> void for_each_instance(std::uint64_t stream, double share, const Test &test)
{
    auto random = seeded(stream);
    for (std::int64_t k = 0, count = how_many(share); k < count && !testing::Test::HasFailure(); ++k) test(random, k);
}

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

// Times and energies at the same sizes.
inline void set_functions(hpart::Platform &platform, std::int64_t i, const std::vector<std::int64_t> &sizes,
                          const std::vector<double> &seconds, const std::vector<double> &joules)
{
    platform.set_time_function(i, sizes, seconds);
    platform.set_energy_function(i, sizes, joules);
}
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
