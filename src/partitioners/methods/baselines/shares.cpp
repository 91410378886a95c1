// CPM, the constant performance model: shares in proportion to one speed a processor, share_i = n s_i / sum s.
//
// s_i is the speed x / t at the processor's measured size nearest to the option speed_size, or to n / p, the lower one of two equally
// near. The thesis (3.6.2) compares three: speeds at a size at the beginning, in the middle and at the end of the functions. Processors of
// zero time there share all the work equally; a processor without sizes has speed 0. Source: Kalinov and Lastovetsky (2001), as compared in
// Khaleghzadeh's thesis.
#include "partitioners/methods/baselines/baselines.hpp"

#include "partitioners/exact/exact.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

double speed_near(const FunctionPoints &function, double size)
{
    if (function.count() == 1) return 0;
    std::size_t nearest = 1; // after the idle point
    const auto distance = [&](std::size_t k) { return std::abs(static_cast<double>(function.sizes[k]) - size); };
    for (auto k = nearest; k < function.count(); ++k)
        if (distance(k) < distance(nearest)) nearest = k;
    if (function.seconds[nearest] == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(function.sizes[nearest]) / function.seconds[nearest];
}

} // namespace

Solution cpm(const PartitionProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    const auto equal = static_cast<double>(problem.size) / static_cast<double>(instance.processors());
    const auto chosen = problem.options.find_int("speed_size");
    std::vector<double> of_function;
    for (const auto &function : instance.of_function)
        of_function.push_back(speed_near(function, chosen ? static_cast<double>(*chosen) : equal));
    std::vector<double> speeds;
    speeds.reserve(instance.processors());
    for (const auto f : instance.function_of) speeds.push_back(of_function[f]);
    return nearest_to_shares(problem, shares_by_speed(speeds, problem.size), control);
}

std::vector<double> shares_by_speed(const std::vector<double> &speeds, std::int64_t size)
{
    const auto fastest = speeds.empty() ? 0 : *std::max_element(speeds.begin(), speeds.end());
    std::vector<double> shares;
    shares.reserve(speeds.size());
    for (const auto speed : speeds)
        shares.push_back(std::isinf(fastest) ? (std::isinf(speed) ? 1 : 0) : (fastest > 0 ? speed / fastest : 0));
    const auto sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (auto &share : shares)
        if (sum > 0) share = share / sum * static_cast<double>(size);
    return shares;
}

// Equal: every processor the share n / p, fast or slow.
Solution equal(const PartitionProblem &problem, Control &control)
{
    const auto p = problem.instance.processors();
    const std::vector<double> shares(p, static_cast<double>(problem.size) / static_cast<double>(p));
    return nearest_to_shares(problem, shares, control);
}

// Equal, CPM and FPM give real-valued shares, but only sizes of the functions have a time. The distribution taken is the one over
// these sizes that is nearest to the shares, least sum of |x_i - share_i|: the exact sum problem with that as the cost.
Solution nearest_to_shares(const PartitionProblem &problem, const std::vector<double> &shares, Control &control)
{
    std::vector<std::int64_t> apart; // copies with equal shares have one function
    apart.reserve(shares.size());
    for (const auto share : shares) apart.push_back(std::bit_cast<std::int64_t>(share));
    const auto &instance = problem.instance;
    const auto choices = choices_where(
        instance, problem.size, [](const FunctionPoints &, std::size_t) { return true; },
        [&](const FunctionPoints &function, std::size_t k, std::size_t i) {
            return std::abs(static_cast<double>(function.sizes[k]) - shares[i]);
        },
        apart);
    auto nearest = least_sum(choices, problem.size, {}, control);
    return {nearest.outcome, std::move(nearest.sizes), objective_bound(problem)};
}

} // namespace hpart
