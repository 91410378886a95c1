#include "partitioners/exact/epsilon_constraint.hpp"

#include "core/error.hpp"
#include "partitioners/solution.hpp"

#include <algorithm>

namespace hpart
{

namespace
{
// A neighbour's gap tells where to begin: a little above it.
constexpr double gap_margin = 1.5;
} // namespace

std::optional<TimedEnergy> EpsilonConstraint::least_energy(double longest, double cap)
{
    SumQuery query;
    query.cap = cap;
    query.expected_gap = gap_margin * expected_gap_;
    return solve(longest, query);
}

std::optional<TimedEnergy> EpsilonConstraint::fewest_active(double longest, double cap)
{
    SumQuery query;
    query.cap = cap;
    query.prefer = Prefer::fewest_active;
    return solve(longest, query);
}

std::optional<TimedEnergy> EpsilonConstraint::solve(double longest, const SumQuery &query)
{
    const auto choices = choices_where(
        instance_, size_, [&](std::size_t k) { return instance_.seconds[k] <= longest; },
        [&](std::size_t k) { return instance_.joules[k]; });
    auto least = least_sum(choices, size_, query, control_, work_);
    if (least.outcome == Outcome::limit) {
        incumbent_ = std::move(least.sizes);
        fail(Status::limit,
             "the time or memory limit was reached before the least energy under a time bound was proved");
    }
    if (least.outcome == Outcome::none) return std::nullopt;
    expected_gap_ = least.gap;
    const auto cost = cost_of(instance_, least.sizes);
    return TimedEnergy{cost.seconds, cost.joules, std::move(least.sizes)};
}

} // namespace hpart
