// HEOPT: x with sum x_i = n that minimises sum e_i(x_i). Method `exact`.
//
// This is least_sum over the processors' points; the proof stands there. ties=fewest asks again for the fewest active processors
// among the distributions whose rounded sum is the least one. Source: design of hpart; the problem is HEOPT of Khaleghzadeh's thesis.
#include "partitioners/exact/alike_energy.hpp"
#include "partitioners/exact/timed_energies.hpp"
#include "partitioners/problem/solution.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/least_sum_within.hpp"

namespace hpart
{

Solution least_energy(const PartitionProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    if (auto alike =
            least_energy_of_alike(instance, {problem.size, problem.deadline, problem.ties == Ties::fewest}, control))
        return {alike->outcome, std::move(alike->sizes), alike->lower_bound};
    TimedEnergies energies(problem.prepared);
    auto least = least_sum(
        {energies.within(problem.deadline), instance.function_of, problem.size, problem.prepared.simd_level()}, {},
        control);
    if (least.outcome == Outcome::found && problem.ties == Ties::fewest && !least.is_only) {
        const auto choices = choices_where(
            instance, problem.size, [&](std::size_t k) { return instance.seconds[k] <= problem.deadline; },
            [&](std::size_t k, std::size_t) { return instance.joules[k]; });
        const auto fewest = least_sum_within(choices, uses_of(choices, {}), problem.size,
                                             {Prefer::least_first, {least.cost}, any_use}, control);
        if (fewest.outcome == Outcome::limit) least.outcome = Outcome::limit;
        if (fewest.outcome == Outcome::found) least.sizes = fewest.sizes;
    }
    return {least.outcome, std::move(least.sizes), least.lower_bound};
}

} // namespace hpart
