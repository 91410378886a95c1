#include "partitioners/problem/solution.hpp"

#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x)
{
    const bool energies = instance.has_energies();
    Cost cost{0};
    if (!energies) cost.energy.add(std::numeric_limits<double>::quiet_NaN());
    std::size_t k = 0;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        // Alike processors side by side often have the same size.
        const bool as_before = i > 0 && x[i] == x[i - 1] && instance.function_of[i] == instance.function_of[i - 1];
        if (!as_before) {
            k = instance.find(i, x[i]);
            cost.seconds = std::max(cost.seconds, instance.seconds[k]);
        }
        if (energies) cost.energy.add(instance.joules[k]);
    }
    return cost;
}

Cost cost_in(const PartitionProblem &problem, const std::vector<std::int64_t> &x)
{
    auto cost = cost_of(problem.instance, x);
    if (problem.communication != nullptr) cost.seconds = problem.communication->seconds_of(problem.instance, x);
    return cost;
}

double value_of(const PartitionProblem &problem, const Cost &cost)
{
    switch (problem.objective) {
    case Objective::time: return cost.seconds;
    case Objective::energy: return cost.joules();
    case Objective::total_energy: break;
    }
    return cost.total_energy(problem.platform.base_power());
}

} // namespace hpart
