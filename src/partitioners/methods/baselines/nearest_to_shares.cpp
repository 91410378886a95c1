// Equal, CPM and FPM give real-valued shares, but only sizes of the functions have a time. The distribution taken is the one over
// these sizes that is nearest to the shares, least sum of |x_i - share_i|: the exact sum problem with that as the cost.
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/search/least_sum.hpp"

#include <cmath>

namespace hpart
{

Solution nearest_to_shares(const PartitionProblem &problem, const std::vector<double> &shares, Control &control,
                           Work &work)
{
    auto choices = choices_where(
        problem.instance, problem.size, [](std::size_t) { return true; }, [](std::size_t) { return 0.0; });
    for (std::size_t i = 0; i < choices.classes(); ++i)
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k)
            choices.costs[k] = std::abs(static_cast<double>(choices.sizes[k]) - shares[i]);
    auto nearest = least_sum(choices, problem.size, {}, control, work);
    return {nearest.outcome, std::move(nearest.sizes), objective_bound(problem)};
}

} // namespace hpart
