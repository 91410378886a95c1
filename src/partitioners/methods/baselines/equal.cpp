// Equal: every processor the share n / p, fast or slow.
#include "partitioners/methods/baselines/baselines.hpp"

namespace hpart
{

Solution equal(const PartitionProblem &question, Control &control, Work &work)
{
    const auto p = question.instance.processors();
    const std::vector<double> shares(p, static_cast<double>(question.size) / static_cast<double>(p));
    return nearest_to_shares(question, shares, control, work);
}

} // namespace hpart
