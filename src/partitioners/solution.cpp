#include "partitioners/solution.hpp"

#include "partitioners/communication/communication.hpp"
#include "partitioners/sums/least_sum.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x)
{
    const bool energies = instance.has_energies();
    Cost cost{0, energies ? 0 : std::numeric_limits<double>::quiet_NaN()};
    std::size_t k = 0;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        // Alike processors side by side often have the same size.
        const bool as_before = i > 0 && x[i] == x[i - 1] && instance.function_of[i] == instance.function_of[i - 1];
        if (!as_before) {
            k = instance.find(i, x[i]);
            cost.seconds = std::max(cost.seconds, instance.seconds[k]);
        }
        if (energies) cost.joules += instance.joules[k];
    }
    return cost;
}

Cost cost_in(const Question &question, const std::vector<std::int64_t> &x)
{
    auto cost = cost_of(question.instance, x);
    if (question.communication != nullptr) cost.seconds = question.communication->seconds_of(question.instance, x);
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
    case Objective::time: return time_bound(question.prepared, question.size);
    case Objective::energy: return energy_bound();
    case Objective::total_energy: break;
    }
    return question.platform.base_power() * time_bound(question.prepared, question.size) + energy_bound();
}

double bound_at_limit(const Question &question) { return question.instance.is_quick() ? objective_bound(question) : 0; }

} // namespace hpart
