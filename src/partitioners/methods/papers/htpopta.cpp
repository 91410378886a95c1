// HTPOPTA: the Pareto points of (max t_i(x_i), total energy), total energy being base power x time + sum e_i(x_i). Exact.
//
// Source: Khaleghzadeh's thesis (UCD, 2019), sections 5.4 and 5.5 and appendix E, Algorithm 7. Time and memory are HEPOPTA's.
//
// The front is a part of HEPOPTA's (Proposition E.2.1): its points with their total energies, without the dominated ones. That filter is
// what every front of total energy ends with (exact/front.cpp). As a partition by total energy the method gives the front's point of
// least total energy, which is the least of all (Proposition E.2.2), the fastest if there are several.
//
// Exact: the product and the sum in double do not fall as time or energy rise, so a point dominated in time and dynamic energy is
// never better in time and total energy, as computed.
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"

namespace hpart
{

Solution htpopta(const PartitionProblem &problem, Control &control)
{
    Solution solution;
    try {
        auto front = rounded_front(search_front(problem.instance, problem.size, control, solution.x), problem.instance,
                                   problem.platform.base_power());
        if (front.empty()) return solution;
        if (problem.ties == Ties::fewest) return least_total_energy(problem, control);
        solution.outcome = Outcome::found;
        solution.x = std::move(front.back().x); // energies fall as times rise
        solution.lower_bound = bound_for_double_energies(solution.x, problem, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        solution.outcome = Outcome::limit;
        solution.lower_bound = objective_bound(problem);
    }
    return solution;
}

} // namespace hpart
