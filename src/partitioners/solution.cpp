#include "partitioners/solution.hpp"

#include "partitioners/sums/least_sum.hpp"

#include <algorithm>

namespace hpart
{

Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x)
{
    Cost cost{0, 0};
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto begin = instance.sizes.begin() + static_cast<std::ptrdiff_t>(instance.first[i]);
        const auto end = instance.sizes.begin() + static_cast<std::ptrdiff_t>(instance.first[i + 1]);
        const auto k = static_cast<std::size_t>(std::lower_bound(begin, end, x[i]) - instance.sizes.begin());
        cost.seconds = std::max(cost.seconds, instance.seconds[k]);
        cost.joules += instance.joules[k];
    }
    return cost;
}

double value_of(const Question &question, Cost cost)
{
    switch (question.objective) {
    case Objective::time: return cost.seconds;
    case Objective::energy: return cost.joules;
    case Objective::total_energy: break;
    }
    return question.platform.base_power() * cost.seconds + cost.joules;
}

double objective_bound(const Question &question)
{
    const auto &instance = question.instance;
    const auto energy_bound = [&] {
        return least_sum_bound(choices_where(
                                   instance, question.size, [](std::size_t) { return true; },
                                   [&](std::size_t k) { return instance.joules[k]; }),
                               question.size);
    };
    switch (question.objective) {
    case Objective::time: return time_bound(instance, question.size);
    case Objective::energy: return energy_bound();
    case Objective::total_energy: break;
    }
    return question.platform.base_power() * time_bound(instance, question.size) + energy_bound();
}

} // namespace hpart
