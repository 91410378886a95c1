// Processors whose true times and energies tests know, and simulated runs of a search over them.
#pragma once

#include "optimum/search.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <vector>

namespace hpart::optimum
{

using support::between;
using support::Random;

inline double uniform(Random &random, double low, double high)
{
    return std::uniform_real_distribution(low, high)(random);
}

// Processors whose time and energy are rates of their own times a factor from 1 to a jaggedness, size by size.
struct Truth {
    std::vector<std::vector<std::int64_t>> sizes;
    std::vector<std::vector<double>> seconds, joules;
    std::int64_t size = 0;
    Objective objective = Objective::time; // of a front: energy or total_energy
    double base_power = 0;

    // The terms of a sum: the energies, or the times of a sum of times.
    const std::vector<std::vector<double>> &terms() const
    {
        return objective == Objective::sum_time ? seconds : joules;
    }

    // Time and dynamic energy; NaN if there is none.
    FrontPoint point_of(const std::vector<std::int64_t> &x) const
    {
        FrontPoint point{0, 0, x};
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == 0) continue;
            const auto at = std::lower_bound(sizes[i].begin(), sizes[i].end(), x[i]);
            if (at == sizes[i].end() || *at != x[i]) return {NAN, NAN, x};
            const auto k = static_cast<std::size_t>(at - sizes[i].begin());
            point.seconds = std::max(point.seconds, seconds[i][k]);
            point.joules += terms()[i][k];
        }
        return point;
    }

    double value_of(const FrontPoint &point) const
    {
        if (objective == Objective::time) return point.seconds;
        return point.joules + (objective == Objective::total_energy ? base_power * point.seconds : 0);
    }
    double cost_of(const std::vector<std::int64_t> &x) const { return value_of(point_of(x)); }

    // By dynamic programming over all totals, each with its front: the textbook's way. Energies are the objective's.
    std::vector<FrontPoint> front() const
    {
        std::vector<std::vector<FrontPoint>> best(static_cast<std::size_t>(size) + 1);
        best.at(0).push_back({0, 0, {}});
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            auto next = best;
            for (std::size_t k = 0; k < sizes[i].size(); ++k)
                for (auto total = static_cast<std::size_t>(sizes[i][k]); total < best.size(); ++total)
                    for (const auto &point : best[total - static_cast<std::size_t>(sizes[i][k])])
                        next[total].push_back(
                            {std::max(point.seconds, seconds[i][k]), point.joules + terms()[i][k], {}});
            for (auto &points : next) prune(points);
            best = std::move(next);
        }
        auto &found = best.back();
        if (objective == Objective::total_energy)
            for (auto &point : found) point.joules = value_of(point);
        prune(found);
        return found;
    }

    std::optional<double> least() const
    {
        const auto points = front();
        if (points.empty()) return std::nullopt;
        if (objective == Objective::time) return points.front().seconds;
        return points.back().joules;
    }

  private:
    static void prune(std::vector<FrontPoint> &points)
    {
        std::sort(points.begin(), points.end(), [](const auto &a, const auto &b) {
            return a.seconds != b.seconds ? a.seconds < b.seconds : a.joules < b.joules;
        });
        double least = INFINITY;
        std::erase_if(points, [&](const auto &point) {
            const bool is_above = point.joules >= least;
            least = std::min(least, point.joules);
            return is_above;
        });
    }
};

inline Truth any_truth(Random &random, double jaggedness, std::int64_t processors, std::int64_t most_sizes = 60)
{
    Truth truth;
    const auto scale = std::pow(10, uniform(random, -9, 6));
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < processors; ++i) {
        truth.sizes.emplace_back();
        truth.seconds.emplace_back();
        truth.joules.emplace_back();
        const double speed = uniform(random, 1, 8), watts = uniform(random, 1, 8);
        const auto step = between(random, 1, 3), count = between(random, 1, most_sizes);
        for (std::int64_t k = 1; k <= count; ++k) {
            const double rate = scale * static_cast<double>(k * step) / speed;
            truth.sizes.back().push_back(k * step);
            truth.seconds.back().push_back(rate * uniform(random, 1, jaggedness));
            truth.joules.back().push_back(rate * watts * uniform(random, 1, jaggedness));
        }
        sum += count * step;
    }
    truth.size = between(random, 1, sum);
    truth.base_power = uniform(random, 0, 10);
    return truth;
}

inline SearchRules rules_of(const Truth &truth)
{
    SearchRules rules;
    rules.size = truth.size;
    rules.objective = truth.objective;
    return rules;
}

// Any precision; the jaggedness is known.
inline SearchRules any_rules(Random &random, const Truth &truth, double jaggedness)
{
    auto rules = rules_of(truth);
    rules.precision = uniform(random, 0.001, 0.3);
    rules.jaggedness = jaggedness * (1 + 1e-9);
    rules.all_sizes = between(random, 0, 4) == 0;
    return rules;
}

// Factors with 3 % of normal noise; with spikes, one in twenty is half as much again.
inline std::function<double()> noise(Random &random, bool has_spikes)
{
    return [&random, has_spikes] {
        const double value = 1 + 0.03 * std::normal_distribution()(random);
        return has_spikes && between(random, 1, 20) == 1 ? 1.5 * value : value;
    };
}

// Runs a search to its end; false after too many rounds.
inline bool run(Search &search, const Truth &truth, const std::function<double()> &disturb, int most_rounds = 2000)
{
    search.set_base_power(truth.base_power, 0);
    for (int round = 0; round < most_rounds; ++round) {
        const auto requests = search.next();
        if (requests.empty()) return true;
        for (const auto &[i, k, repetitions, kind] : requests) {
            EXPECT_GT(repetitions, 0);
            std::vector<double> batch(static_cast<std::size_t>(repetitions));
            for (auto &value : batch)
                value = (kind == FunctionKind::time ? truth.seconds : truth.joules)[i][k] * disturb();
            search.function(i, kind).add(k, batch);
        }
    }
    return false;
}

inline double quiet() { return 1; }
// Values with the digits of a clock, which are not rounded.
inline double with_digits() { return 1 + 1e-9; }

} // namespace hpart::optimum
