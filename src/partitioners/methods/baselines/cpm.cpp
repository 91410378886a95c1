// CPM, the constant performance model: shares in proportion to one speed a processor, share_i = n s_i / sum s.
//
// s_i is the speed x / t at the processor's measured size nearest to the option speed_size, or to n / p, the lower one of two equally
// near. The thesis (3.6.2) compares three: speeds at a size at the beginning, in the middle and at the end of the functions. Processors of zero time there share all the work equally; a processor
// without sizes has speed 0. Source: Kalinov and Lastovetsky (2001), as compared in Khaleghzadeh's thesis.
#include "partitioners/methods/baselines/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
    const auto p = problem.instance.processors();
    const auto n = static_cast<double>(problem.size);
    const auto chosen = problem.options.find_int("speed_size");
    const double size = chosen ? static_cast<double>(*chosen) : n / static_cast<double>(p);
    std::vector<double> speeds(problem.instance.functions());
    for (std::size_t f = 0; f < speeds.size(); ++f) speeds[f] = speed_near(problem.instance.of_function[f], size);
    double fastest = 0;
    for (const auto speed : speeds) fastest = std::max(fastest, speed);
    double sum = 0;
    for (auto &speed : speeds)
        speed = std::isinf(fastest) ? (std::isinf(speed) ? 1 : 0) : (fastest > 0 ? speed / fastest : 0);
    for (const auto f : problem.instance.function_of) sum += speeds[f];
    std::vector<double> shares(p, 0);
    if (sum > 0)
        for (std::size_t i = 0; i < p; ++i) shares[i] = n * speeds[problem.instance.function_of[i]] / sum;
    return nearest_to_shares(problem, shares, control);
}

} // namespace hpart
