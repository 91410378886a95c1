// Equal: every processor the share n / p, fast or slow.
#include "partitioners/methods/baselines/baselines.hpp"

namespace hpart
{

Solution equal(const PartitionProblem &problem, Control &control)
{
    const auto p = problem.instance.processors();
    const std::vector<double> shares(p, static_cast<double>(problem.size) / static_cast<double>(p));
    return nearest_to_shares(problem, shares, control);
}

} // namespace hpart
