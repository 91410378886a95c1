// An application says only T(x) = max_i t_i(x_i). A run with x measures the slowest processor, and bounds the others.
// 1. Equal parts. Then each processor in turn gets 1.4 times its share, later 1.15 times, until it alone is the slowest. Shares are inverse to
//    the least T / x_i seen, which is no less than the true rate.
// 2. The distribution that is likely to gain most: for several goals below the best time, the one of highest probability to meet the goal;
//    of these the largest product of gain and probability. The probability is a product over the processors of those that each size meets
//    the goal (one_time_model.cpp), so that its logarithm is a sum, and the exact partitioner finds the highest.
// 3. A distribution that seems better than the best runs again, up to three times in all, if runs differ. At the end the best three run
//    again in turns.
// Nothing is certified: most times of single sizes stay unknown. Time: a few exact partitions a run. Source: design of hpart.
#include "optimum/one_time_search.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "optimum/search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace hpart::optimum
{

namespace
{

using Sizes = std::vector<std::vector<std::int64_t>>;

constexpr double more = 1.4, little_more = 1.15;
constexpr double growth = 0.3;                         // of an attempt
constexpr int most_attempts = 6;                       // until a processor is the slowest
constexpr double alone_margin = 0.02, alone_noise = 2; // relative; in deviations
constexpr std::array goals{0.005, 0.02, 0.05, 0.1, 0.2};
// The search ends when the best expected relative gain is less.
constexpr double least_gain = 1e-5;
constexpr std::size_t finalists = 3, runs_of_incumbent = 2, final_rounds = 2;
// Runs that differ by less need no repetition.
constexpr double quiet = 0.003;
constexpr double least_probability = 1e-9;
constexpr int most_repeats = 8; // of a partition that gave a known distribution

// The distribution of the least sum of costs, infinite ones left out.
std::optional<std::vector<std::int64_t>> least_sum(const Sizes &all, std::int64_t size,
                                                   const std::vector<std::vector<double>> &costs)
{
    Platform platform(static_cast<std::int64_t>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::vector<std::int64_t> sizes;
        std::vector<double> finite;
        for (std::size_t k = 0; k < all[i].size(); ++k)
            if (std::isfinite(costs[i][k])) sizes.push_back(all[i][k]), finite.push_back(costs[i][k]);
        platform.set_time_function(static_cast<std::int64_t>(i), sizes, finite);
    }
    PartitionRequest request;
    request.size = size;
    request.objective = Objective::sum_time;
    request.wants_joules = false;
    request.options.set_text("interpolate", "none");
    auto control = limits_of_solution();
    try {
        return require_found(partition(platform, request, control)).x;
    } catch (const Error &error) {
        if (error.status() != Status::infeasible) throw;
        return std::nullopt;
    }
}

} // namespace

std::vector<std::int64_t> nearest_distribution(const Sizes &all, std::int64_t size, const std::vector<double> &shares)
{
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    std::vector<std::vector<double>> costs(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        // sum (s - w)^2 / w, less 2 s and w, whose sums are the same for all: idle costs nothing.
        const double wanted = std::max(1e-3, shares[i] / sum * static_cast<double>(size));
        for (const auto one : all[i]) costs[i].push_back(static_cast<double>(one) / wanted * static_cast<double>(one));
    }
    if (const auto found = least_sum(all, size, costs)) return *found;
    fail(Status::infeasible, "no sizes given sum to ", size);
}

OneTimeSearch::OneTimeSearch(std::vector<std::vector<std::int64_t>> sizes, std::int64_t size, std::int64_t max_runs)
    : sizes_(std::move(sizes)), size_(size), max_runs_(max_runs), model_(sizes_.size()), rates_(sizes_.size(), infinity)
{
    for (auto &of_one : sizes_) of_one.erase(std::upper_bound(of_one.begin(), of_one.end(), size), of_one.end());
    asked_ = equal();
}

Tried &OneTimeSearch::entry(const std::vector<std::int64_t> &x)
{
    ++runs_;
    const auto at = std::find_if(tried_.begin(), tried_.end(), [&](const auto &one) { return one.x == x; });
    if (at != tried_.end()) return *at;
    tried_.push_back({x, {}});
    return tried_.back();
}

void OneTimeSearch::add(const std::vector<std::int64_t> &x, double seconds) { entry(x).seconds.push_back(seconds); }

void OneTimeSearch::add_failure(const std::vector<std::int64_t> &x) { entry(x); }

std::vector<Tried> OneTimeSearch::best(std::size_t count) const
{
    auto all = tried_;
    std::erase_if(all, [](const auto &one) { return one.failed(); });
    std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.mean() < b.mean(); });
    if (all.size() > count) all.resize(count);
    return all;
}

// The relative deviation of a run, pooled over the distributions that ran more than once; infinite if there is none.
double OneTimeSearch::noise() const
{
    double squares = 0, degrees = 0;
    for (const auto &one : tried_) {
        if (one.seconds.size() < 2) continue;
        const double mean = one.mean();
        for (const double seconds : one.seconds) squares += std::pow(seconds / mean - 1, 2);
        degrees += static_cast<double>(one.seconds.size() - 1);
    }
    return degrees > 0 ? std::sqrt(squares / degrees) : infinity;
}

// Runs again what seems to be the best, until that is no chance.
std::vector<std::int64_t> OneTimeSearch::repeated() const
{
    const auto first = best(1);
    if (first.empty()) return {};
    // The first distribution runs twice, to see how runs differ; later only what may be the result does.
    const std::size_t wanted =
        noise() < quiet || stage_ < Stage::gains ? (tried_.size() == 1 ? 2 : 1) : runs_of_incumbent;
    return first.front().seconds.size() >= wanted ? std::vector<std::int64_t>{} : first.front().x;
}

void OneTimeSearch::learn_rates()
{
    for (const auto &one : tried_)
        for (std::size_t i = 0; i < sizes_.size(); ++i)
            if (one.x[i] > 0) rates_[i] = std::min(rates_[i], one.mean() / static_cast<double>(one.x[i]));
}

// True if the last run measured the processor: the others had no more than in faster runs.
bool OneTimeSearch::is_alone_slowest(std::size_t i) const
{
    const auto &last = tried_.back();
    if (last.failed()) return false;
    double others = 0;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
        if (k == i || last.x[k] == 0) continue;
        double bound = infinity;
        for (const auto &one : tried_)
            if (&one != &last && one.x[k] >= last.x[k]) bound = std::min(bound, one.mean());
        others = std::max(others, bound);
    }
    const double now = noise(), margin = std::isfinite(now) ? std::max(alone_margin, alone_noise * now) : alone_margin;
    return (1 + margin) * others < last.mean();
}

std::vector<std::int64_t> OneTimeSearch::with_more(std::size_t i, double factor) const
{
    const double least = *std::min_element(rates_.begin(), rates_.end());
    std::vector<double> shares;
    for (const double rate : rates_)
        shares.push_back(std::isfinite(rate) ? 1 / rate : std::isfinite(least) ? 1 / least : 1);
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (auto &share : shares) share /= sum;
    const double wanted = std::min(0.95, factor * shares[i]);
    const double rest = 1 - shares[i];
    for (std::size_t k = 0; k < shares.size(); ++k)
        shares[k] = k == i ? wanted : rest > 0 ? shares[k] / rest * (1 - wanted) : 0;
    return nearest(shares);
}

// Empty: each processor was the slowest, or gave no chance.
std::vector<std::int64_t> OneTimeSearch::next_with_more()
{
    learn_rates();
    if (attempts_ > 0 && is_alone_slowest(turn_)) ++turn_, attempts_ = 0;
    for (; stage_ < Stage::gains && runs_ < max_runs_ / 2;) {
        if (turn_ == sizes_.size()) {
            turn_ = 0;
            stage_ = stage_ == Stage::more ? Stage::little_more : Stage::gains;
            continue;
        }
        const auto limit = stage_ == Stage::more ? most_attempts : 2;
        const double factor = (stage_ == Stage::more ? more : little_more) * (1 + growth * attempts_);
        if (attempts_++ < limit) {
            auto x = with_more(turn_, factor);
            if (!is_known(x)) return x;
        }
        ++turn_, attempts_ = 0;
    }
    stage_ = std::max(stage_, Stage::gains);
    return {};
}

// Everything failed: equal parts without each processor in turn, then each alone.
std::vector<std::int64_t> OneTimeSearch::without_one() const
{
    const auto p = sizes_.size();
    for (std::size_t k = 0; k < 2 * p; ++k) {
        std::vector<double> shares(p, k < p ? 1 : 0);
        shares[k % p] = k < p ? 0 : 1;
        if (p == 1) return {};
        auto x = nearest(shares);
        if (!is_known(x)) return x;
    }
    return {};
}

// The distribution that was never run and is the likeliest to meet the goal.
std::optional<std::vector<std::int64_t>> OneTimeSearch::likeliest(double seconds, double &probability) const
{
    std::vector<std::vector<double>> costs(sizes_.size());
    for (std::size_t i = 0; i < sizes_.size(); ++i)
        for (const auto size : sizes_[i]) {
            const double of_one = model_.probability(i, size, seconds);
            costs[i].push_back(of_one > least_probability ? -std::log(std::min(1.0, of_one)) : infinity);
        }
    for (int k = 0; k < most_repeats; ++k) {
        auto x = least_sum(sizes_, size_, costs);
        if (!x) return std::nullopt;
        if (!is_known(*x)) {
            probability = 1;
            for (std::size_t i = 0; i < sizes_.size(); ++i) probability *= model_.probability(i, (*x)[i], seconds);
            return x;
        }
        // One of its sizes is too slow: takes the likeliest.
        std::size_t slowest = sizes_.size();
        double blame = -1;
        for (std::size_t i = 0; i < sizes_.size(); ++i)
            if ((*x)[i] > 0 && model_.blame(i, (*x)[i]) > blame) slowest = i, blame = model_.blame(i, (*x)[i]);
        const auto at = std::lower_bound(sizes_[slowest].begin(), sizes_[slowest].end(), (*x)[slowest]);
        costs[slowest][static_cast<std::size_t>(at - sizes_[slowest].begin())] = infinity;
    }
    return std::nullopt;
}

std::vector<std::int64_t> OneTimeSearch::likely_to_gain()
{
    const double now = noise();
    model_.fit(tried_, std::isfinite(now) ? now : 0);
    const auto first = best(1);
    double most = least_gain;
    std::vector<std::int64_t> out;
    for (const double gain : goals) {
        double probability = 0;
        const double goal = first.empty() ? 1 : (1 - gain) * first.front().mean();
        auto x = likeliest(goal, probability);
        if (x && gain * probability > most) most = gain * probability, out = std::move(*x);
    }
    return out;
}

// A distribution that never ran, if no more than so many are left: no model is needed then.
std::vector<std::int64_t> OneTimeSearch::untried(std::int64_t most) const
{
    constexpr int most_steps = 100'000;
    int steps = 0;
    std::int64_t count = 0;
    std::vector<std::int64_t> x(sizes_.size(), 0), found;
    const std::function<void(std::size_t, std::int64_t)> place = [&](std::size_t i, std::int64_t rest) {
        if (++steps > most_steps || count > most) return;
        if (i + 1 == sizes_.size()) {
            x[i] = rest;
            const bool may_have = rest == 0 || std::binary_search(sizes_[i].begin(), sizes_[i].end(), rest);
            if (!may_have || is_known(x)) return;
            if (count++ == 0) found = x;
            return;
        }
        x[i] = 0;
        place(i + 1, rest);
        for (const auto size : sizes_[i]) {
            if (size > rest) break;
            x[i] = size;
            place(i + 1, rest - size);
        }
    };
    place(0, size_);
    return steps > most_steps || count > most ? std::vector<std::int64_t>{} : found;
}

void OneTimeSearch::queue_finals()
{
    if (noise() < quiet) return;
    for (std::size_t round = 0; round < final_rounds; ++round)
        for (const auto &one : best(finalists)) finals_.push_back(one.x);
}

std::vector<std::int64_t> OneTimeSearch::next()
{
    if (tried_.empty()) return asked_;
    const auto first = best(1);
    if (!first.empty() && first.front().mean() <= 0) is_settled_ = true; // nothing is faster
    if (is_settled_ && stage_ < Stage::finals) return {};
    if (first.empty() && runs_ < max_runs_)
        if (auto x = without_one(); !x.empty()) return x;
    const auto left = max_runs_ - runs_;
    const auto of_finals =
        noise() < quiet ? 0 : std::min(max_runs_ / 4, static_cast<std::int64_t>(finalists * final_rounds));
    if (stage_ < Stage::finals) {
        if (left > of_finals) {
            if (auto again = repeated(); !again.empty()) return again;
            if (auto x = next_with_more(); !x.empty()) return x;
            if (auto x = likely_to_gain(); !x.empty()) return x;
            if (auto x = untried(left - of_finals); !x.empty()) return x;
            is_settled_ = true;
        }
        stage_ = Stage::finals;
        queue_finals();
    }
    if (finals_.empty() || left <= 0) return {};
    auto x = std::move(finals_.back());
    finals_.pop_back();
    return x;
}

} // namespace hpart::optimum
