// The call for a front: energy_budget, eps, max_points and a previous distribution are kept here, deadline and other bounds by the method.
#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/calls/constrained_call.hpp"
#include "partitioners/calls/reports.hpp"
#include "partitioners/exact/energy_within.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

std::vector<FrontPoint> within_budget(std::vector<FrontPoint> front, double budget, const PartitionProblem &problem)
{
    const auto &rules = problem.rules;
    const bool others = problem.options.find_double("deadline") || problem.options.find_double("slowdown") ||
                        rules.bound_uses() || rules.all_work;
    const auto first = std::find_if(front.begin(), front.end(), [&](auto &point) { return point.joules <= budget; });
    if (first == front.end() && !front.empty())
        fail(Status::infeasible, "no distribution of size ", problem.size, other_bounds_kept(others), " needs at most ",
             given_value(budget), " J, the energy budget; the least energy is ", sufficient_value(front.back().joules),
             " J");
    front.erase(front.begin(), first);
    return front;
}

// Replaces each point by the distribution that moves least work.
void move_least(std::vector<FrontPoint> &front, bool total, const PartitionProblem &problem, Control &control)
{
    EnergyWithin solver(problem.prepared, problem.size, problem.rules, control);
    for (auto &point : front) {
        const auto limit = total ? energy_within_total(problem.platform.base_power(), point.seconds, point.joules)
                                 : CostLimit{point.joules, {}, point.joules};
        if (auto preferred = solver.preferred(point.seconds, limit)) point.x = std::move(preferred->x);
    }
}

// The front that the options ask for, from the method's. Empty when there is no distribution.
std::vector<FrontPoint> front_of(const FrontRequest &request, const FrontMethod &method,
                                 const PartitionProblem &problem, Control &control)
{
    const auto budget = request.options.find_double("energy_budget").value_or(std::numeric_limits<double>::infinity());
    const auto eps = request.options.find_double("eps").value_or(0);
    const bool total = request.energy == FrontEnergy::total;
    std::vector<FrontPoint> front;
    // The points of least total energy are not known before the whole dynamic front is.
    const bool is_arranged = arranges(problem.platform, problem.communication, total);
    if (eps > 0 && !total && method.name == "exact" && !is_arranged) {
        front = within_budget(covering_front(problem, eps, budget, control), budget, problem);
    } else {
        front = method.solve(problem, control);
        const auto power = total ? std::optional(problem.platform.base_power()) : std::nullopt;
        if (!is_arranged) front = rounded_front(std::move(front), problem.instance, power);
        front = within_budget(std::move(front), budget, problem);
        if (eps > 0) front = cover_points(std::move(front), eps);
    }
    if (const auto count = request.options.find_int("max_points")) front = spread_points(std::move(front), *count);
    if (problem.rules.prefer != Prefer::least_cost) move_least(front, total, problem, control);
    return front;
}

} // namespace

Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = at_objective_bound(measured, prepared_measured, request.options);
    const auto &method = find_front_method(request.method, request.energy);
    const bool total = request.energy == FrontEnergy::total;
    if (total) check_base_power(platform);
    ConstrainedCall call(platform, prepared_platform, request, control);
    call.prepare_exchanges();
    call.check_energies();
    if (call.settle_deadline().outcome == Outcome::limit)
        fail(Status::limit, "the limit was reached before the least time was proved");
    const auto problem = call.problem();
    Front front;
    front.points = front_of(request, method, problem, control);
    if (front.points.empty()) call.fail_infeasible();
    front.report.set("method", request.method);
    if (call.constraints().deadline) front.report.set("deadline", *call.constraints().deadline);
    front.report.set("optimal", std::int64_t{1});
    front.report.set("feasible", std::int64_t{1});
    front.report.set("points", static_cast<std::int64_t>(front.points.size()));
    report_intervals(front.report, measured, front.points, total, call.communication());
    report_work(front.report, control);
    return front;
}

Front compute_front(const Platform &platform, const FrontRequest &request, Control &control)
{
    return compute_front(platform, PreparedPlatform(), request, control);
}

} // namespace hpart
