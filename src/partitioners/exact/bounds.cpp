#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/search/exact_costs.hpp"
#include "partitioners/search/least_sum.hpp"

#include <limits>

namespace hpart
{

double time_bound(const Prepared &prepared, std::int64_t size)
{
    const auto level = TimeLevels(prepared, size).least();
    if (!level) return std::numeric_limits<double>::infinity();
    return level->seconds;
}

double objective_bound(const PartitionProblem &question)
{
    const auto &instance = question.instance;
    const auto energy_bound = [&] {
        return least_sum_bound(choices_where(
                                   instance, question.size, [](std::size_t) { return true; },
                                   [&](std::size_t k) { return instance.joules[k]; }),
                               question.size);
    };
    switch (question.objective) {
    case Objective::time: return time_bound(question.prepared, question.size);
    case Objective::energy: return energy_bound();
    case Objective::total_energy: break;
    }
    return Cost{time_bound(question.prepared, question.size), ExactSum(energy_bound())}.total_energy(
        question.platform.base_power());
}

double bound_after_double_sums(const std::vector<std::int64_t> &x, const PartitionProblem &question, Control &control,
                               Work &work)
{
    const auto &instance = question.instance;
    if (question.objective == Objective::time || adds_exactly(instance.joules, instance.processors()))
        return value_of(question, cost_of(instance, x));
    auto plain = question;
    plain.ties = Ties::deterministic;
    const bool total = question.objective == Objective::total_energy;
    return (total ? least_total_energy(plain, control, work) : least_energy(plain, control, work)).lower_bound;
}

double bound_at_limit(const PartitionProblem &question)
{
    return question.instance.is_quick() ? objective_bound(question) : 0;
}

} // namespace hpart
