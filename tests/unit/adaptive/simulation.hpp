// Synthetic processors whose functions are known at every size, and a naive optimum over them.
#pragma once

#include "adaptive/adaptive.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace simulation
{

using support::Random;

// Applications of a test: some of HPART_TEST_INSTANCES, but no more than an hour has time for.
inline std::int64_t applications(double share) { return std::min<std::int64_t>(support::how_many(share), 2000); }

// seconds[i][x] of processor i at size x; seconds[i][0] is 0.
using Times = std::vector<std::vector<double>>;

double uniform(Random &random, double low, double high);

// Overhead, rising speed, and for some a fall of speed where the memory ends; `roughness`: each size is up to so much slower
// or faster by itself.
Times any_times(Random &random, std::int64_t processors, std::int64_t size, double roughness);

double time_of(const Times &times, const std::vector<std::int64_t> &x);

// The least time of a distribution of the size, by dynamic programming over all sizes.
double least_time(const Times &times, std::int64_t size);

// One iteration: the times of the adaptive's distribution, each by itself off by chance with that relative deviation.
std::vector<double> run(const Times &times, const std::vector<std::int64_t> &x, Random &random, double noise);
void adapt(hpart::Adaptive &adaptive, const Times &times, Random &random, double noise, int iterations);

} // namespace simulation
