// Random instances of tests: how many, and which.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>

namespace support
{

using Random = std::mt19937_64;

// The same instances in every run, unless HPART_TEST_SEED asks for others.
Random seeded(std::uint64_t stream);

inline std::int64_t between(Random &random, std::int64_t low, std::int64_t high)
{
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// In [low, high). std::uniform_real_distribution computes logarithms for each number.
double real_between(Random &random, double low, double high);

// The number of instances: HPART_TEST_INSTANCES, or 2,000 when it is not set (500 of tests that the release runs, too), times a share that is
// below 1 where instances cost more.
std::int64_t how_many(double share = 1);

// HPART_TEST_LONG: all backends, tilings and cases of accuracy, for which a usual run has no time.
inline bool is_long_run() { return std::getenv("HPART_TEST_LONG") != nullptr; }

// The most of so many independent events of this probability that are no surprise: three standard deviations above the mean.
double most_events(double probability, std::int64_t count);

} // namespace support
