// The call for one distribution: gathers the usable points, runs the method, reports the result.

#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "partitioners/calls/reports.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

// A problem with arrangements needs method exact where its result is bounded, and has no rules beyond that.
void check_arranged(const std::string &arranged, const std::string &method, const CallKind &kind,
                    const Constraints &constraints)
{
    if (kind.ties == Ties::fewest)
        fail_argument("ties is 'fewest'; with ", arranged, " only 'deterministic' is available");
    if (!constraints.rules.is_empty())
        fail(Status::unsupported, arranged,
             " does not keep max_active, idle_processors=forbidden, an energy budget or a previous distribution",
             arranged.starts_with("communication") ? "; 'host' does" : "");
    if (method == "exact") return;
    if (kind.is_front)
        fail(Status::unsupported, "method ", in_quotes(method), " has no front with ", arranged, "; method exact does");
    if (constraints.deadline || constraints.slowdown)
        fail(Status::unsupported, "method ", in_quotes(method), " does not keep a deadline with ", arranged,
             "; method exact does");
}

// The requested communication, if any.
std::optional<Communication> communication_of(const Platform &platform, const Options &options, std::int64_t size,
                                              const std::string &method, const CallKind &kind,
                                              const Constraints &constraints)
{
    std::optional<Communication> communication;
    const auto name = options.get_text("communication");
    if (name != "none")
        communication.emplace(platform, options, size,
                              objective_kind(kind.objective).adds_times ? Charge::seconds : Charge::joules);
    if (communication && communication->pattern() == Pattern::any_chain &&
        !objective_kind(kind.objective).is_longest_time())
        fail_argument("communication is 'chain-any'; it needs objective time: energies, sums of times and fronts take "
                      "'host', 'chain' and 'summa'");
    if (communication && communication->couples())
        check_arranged(text("communication ", in_quotes(name)), method, kind, constraints);
    else if (arranges(platform, nullptr, objective_kind(kind.objective).needs_base_power))
        check_arranged("total energy with nodes that can be switched off", method, kind, constraints);
    return communication;
}

Needs needs_of(const ObjectiveKind &kind, const Options &options)
{
    if (kind.adds_times) return Needs::time_as_energy;
    return kind.needs_energies || options.is_set("energy_budget") ? Needs::time_and_energy : Needs::time;
}

constexpr double largest_sum = 1e280;

} // namespace

void check_base_power(const Platform &platform)
{
    if (!platform.has_base_power())
        fail_argument("base power is not set; total energy needs it: set it in the platform, 0 is allowed");
}

void check_summable(double sum, const char *what)
{
    if (!(sum < largest_sum))
        fail(Status::numerical, what, " are so large that their sum can be ", sum, "; it must stay below ",
             largest_sum);
}

ConstrainedCall::ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform,
                                 const Options &options, std::int64_t size, const std::string &method,
                                 Constraints constraints, const CallKind &kind, Control &control)
    : platform_(platform), size_(size), options_(options), kind_(kind), constraints_(std::move(constraints)),
      needs_(needs_of(objective_kind(kind.objective), options)), control_(control),
      communication_(communication_of(platform, options, size, method, kind, constraints_)),
      points_(platform, prepared_platform, needs_, constraints_.points, size, communication(), control)
{
    keeps_deadline_ =
        method == "exact" && !arranges(platform, communication(), objective_kind(kind.objective).needs_base_power);
    points_.set_deadline(constraints_.deadline);
}

PartitionProblem ConstrainedCall::problem() const
{
    return {.platform = platform_,
            .prepared = prepared(),
            .objective = objective_kind(kind_.objective).solved_as,
            .size = size_,
            .ties = kind_.ties,
            .options = options_,
            .rules = constraints_.rules,
            .communication = communication(),
            .deadline = constraints_.deadline.value_or(infinity)};
}

double ConstrainedCall::largest_sum_of(const Prepared &points) const
{
    const auto &extremes = points.extremes();
    if (!objective_kind(kind_.objective).needs_base_power) return extremes.joules;
    auto watts = platform_.base_power();
    for (const auto &node : platform_.nodes()) watts += node.watts;
    return extremes.joules + watts * (extremes.longest_seconds + (communication_ ? communication_->most_seconds() : 0));
}

void ConstrainedCall::check_energies() const
{
    if (needs_ == Needs::time || largest_sum_of(prepared()) < largest_sum) return;
    check_summable(largest_sum_of(points_.get()), needs_ == Needs::time_as_energy ? "the times" : "the energies");
}

void ConstrainedCall::prepare_exchanges()
{
    if (communication_) communication_->prepare_exchanges(platform_, control_.memory_limit());
}

Solution ConstrainedCall::settle_deadline()
{
    Solution fastest;
    fastest.outcome = Outcome::found;
    if (!constraints_.slowdown) return fastest;
    if (is_nothing_to_do()) {
        constraints_.deadline = 0;
        return fastest;
    }
    fastest = least_time(prepared());
    if (fastest.outcome == Outcome::none) fail_infeasible();
    const auto deadline = *constraints_.slowdown * fastest.lower_bound;
    if (fastest.outcome == Outcome::limit) {
        // The deadline may be later.
        if (!fastest.x.empty() && cost_in(problem(), fastest.x).seconds > deadline) fastest.x.clear();
        return fastest;
    }
    constraints_.deadline = deadline;
    points_.set_deadline(deadline);
    return fastest;
}

void ConstrainedCall::fail_infeasible()
{
    if (couples() && constraints_.deadline) {
        const auto least = least_time(points_.without_deadline());
        if (least.outcome != Outcome::none)
            fail(Status::infeasible, "no distribution of size ", size_, " takes at most ",
                 given_seconds(*constraints_.deadline), ", the deadline; the least time is ",
                 least.outcome == Outcome::limit ? "at least " : "", sufficient_seconds(least.lower_bound));
        constraints_.deadline.reset();
        points_.set_deadline(std::nullopt);
    }
    hpart::fail_infeasible({platform_, points_, constraints_, needs_, size_, options_, communication()}, control_);
}

Solution ConstrainedCall::least_time(const Prepared &points) const
{
    auto rules = constraints_.rules;
    rules.prefer = Prefer::least_cost;
    const PartitionProblem by_time{.platform = platform_,
                                   .prepared = points,
                                   .size = size_,
                                   .options = options_,
                                   .rules = rules,
                                   .communication = communication()};
    if (couples()) return find_partition_method("exact", Objective::time).solve(by_time, control_);
    return least_time_within_rules(by_time, control_);
}

namespace
{

std::int64_t count_active(const std::vector<std::int64_t> &x)
{
    return std::count_if(x.begin(), x.end(), [](std::int64_t size) { return size > 0; });
}

std::vector<double> busy_seconds_of(const Instance &instance, const std::vector<std::int64_t> &x)
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
        out.seconds = objective_kind(request.objective).adds_times ? value : cost.seconds;
        out.joules = problem.is_total() ? value : cost.joules();
        if (!needs_energies(request.objective) && request.wants_joules)
            out.joules =
                joules_of(problem.platform, solution.x, constraints.points.interpolation, links, problem.instance);
        report_value(out.report, value, solution.lower_bound, exact_value(problem, request.method, solution, control));
        out.report.set("active", count_active(solution.x));
        if (request.wants_utilisation)
            report_utilisation(out.report, busy_seconds_of(problem.instance, solution.x), out.seconds);
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
    const auto &kind = objective_kind(request.objective);
    if (kind.needs_base_power) check_base_power(platform);
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
    std::optional<Communication> by_joules;
    const auto *links = call.communication();
    if (kind.adds_times && links != nullptr && !solution.x.empty()) {
        links = &by_joules.emplace(platform, request.options, request.size);
        by_joules->prepare_exchanges(platform, control.memory_limit());
    }
    auto found = describe(problem, request, call.constraints(), links, std::move(solution), control);
    if (call.communication() != nullptr && found.feasible)
        report_communication(found.report, *problem.communication, problem.instance, call.computing(), found,
                             kind.adds_times);
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
