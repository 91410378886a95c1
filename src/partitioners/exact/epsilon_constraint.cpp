#include "partitioners/exact/epsilon_constraint.hpp"

#include "core/error.hpp"
#include "partitioners/problem/solution.hpp"
#include "partitioners/search/alike_sum.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/least_sum_within.hpp"

#include <algorithm>

namespace hpart
{

namespace
{
// Starts a little above a neighbour's gap.
constexpr double gap_margin = 1.5;
constexpr double gap_decay = 0.9;
} // namespace

Choices EpsilonConstraint::choices_of(double longest) const
{
    return choices_within(instance_, size_, longest, rules_.previous, ChoiceCost::joules);
}

// Serves processors of one function, unless another method must decide (alike_sum.hpp). If at most q of them may be active, the problem
// is that of q processors: the others idle.
std::optional<LeastSum> EpsilonConstraint::least_of_alike(double longest) const
{
    const auto processors = static_cast<std::int64_t>(instance_.processors());
    const auto copies = std::min(processors, rules_.most[0]);
    if (rules_.most[1] != any_amount || instance_.functions() != 1) return std::nullopt;
    const auto &function = instance_.of_function.front();
    if (function.count() == 0 || (copies < processors && (copies < 1 || !function.may_idle()))) return std::nullopt;
    std::vector<std::int64_t> sizes;
    std::vector<double> joules;
    sizes.reserve(function.count());
    joules.reserve(function.count());
    for (std::size_t k = 0; k < function.count() && function.sizes[k] <= size_; ++k) {
        if (function.seconds[k] > longest) continue;
        sizes.push_back(function.sizes[k]);
        joules.push_back(function.joules[k]);
    }
    if (sizes.empty()) return LeastSum{};
    auto least = least_sum_of_alike({sizes, joules, copies, size_}, control_);
    if (least && !least->sizes.empty()) least->sizes.resize(instance_.processors());
    return least;
}

std::optional<FrontPoint> EpsilonConstraint::least_energy(double longest, double cap)
{
    if (auto alike = least_of_alike(longest)) {
        if (alike->outcome == Outcome::found && alike->cost > cap) return std::nullopt;
        return given(std::move(*alike));
    }
    if (rules_.bound_uses()) {
        const auto choices = choices_of(longest);
        return given(least_sum_within(choices, uses_of(choices, rules_.previous), size_,
                                      {Prefer::least_cost, {cap}, rules_.most}, control_));
    }
    SumQuery query;
    query.cap = cap;
    query.expected_gap = gap_margin * expected_gap_;
    query.near_multiplier = multiplier_;
    const SumOverFunctions sum{energies_.within(longest), instance_.function_of, size_, prepared_.simd_level()};
    return given(least_sum(sum, query, control_));
}

double EpsilonConstraint::energy_bound(double longest)
{
    return least_sum_bound({energies_.within(longest), instance_.function_of, size_, prepared_.simd_level()},
                           multiplier_);
}

std::optional<FrontPoint> EpsilonConstraint::preferred(double longest, const CostLimit &limit)
{
    const auto choices = choices_of(longest);
    return given(least_sum_within(choices, uses_of(choices, rules_.previous), size_,
                                  {rules_.prefer, limit, rules_.most}, control_));
}

std::optional<FrontPoint> EpsilonConstraint::given(LeastSum least)
{
    if (least.outcome == Outcome::limit) {
        incumbent_ = std::move(least.sizes);
        incumbent_bound_ = least.lower_bound;
        fail(Status::limit,
             "the time or memory limit was reached before the least energy under a time bound was proved");
    }
    if (least.outcome == Outcome::none) return std::nullopt;
    is_only_ = least.is_only;
    expected_gap_ = std::max(least.gap, gap_decay * expected_gap_);
    if (least.multiplier) {
        multiplier_ = least.multiplier;
        energies_.expect(*multiplier_);
    }
    if (least.points.empty()) {
        const auto cost = cost_of(instance_, least.sizes);
        return FrontPoint{cost.seconds, cost.joules(), std::move(least.sizes)};
    }
    double seconds = 0;
    for (std::size_t i = 0; i < least.points.size(); ++i)
        seconds = std::max(seconds, instance_.of(i).seconds[least.points[i]]);
    return FrontPoint{seconds, least.cost, std::move(least.sizes)};
}

} // namespace hpart
