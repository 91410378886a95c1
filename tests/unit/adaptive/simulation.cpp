#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace simulation
{

double uniform(Random &random, double low, double high)
{
    return std::uniform_real_distribution<double>(low, high)(random);
}

Times any_times(Random &random, std::int64_t processors, std::int64_t size, double roughness)
{
    Times times;
    const auto n = static_cast<double>(size);
    for (std::int64_t i = 0; i < processors; ++i) {
        const double speed = std::exp(uniform(random, 0, std::log(20.0))); // unlike by up to 20
        const double overhead = uniform(random, 0, 1) < 0.5 ? 0 : uniform(random, 0, 0.05) * n / speed;
        const double rise = uniform(random, 0, 0.1) * n;
        const bool has_fall = uniform(random, 0, 1) < 0.3;
        const double fall_at = uniform(random, 0.1, 0.9) * n, fall_width = uniform(random, 0.01, 0.1) * n;
        const double fall = uniform(random, 1.2, 4);
        std::vector<double> seconds{0};
        for (std::int64_t x = 1; x <= size; ++x) {
            const auto real = static_cast<double>(x);
            double t = overhead + real * (real + rise) / (real + 0.1 * rise) / speed;
            if (has_fall) t *= 1 + (fall - 1) / (1 + std::exp((fall_at - real) / fall_width));
            seconds.push_back(t * (1 + uniform(random, -roughness, roughness)));
        }
        times.push_back(std::move(seconds));
    }
    return times;
}

double time_of(const Times &times, const std::vector<std::int64_t> &x)
{
    double seconds = 0;
    for (std::size_t i = 0; i < x.size(); ++i) seconds = std::max(seconds, times[i][static_cast<std::size_t>(x[i])]);
    return seconds;
}

double least_time(const Times &times, std::int64_t size)
{
    const auto n = static_cast<std::size_t>(size);
    std::vector<double> least{0};
    least.resize(n + 1, std::numeric_limits<double>::infinity());
    for (const auto &seconds : times) {
        auto next = least;
        for (std::size_t sum = 0; sum <= n; ++sum)
            for (std::size_t x = 1; x <= sum; ++x)
                next[sum] = std::min(next[sum], std::max(least[sum - x], seconds[x]));
        least = std::move(next);
    }
    return least[n];
}

std::vector<double> run(const Times &times, const std::vector<std::int64_t> &x, Random &random, double noise)
{
    std::vector<double> seconds;
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < x.size(); ++i)
        seconds.push_back(times[i][static_cast<std::size_t>(x[i])] * std::exp(noise * normal(random)));
    return seconds;
}

void adapt(hpart::Adaptive &adaptive, const Times &times, Random &random, double noise, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        const auto x = adaptive.distribution();
        adaptive.update(x, run(times, x, random, noise));
    }
}

} // namespace simulation
