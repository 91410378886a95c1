// HEOPT: x with sum x_i = n that minimises sum e_i(x_i); with rules, among those with at most q active processors, at most w work moved,
// or no processor idle. Method `exact`.
//
// This is a least sum over the processors' points; the proofs stand with it (search/). A preference, such as the fewest active
// processors, decides among the distributions whose rounded sum is the least one, if there may be several.
// Source: design of hpart; the problem is HEOPT of Khaleghzadeh's thesis.
#include "partitioners/exact/epsilon_constraint.hpp"
#include "partitioners/exact/exact.hpp"

namespace hpart
{

Solution least_energy(const PartitionProblem &problem, Control &control)
{
    EpsilonConstraint solver(problem.prepared, problem.size, problem.rules, control);
    Solution solution;
    solution.outcome = outcome_of([&] {
        auto least = solver.least_energy(problem.deadline);
        if (!least) return false;
        solution.lower_bound = least->joules;
        solution.x = std::move(least->x);
        // An exchange among identical processors may move less work, but has as many active ones.
        const bool is_preferred = problem.rules.prefer == Prefer::least_cost ||
                                  (problem.rules.prefer == Prefer::least_first && solver.is_only());
        if (!is_preferred)
            if (auto preferred = solver.preferred(problem.deadline, {least->joules}))
                solution.x = std::move(preferred->x);
        return true;
    });
    if (solution.outcome == Outcome::limit && solution.x.empty()) {
        solution.lower_bound = solver.incumbent_bound();
        solution.x = solver.incumbent();
    }
    return solution;
}

} // namespace hpart
