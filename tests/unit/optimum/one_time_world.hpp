// Simulated applications of one time, and runs of a search over them.
#pragma once

#include "optimum/one_time_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace hpart::optimum
{

// Sizes 1 to `most`. smooth: a start-up of at most a tenth of the largest time, and a rate that waves slowly by 10 %; speeds differ by up to 4.
// jagged: each size differs from that by up to 30 %. cliff: 2.5 times as slow beyond a size. failures: the run fails there.
struct OneTimeWorld {
    std::vector<std::vector<double>> seconds; // of sizes 1, 2, ...; infinite: fails
    std::int64_t size = 0;

    OneTimeWorld(std::string_view kind, std::size_t processors, int most, std::mt19937_64 &random)
    {
        const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
        double most_in_all = 0;
        for (std::size_t i = 0; i < processors; ++i) {
            const double rate = std::exp(uniform(0, std::log(4.0))), start = uniform(0, 0.1) * most,
                         phase = uniform(0, 2 * M_PI), end = uniform(0.3, 0.9) * most;
            seconds.emplace_back();
            most_in_all += std::floor(kind == "failures" ? end : most);
            for (int s = 1; s <= most; ++s) {
                double time = rate * (start + s) * (1 + 0.1 * std::sin(phase + 2 * M_PI * s / most));
                if (kind == "jagged") time *= uniform(0.7, 1.3);
                if (s > end && kind == "cliff") time *= 2.5;
                if (s > end && kind == "failures") time = std::numeric_limits<double>::infinity();
                seconds.back().push_back(time);
            }
        }
        size = static_cast<std::int64_t>(
            std::min(uniform(0.25, 0.5) * most * static_cast<double>(processors), 0.95 * most_in_all));
    }

    std::vector<std::vector<std::int64_t>> sizes() const
    {
        std::vector<std::int64_t> all(seconds.front().size());
        std::iota(all.begin(), all.end(), 1);
        return std::vector(seconds.size(), all);
    }
    double time_of(const std::vector<std::int64_t> &x) const
    {
        double time = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[i] > 0) time = std::max(time, seconds[i][static_cast<std::size_t>(x[i] - 1)]);
        return time;
    }
    // By the textbook's dynamic program over processors.
    double least_time() const
    {
        const auto n = static_cast<std::size_t>(size);
        std::vector<double> least(n + 1, std::numeric_limits<double>::infinity());
        least.at(0) = 0;
        for (const auto &of_one : seconds) {
            auto next = least;
            for (std::size_t sum = 1; sum <= n; ++sum)
                for (std::size_t s = 1; s <= std::min(sum, of_one.size()); ++s)
                    next[sum] = std::min(next[sum], std::max(least[sum - s], of_one[s - 1]));
            least = std::move(next);
        }
        return least[n];
    }
};

struct OneTimeOutcome {
    double regret, cost; // the runs' seconds over those of ten runs of equal parts
    std::int64_t runs;
};

inline OneTimeOutcome search_world(const OneTimeWorld &world, double noise, std::int64_t runs, std::mt19937_64 &random)
{
    OneTimeSearch search(world.sizes(), world.size, runs);
    double spent = 0;
    for (auto x = search.next(); !x.empty(); x = search.next()) {
        const double time = world.time_of(x) * std::max(0.5, 1 + noise * std::normal_distribution()(random));
        if (std::isfinite(time))
            search.add(x, time), spent += time;
        else
            search.add_failure(x);
    }
    const auto best = search.best(1);
    const double equal = world.time_of(search.equal());
    constexpr double ten = 10;
    return {best.empty() ? std::numeric_limits<double>::infinity()
                         : world.time_of(best.front().x) / world.least_time() - 1,
            spent / (ten * (std::isfinite(equal) ? equal : world.least_time())), search.runs()};
}

} // namespace hpart::optimum
