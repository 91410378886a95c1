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

double objective_bound(const PartitionProblem &problem)
{
    const auto &instance = problem.instance;
    const auto energy_bound = [&] {
        return least_sum_bound(choices_within(instance, problem.size, problem.deadline, {}, ChoiceCost::joules),
                               problem.size);
    };
    switch (problem.objective) {
    case Objective::time: return time_bound(problem.prepared, problem.size);
    case Objective::energy: return energy_bound();
    case Objective::total_energy:
    case Objective::sum_time: break; // solved as energies
    }
    const auto seconds = time_bound(problem.prepared, problem.size);
    if (seconds == std::numeric_limits<double>::infinity()) return seconds; // also without base power
    return Cost{seconds, ExactSum(energy_bound())}.total_energy(problem.platform.base_power());
}

double bound_for_double_energies(const std::vector<std::int64_t> &x, const PartitionProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    if (problem.objective == Objective::time || adds_exactly(instance.all_joules(), instance.processors()))
        return value_of(problem, cost_of(instance, x));
    const PartitionProblem plain{.platform = problem.platform,
                                 .prepared = problem.prepared,
                                 .objective = problem.objective,
                                 .size = problem.size,
                                 .options = problem.options,
                                 .deadline = problem.deadline};
    return (problem.is_total() ? least_total_energy(plain, control) : least_energy(plain, control)).lower_bound;
}

double bound_at_limit(const PartitionProblem &problem)
{
    return problem.instance.is_quick() ? objective_bound(problem) : 0;
}

} // namespace hpart
