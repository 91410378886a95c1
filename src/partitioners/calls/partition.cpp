// The three calls: gather the usable points, run the method, report the result.
#include "partitioners/calls/partition.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"
#include "partitioners/calls/compare.hpp"
#include "partitioners/calls/constrained_call.hpp"
#include "partitioners/calls/front_of_call.hpp"
#include "partitioners/calls/infeasible.hpp"
#include "partitioners/calls/predictions.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/packages.hpp"
#include "partitioners/problem/points_of_call.hpp"
#include "partitioners/search/reachable_sum.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

void check_base_power(const Platform &platform)
{
    if (!platform.has_base_power())
        fail_argument("base power is not set; total energy needs it: set it in the platform, 0 is allowed");
}

// Bounds multiply costs by sizes, up to 2^63: below this no sum or product of them overflows.
constexpr double largest_sum = 1e280;

void check_summable(double sum, const char *what)
{
    if (!(sum < largest_sum))
        fail(Status::numerical, what, " are so large that their sum can be ", sum, "; it must stay below ",
             largest_sum);
}

// `what` the energies are: those of sum-time are times.
void check_energies(const Platform &platform, const ConstrainedCall &call, bool total, const char *what)
{
    const auto sum_over = [&](const Prepared &points) {
        const auto &extremes = points.extremes();
        if (!total) return extremes.joules;
        auto watts = platform.base_power();
        for (const auto &node : platform.nodes()) watts += node.watts;
        const auto *communication = call.communication();
        return extremes.joules +
               watts * (extremes.longest_seconds + (communication != nullptr ? communication->most_seconds() : 0));
    };
    if (!(sum_over(call.prepared()) < largest_sum)) check_summable(sum_over(call.within_deadline()), what);
}

void check_schedule_times(const Prepared &prepared, std::int64_t size)
{
    check_summable(prepared.extremes().longest_seconds * static_cast<double>(size), "the times of the packages");
}

// Totals of packages beyond the size are needed too: as far as one more package of the largest size.
[[noreturn]] void fail_infeasible_schedule(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto limit = saturating_add(size, prepared.records().largest_size);
    const auto nearest = within_limits(
        [&] { return nearest_sums(schedule_choices(prepared.instance(), limit, control), size, control); });
    fail_infeasible(size, nearest.value_or(NearestSums{}));
}

std::int64_t count_active(const std::vector<std::int64_t> &x)
{
    return std::count_if(x.begin(), x.end(), [](std::int64_t size) { return size > 0; });
}

// Tasks are in the order of the processors.
std::int64_t count_active(const std::vector<ScheduleTask> &tasks)
{
    std::int64_t active = 0;
    for (std::size_t k = 0; k < tasks.size(); ++k)
        if (k == 0 || tasks[k].processor != tasks[k - 1].processor) ++active;
    return active;
}

// The least makespan, when it is to be compared with and is found within the limits.
std::optional<double> exact_makespan(const ScheduleProblem &problem, const std::string &method,
                                     const PackageSchedule &found, Control &control)
{
    if (!wants_comparison(problem.options)) return std::nullopt;
    if (method == "exact" || problem.size == 0) return found.makespan;
    return within_limits([&] { return exact_schedule(problem, control).makespan; });
}

// Each processor's busy seconds over all seconds; 0 if nothing takes time.
std::vector<double> utilisation_of(std::vector<double> busy, double seconds)
{
    for (auto &each : busy) each = seconds > 0 ? each / seconds : 0;
    return busy;
}

std::vector<double> busy_seconds(const Instance &instance, const std::vector<std::int64_t> &x)
{
    std::vector<double> busy(x.size(), 0);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] > 0) busy[i] = instance.seconds_of(i, x[i]);
    return busy;
}

void add_work(Report &report, const Control &control)
{
    report.set("solve_seconds", seconds_since(control.start()));
    report.set("sum_tests", control.counters.sum_tests);
    report.set("searches", control.counters.searches);
    report.set("states", control.counters.states);
    if (control.counters.nodes == 0) return; // no tree search
    report.set("nodes", control.counters.nodes);
    report.set("cuts", control.counters.cuts);
    report.set("recalled", control.counters.recalled);
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
        const auto exact = exact_value(problem, request.method, solution, control);
        if (exact) solution.lower_bound = std::max(solution.lower_bound, *exact);
        out.report.set("optimal", std::int64_t{value <= solution.lower_bound ? 1 : 0});
        out.report.set("feasible", std::int64_t{1});
        out.report.set("lower_bound", solution.lower_bound);
        out.report.set("gap", std::max(0.0, value - solution.lower_bound));
        if (exact) report_comparison(out.report, value, *exact);
        out.report.set("active", count_active(solution.x));
        if (request.wants_utilisation)
            out.report.set("utilisation", utilisation_of(busy_seconds(problem.instance, solution.x), out.seconds));
        if (!problem.rules.previous.empty()) out.report.set("moved", problem.rules.use_of(solution.x)[1]);
        out.x = std::move(solution.x);
    } else {
        out.report.set("optimal", std::int64_t{0});
        out.report.set("feasible", std::int64_t{0});
        out.report.set("lower_bound", solution.lower_bound);
    }
    add_work(out.report, control);
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

// Each package moves its own bytes over the host link.
std::optional<Communication> communication_of_packages(const Platform &platform, const ScheduleRequest &request)
{
    const auto name = request.options.get_text("communication");
    if (name == "none") return std::nullopt;
    if (name != "host") fail_argument("communication is ", in_quotes(name), "; schedules take 'none' and 'host'");
    return Communication(platform, request.options, request.size);
}

} // namespace

Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_partition_method(request.method, request.objective);
    const bool total = request.objective == Objective::total_energy;
    if (total) check_base_power(platform);
    const bool by_time = request.objective == Objective::time;
    const bool by_sum = request.objective == Objective::sum_time; // solved as energies, which are the times
    const auto objective = by_sum ? Objective::energy : request.objective;
    const bool energies = !by_time || request.options.is_set("energy_budget");
    const auto needs = by_sum ? Needs::time_as_energy : energies ? Needs::time_and_energy : Needs::time;
    ConstrainedCall call(platform, prepared_platform, request,
                         {needs, by_time, total, false, request.ties, by_sum ? Charge::seconds : Charge::joules},
                         control);
    std::optional<Communication> by_joules;
    const auto *links = call.communication();
    Solution fastest;
    try {
        call.prepare_exchanges();
        if (energies) check_energies(platform, call, total, by_sum ? "the times" : "the energies");
        fastest = call.settle_deadline();
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        const auto problem = call.problem(objective, request.ties);
        return describe(problem, request, call.constraints(), links, {Outcome::limit, {}, bound_at_limit(problem)},
                        control);
    }
    const auto problem = call.problem(objective, request.ties);
    Solution solution;
    if (call.is_nothing_to_do()) {
        solution.outcome = Outcome::found;
        solution.x.assign(problem.instance.processors(), 0);
    } else if (fastest.outcome == Outcome::limit) {
        solution = {Outcome::limit, std::move(fastest.x), bound_at_limit(problem)};
    } else {
        solution = solve_by(method, problem, control);
        if (solution.outcome == Outcome::limit && solution.x.empty()) solution.x = std::move(fastest.x);
    }
    if (solution.outcome == Outcome::none) call.fail_infeasible();
    if (by_sum && links != nullptr) {
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

Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_front_method(request.method, request.energy);
    const bool total = request.energy == FrontEnergy::total;
    if (total) check_base_power(platform);
    ConstrainedCall call(platform, prepared_platform, request, {Needs::time_and_energy, false, total, true}, control);
    call.prepare_exchanges();
    check_energies(platform, call, total, "the energies");
    if (call.settle_deadline().outcome == Outcome::limit)
        fail(Status::limit, "the limit was reached before the least time was proved");
    const auto problem = call.problem(total ? Objective::total_energy : Objective::energy, Ties::deterministic);
    Front front;
    front.points = front_of_call(request, method, problem, control);
    if (front.points.empty()) call.fail_infeasible();
    front.report.set("method", request.method);
    if (call.constraints().deadline) front.report.set("deadline", *call.constraints().deadline);
    front.report.set("optimal", std::int64_t{1});
    front.report.set("feasible", std::int64_t{1});
    front.report.set("points", static_cast<std::int64_t>(front.points.size()));
    report_intervals(front.report, measured, front.points, total, call.communication());
    add_work(front.report, control);
    return front;
}

Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_schedule_method(request.method);
    const auto communication = communication_of_packages(platform, request);
    const PointsOfCall points(platform, prepared_platform, Needs::time, {}, request.size,
                              communication ? &*communication : nullptr, control);
    const auto &all = points.get();
    std::optional<Prepared> rising;
    if (request.options.get_text("packages") == "rising") rising.emplace(rising_part(all.instance()), all.simd_level());
    const auto &prepared = rising ? *rising : all;
    const auto &instance = prepared.instance();
    check_schedule_times(prepared, request.size);
    const ScheduleProblem problem{platform, prepared, instance, request.size, request.ties, request.options};
    auto found = method.solve(problem, control);
    if (found.outcome == Outcome::none) fail_infeasible_schedule(prepared, request.size, control);
    const auto exact = exact_makespan(problem, request.method, found, control);
    if (exact) found.lower_bound = std::max(found.lower_bound, *exact);
    Schedule schedule;
    schedule.makespan = found.makespan;
    for (std::int64_t i = 0; i < measured.count(); ++i) schedule.processors.push_back(measured.processor(i).name);
    schedule.tasks = std::move(found.tasks);
    schedule.report.set("method", request.method);
    schedule.report.set("optimal", std::int64_t{schedule.makespan <= found.lower_bound ? 1 : 0});
    schedule.report.set("feasible", std::int64_t{1});
    schedule.report.set("lower_bound", found.lower_bound);
    schedule.report.set("gap", std::max(0.0, schedule.makespan - found.lower_bound));
    if (exact) report_comparison(schedule.report, schedule.makespan, *exact);
    schedule.report.set("active", count_active(schedule.tasks));
    schedule.report.set("utilisation", utilisation_of(busy_seconds(instance, schedule.tasks), schedule.makespan));
    if (communication) {
        const auto busy = busy_seconds(points.computing().instance(), schedule.tasks);
        const auto compute = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
        schedule.report.set("compute_seconds", compute);
        schedule.report.set("communication_seconds", schedule.makespan - compute);
    }
    report_intervals(schedule.report, measured, schedule.tasks, communication ? &*communication : nullptr);
    add_work(schedule.report, control);
    return schedule;
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

Front compute_front(const Platform &platform, const FrontRequest &request, Control &control)
{
    return compute_front(platform, PreparedPlatform(), request, control);
}

Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control)
{
    return compute_schedule(platform, PreparedPlatform(), request, control);
}

} // namespace hpart
