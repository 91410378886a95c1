// Problem: x with sum x_i = n and least sum e_i(x_i) among those with at most q active processors, at most w work moved, or with no
// processor idle: a least sum under bounds on resources; then, among the distributions of that energy, the preferred one.
#include "core/error.hpp"
#include "partitioners/exact/epsilon_constraint.hpp"
#include "partitioners/exact/exact.hpp"

namespace hpart
{

Solution least_energy_within_rules(const PartitionProblem &problem, Control &control)
{
    EpsilonConstraint solver(problem.prepared, problem.size, problem.rules, control);
    Solution solution;
    try {
        auto least = solver.least_energy(problem.deadline);
        if (!least) return solution;
        solution.lower_bound = least->joules;
        solution.x = std::move(least->x);
        if (problem.rules.prefer != Prefer::least_cost)
            if (auto preferred = solver.preferred(problem.deadline, {least->joules}))
                solution.x = std::move(preferred->x);
        solution.outcome = Outcome::found;
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        solution.outcome = Outcome::limit;
        if (!solution.x.empty()) return solution;
        solution.lower_bound = objective_bound(problem);
        solution.x = solver.incumbent();
    }
    return solution;
}

} // namespace hpart
