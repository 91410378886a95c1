// Equal, CPM and FPM give real-valued shares, but only sizes of the functions have a time. The distribution taken is the one over
// these sizes that is nearest to the shares, least sum of |x_i - share_i|: the exact sum problem with that as the cost.
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/search/least_sum.hpp"

#include <bit>
#include <cmath>

namespace hpart
{

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
