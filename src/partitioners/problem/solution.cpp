#include "partitioners/problem/solution.hpp"

#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x)
{
    const bool energies = instance.has_energies;
    Cost cost{0};
    if (!energies) cost.energy.add(std::numeric_limits<double>::quiet_NaN());
    std::size_t k = 0;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        // Alike processors side by side often have the same size.
        const bool as_before = i > 0 && x[i] == x[i - 1] && instance.function_of[i] == instance.function_of[i - 1];
        if (!as_before) {
            k = instance.of(i).find(x[i]);
            cost.seconds = std::max(cost.seconds, instance.of(i).seconds[k]);
        }
        if (energies) cost.energy.add(instance.of(i).joules[k]);
    }
    return cost;
}

Cost cost_in(const PartitionProblem &problem, const std::vector<std::int64_t> &x)
{
    return cost_of(problem.platform, problem.instance, problem.communication, x);
}

Cost cost_of(const Platform &platform, const Instance &instance, const Communication *communication,
             const std::vector<std::int64_t> &x)
{
    auto cost = cost_of(instance, x);
    if (communication != nullptr) {
        cost.seconds = communication->seconds_of(instance, x);
        if (communication->couples()) cost.energy += communication->energy_of(communication->order_of(instance, x));
    }
    for (const auto &node : platform.nodes())
        if (std::any_of(x.begin() + node.first, x.begin() + node.last + 1, [](auto size) { return size > 0; }))
            cost.of_nodes.add_product(node.watts, cost.seconds);
    return cost;
}

bool arranges(const Platform &platform, const Communication *communication, bool total)
{
    return (communication != nullptr && communication->couples()) || (total && !platform.nodes().empty());
}

double value_of(const PartitionProblem &problem, const Cost &cost)
{
    switch (problem.objective) {
    case Objective::time: return cost.seconds;
    case Objective::energy: return cost.joules();
    case Objective::total_energy:
    case Objective::sum_time: break; // solved as energies
    }
    return cost.total_energy(problem.platform.base_power());
}

ResourceUse Rules::use_of(const std::vector<std::int64_t> &x) const
{
    ResourceUse sum{0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) sum = plus(sum, use_of_size(x[i], i, previous));
    return sum;
}

} // namespace hpart
