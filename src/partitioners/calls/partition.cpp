// The call for one distribution: gathers the usable points, runs the method, reports the result.
#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/calls/constrained_call.hpp"
#include "partitioners/calls/reports.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

std::int64_t count_active(const std::vector<std::int64_t> &x)
{
    return std::count_if(x.begin(), x.end(), [](std::int64_t size) { return size > 0; });
}

std::vector<double> busy_seconds(const Instance &instance, const std::vector<std::int64_t> &x)
{
    std::vector<double> busy(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0) busy[i] = instance.seconds_of(i, x[i]);
    return busy;
}

// For an instance without energies. NaN if a size used has none.
double joules_of(const Platform &platform, const std::vector<std::int64_t> &x, Interpolation interpolation,
                 const Communication *communication, const Instance &instance)
{
    ExactSum joules;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] == 0) continue;
        const auto own = joules_at(platform.points(static_cast<std::int64_t>(i)), x[i], interpolation);
        joules.add(communication != nullptr ? communication->with_own_energy(i, x[i], own) : own);
    }
    if (communication != nullptr && communication->couples())
        joules += communication->energy_of(communication->order_of(instance, x));
    return joules.rounded();
}

// A method that meets a limit before it knows anything still gets a bound.
Solution solve_by(const PartitionMethod &method, const PartitionProblem &problem, Control &control)
{
    if (auto solution = within_limits([&] { return method.solve(problem, control); })) return std::move(*solution);
    return {Outcome::limit, {}, bound_at_limit(problem)};
}

// The optimum, when it is to be compared with and is found within the limits.
std::optional<double> exact_value(const PartitionProblem &problem, const std::string &method, const Solution &solution,
                                  Control &control)
{
    if (!wants_comparison(problem.options)) return std::nullopt;
    if (problem.size == 0) return 0;
    const auto value = [&](const Solution &exact) -> std::optional<double> {
        if (exact.outcome != Outcome::found) return std::nullopt;
        return value_of(problem, cost_in(problem, exact.x));
    };
    if (method == "exact") return value(solution);
    return value(solve_by(find_partition_method("exact", problem.objective), problem, control));
}

// links: the communication whose energies are joules.
Distribution describe(const PartitionProblem &problem, const PartitionRequest &request, const Constraints &constraints,
                      const Communication *links, Solution solution, Control &control)
{
    Distribution out;
    out.limit_reached = solution.outcome == Outcome::limit;
    out.feasible = !solution.x.empty();
    out.report.set("method", request.method);
    if (constraints.deadline) out.report.set("deadline", *constraints.deadline);
    if (out.feasible) {
        const auto cost = cost_in(problem, solution.x);
        const auto value = value_of(problem, cost);
        out.seconds = request.objective == Objective::sum_time ? value : cost.seconds;
        out.joules = problem.objective == Objective::total_energy ? value : cost.joules();
        if (!needs_energies(request.objective) && request.wants_joules)
            out.joules =
                joules_of(problem.platform, solution.x, constraints.points.interpolation, links, problem.instance);
        report_value(out.report, value, solution.lower_bound, exact_value(problem, request.method, solution, control));
        out.report.set("active", count_active(solution.x));
        if (request.wants_utilisation)
            report_utilisation(out.report, busy_seconds(problem.instance, solution.x), out.seconds);
        if (!problem.rules.previous.empty()) out.report.set("moved", problem.rules.use_of(solution.x)[1]);
        out.x = std::move(solution.x);
    } else {
        out.report.set("optimal", std::int64_t{0});
        out.report.set("feasible", std::int64_t{0});
        out.report.set("lower_bound", solution.lower_bound);
    }
    report_work(out.report, control);
    return out;
}

// Reports the parts of the costs of x: `computing` are the points without communication, `instance` those with the own costs.
void report_communication(Report &report, const Communication &communication, const Instance &instance,
                          const Instance &computing, const Distribution &found, bool by_sum)
{
    const auto cost = cost_of(computing, found.x);
    const auto compute = by_sum ? cost.joules() : cost.seconds;
    report.set("compute_seconds", compute);
    report.set("communication_seconds", found.seconds - compute);
    const auto order = communication.order_of(instance, found.x);
    if (!by_sum) {
        auto energy = communication.energy_of(order);
        for (std::size_t i = 0; i < found.x.size(); ++i) energy.add(communication.with_own_energy(i, found.x[i], 0));
        report.set("communication_joules", energy.rounded());
    }
    if (communication.pattern() != Pattern::any_chain) return;
    report.set("order", std::vector<double>(order.begin(), order.end()));
}

} // namespace

Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = at_objective_bound(measured, prepared_measured, request.options);
    const auto &method = find_partition_method(request.method, request.objective);
    if (request.objective == Objective::total_energy) check_base_power(platform);
    ConstrainedCall call(platform, prepared_platform, request, control);
    auto fastest = within_limits([&] {
                       call.prepare_exchanges();
                       call.check_energies();
                       return call.settle_deadline();
                   }).value_or(Solution{Outcome::limit, {}, 0});
    const auto problem = call.problem();
    Solution solution;
    if (fastest.outcome == Outcome::limit) {
        solution = {Outcome::limit, std::move(fastest.x), bound_at_limit(problem)};
    } else if (call.is_nothing_to_do()) {
        solution.outcome = Outcome::found;
        solution.x.assign(problem.instance.processors(), 0);
    } else {
        solution = solve_by(method, problem, control);
        if (solution.outcome == Outcome::limit && solution.x.empty()) solution.x = std::move(fastest.x);
    }
    if (solution.outcome == Outcome::none) call.fail_infeasible();
    const bool by_sum = request.objective == Objective::sum_time;
    std::optional<Communication> by_joules;
    const auto *links = call.communication();
    if (by_sum && links != nullptr && !solution.x.empty()) {
        links = &by_joules.emplace(platform, request.options, request.size);
        by_joules->prepare_exchanges(platform, control.memory_limit());
    }
    auto found = describe(problem, request, call.constraints(), links, std::move(solution), control);
    if (call.communication() != nullptr && found.feasible)
        report_communication(found.report, *problem.communication, problem.instance, call.computing(), found, by_sum);
    if (found.feasible)
        report_intervals(found.report, measured, found, request.objective, links, problem.communication);
    return found;
}

Distribution evaluate(const Platform &platform, std::vector<std::int64_t> x, const Options &options)
{
    const auto plain = platform.evaluate(x);
    std::int64_t size = 0;
    InstanceBuilder builder(Needs::time_and_energy);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto &points = platform.points(static_cast<std::int64_t>(i));
        const auto k = points.find(x[i]);
        builder.add_point(0, 0);
        if (x[i] > 0) builder.add_point(x[i], points.seconds[k], points.joules[k]);
        builder.end_processor();
        size = saturating_add(size, x[i]);
    }
    const auto computing = builder.take();
    Distribution out;
    out.seconds = plain.seconds;
    out.joules = plain.joules();
    auto cost = plain;
    if (!std::isnan(plain.seconds)) {
        std::optional<Communication> communication;
        if (options.get_text("communication") != "none") {
            communication.emplace(platform, options, size);
            communication->prepare_exchanges(platform, std::numeric_limits<std::int64_t>::max());
        }
        const auto *links = communication ? &*communication : nullptr;
        const bool adds = links != nullptr && links->has_own_costs();
        const auto instance = adds ? links->with_own_costs(computing) : computing;
        cost = cost_of(platform, instance, links, x);
        out.seconds = cost.seconds;
        out.joules = cost.joules();
        out.x = std::move(x);
        if (links != nullptr) report_communication(out.report, *links, instance, computing, out, false);
        if (platform.has_base_power() && !std::isnan(out.joules))
            out.report.set("total_energy", cost.total_energy(platform.base_power()));
    }
    return out;
}

Distribution partition(const Platform &platform, const PartitionRequest &request, Control &control)
{
    return partition(platform, PreparedPlatform(), request, control);
}

} // namespace hpart
