// The three calls: gather the usable points, run the method, report the result.
#include "partitioners/calls/partition.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"
#include "partitioners/calls/compare.hpp"
#include "partitioners/calls/front_of_call.hpp"
#include "partitioners/calls/infeasible.hpp"
#include "partitioners/calls/predictions.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/schedule.hpp"
#include "partitioners/exact/within_rules.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/packages.hpp"
#include "partitioners/problem/points_of_call.hpp"
#include "partitioners/search/reachable_sum.hpp"

#include <algorithm>

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

void check_energies(const Platform &platform, const Prepared &prepared, bool total)
{
    const auto &extremes = prepared.extremes();
    check_summable(total ? extremes.joules + platform.base_power() * extremes.longest_seconds : extremes.joules,
                   "the energies");
}

void check_schedule_times(const Prepared &prepared, std::int64_t size)
{
    check_summable(prepared.extremes().longest_seconds * static_cast<double>(size), "the times of the packages");
}

// Totals of packages beyond the size are needed too: as far as one more package of the largest size.
[[noreturn]] void fail_infeasible_schedule(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto limit = saturating_add(size, prepared.records().largest_size);
    NearestSums nearest;
    try {
        nearest = nearest_sums(schedule_choices(prepared.instance(), limit, control), size, 1, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    fail_infeasible(size, nearest);
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
                                     const PackageSchedule &found, Control &control, Work &work)
{
    if (!wants_comparison(problem.options)) return std::nullopt;
    if (method == "exact" || problem.size == 0) return found.makespan;
    return within_limits([&] { return exact_schedule(problem, control, work).makespan; });
}

// Each processor's busy seconds over the makespan; 0 if nothing takes time.
std::vector<double> utilisation_of(const Instance &instance, const Schedule &schedule)
{
    auto busy = busy_seconds(instance, schedule.tasks);
    for (auto &seconds : busy) seconds = schedule.makespan > 0 ? seconds / schedule.makespan : 0;
    return busy;
}

void add_work(Report &report, const Work &work, const Control &control)
{
    report.set("solve_seconds", seconds_since(control.start()));
    report.set("sum_tests", work.sum_tests);
    report.set("searches", work.searches);
    report.set("states", work.states);
    if (work.nodes == 0) return; // no tree search
    report.set("nodes", work.nodes);
    report.set("cuts", work.cuts);
    report.set("recalled", work.recalled);
}

// The instance has no energies if only times are needed. NaN if a size used has none.
double joules_of(const Platform &platform, const std::vector<std::int64_t> &x, Interpolation interpolation)
{
    if (interpolation != Interpolation::none) return interpolated_joules(platform, x, interpolation);
    return platform.evaluate(x).joules();
}

// A method that meets a limit before it knows anything still gets a bound.
Solution solve_by(const PartitionMethod &method, const PartitionProblem &problem, Control &control, Work &work)
{
    try {
        return method.solve(problem, control, work);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return {Outcome::limit, {}, bound_at_limit(problem)};
}

// The optimum, when it is to be compared with and is found within the limits.
std::optional<double> exact_value(const PartitionProblem &problem, const std::string &method, const Solution &solution,
                                  Control &control, Work &work)
{
    if (!wants_comparison(problem.options)) return std::nullopt;
    if (problem.size == 0) return 0;
    const auto value = [&](const Solution &exact) -> std::optional<double> {
        if (exact.outcome != Outcome::found) return std::nullopt;
        return value_of(problem, cost_in(problem, exact.x));
    };
    if (method == "exact") return value(solution);
    return value(solve_by(find_partition_method("exact", problem.objective), problem, control, work));
}

Distribution describe(const PartitionProblem &problem, const PartitionRequest &request, const Constraints &constraints,
                      Solution solution, Control &control, Work &work)
{
    Distribution out;
    out.limit_reached = solution.outcome == Outcome::limit;
    out.feasible = !solution.x.empty();
    out.report.set("method", request.method);
    if (constraints.deadline) out.report.set("deadline", *constraints.deadline);
    if (out.feasible) {
        const auto cost = cost_in(problem, solution.x);
        const auto value = value_of(problem, cost);
        out.seconds = cost.seconds;
        out.joules = problem.objective == Objective::total_energy ? value : cost.joules();
        if (problem.objective == Objective::time && request.wants_joules)
            out.joules = joules_of(problem.platform, solution.x, constraints.points.interpolation);
        const auto exact = exact_value(problem, request.method, solution, control, work);
        if (exact) solution.lower_bound = std::max(solution.lower_bound, *exact);
        out.report.set("optimal", std::int64_t{value <= solution.lower_bound ? 1 : 0});
        out.report.set("feasible", std::int64_t{1});
        out.report.set("lower_bound", solution.lower_bound);
        out.report.set("gap", std::max(0.0, value - solution.lower_bound));
        if (exact) report_comparison(out.report, value, *exact);
        out.report.set("active", count_active(solution.x));
        if (!problem.rules.previous.empty()) out.report.set("moved", problem.rules.use_of(solution.x)[1]);
        out.x = std::move(solution.x);
    } else {
        out.report.set("optimal", std::int64_t{0});
        out.report.set("feasible", std::int64_t{0});
        out.report.set("lower_bound", solution.lower_bound);
    }
    add_work(out.report, work, control);
    return out;
}

// Options that both calls share: points, rules, deadline.
class ConstrainedCall
{
  public:
    template <typename Request>
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform, const Request &request,
                    Needs needs, Control &control, Work &work)
        : platform_(platform), size_(request.size), options_(request.options),
          constraints_(constraints_of(request, platform.count())), needs_(needs), control_(control), work_(work),
          points_(platform, prepared_platform, needs, constraints_.points, size_, control)
    {
        if (constraints_.deadline) points_.keep_within(*constraints_.deadline);
    }

    const Constraints &constraints() const { return constraints_; }
    const Prepared &prepared() const { return points_.get(); }
    bool is_nothing_to_do() const { return size_ == 0 && !constraints_.rules.all_work; }

    PartitionProblem problem(Objective objective, Ties ties) const
    {
        return {platform_, prepared(), prepared().instance(), objective, size_, ties, options_, constraints_.rules};
    }

    // Over other points than the call's own, those with the communication's own costs.
    PartitionProblem problem(Objective objective, Ties ties, const Prepared &points,
                             const Communication *communication) const
    {
        return {platform_, points,   points.instance(),  objective,    size_,
                ties,      options_, constraints_.rules, communication};
    }

    // Turns a slowdown into the deadline, unless the least time is not proved. Gives a distribution that keeps it, if one is known.
    Solution settle_deadline()
    {
        Solution fastest;
        fastest.outcome = Outcome::found;
        if (!constraints_.slowdown) return fastest;
        if (is_nothing_to_do()) {
            constraints_.deadline = 0;
            return fastest;
        }
        auto rules = constraints_.rules;
        rules.prefer = Prefer::least_cost;
        fastest = least_time_within_rules({platform_, prepared(), prepared().instance(), Objective::time, size_,
                                           Ties::deterministic, options_, rules},
                                          control_, work_);
        if (fastest.outcome == Outcome::none) fail_infeasible();
        const auto deadline = *constraints_.slowdown * fastest.lower_bound;
        if (fastest.outcome == Outcome::limit) {
            // The deadline may be later.
            if (!fastest.x.empty() && cost_of(prepared().instance(), fastest.x).seconds > deadline) fastest.x.clear();
            return fastest;
        }
        constraints_.deadline = deadline;
        points_.keep_within(deadline);
        return fastest;
    }

    [[noreturn]] void fail_infeasible()
    {
        hpart::fail_infeasible({platform_, points_, constraints_, needs_, size_, options_}, control_, work_);
    }

  private:
    const Platform &platform_;
    std::int64_t size_;
    const Options &options_;
    Constraints constraints_;
    Needs needs_;
    Control &control_;
    Work &work_;
    PointsOfCall points_;
};

// The requested communication, if any.
std::optional<Communication> communication_of(const Platform &platform, const PartitionRequest &request,
                                              const Rules &rules, const Control &control)
{
    const auto name = request.options.get_text("communication");
    if (name == "none") return std::nullopt;
    if (request.objective != Objective::time)
        fail_argument("communication is ", in_quotes(name), "; only a partition by time has one, others take 'none'");
    Communication communication(platform, request.options, request.size, control.memory_limit());
    if (!communication.couples()) return communication;
    if (request.ties == Ties::fewest)
        fail_argument("ties is 'fewest'; with communication ", in_quotes(name), " only 'deterministic' is available");
    if (!rules.are_plain())
        fail(Status::unsupported, "communication ", in_quotes(name),
             " does not keep max_active, idle_processors=forbidden, energy_budget or a previous distribution; 'host' "
             "does");
    return communication;
}

// Reports the parts of the seconds of x. `computing` are the points without communication.
void report_communication(Report &report, const PartitionProblem &problem, const Instance &computing,
                          const Distribution &found)
{
    const auto seconds = cost_of(computing, found.x).seconds;
    report.set("compute_seconds", seconds);
    report.set("communication_seconds", found.seconds - seconds);
    if (problem.communication->pattern() != Pattern::any_chain) return;
    const auto order = problem.communication->order_of(problem.instance, found.x);
    report.set("order", std::vector<double>(order.begin(), order.end()));
}

// Processors that run one after another: energies that are the times.
Distribution partition_by_sum(const Platform &measured, const PreparedPlatform &prepared_measured,
                              PartitionRequest request, Control &control)
{
    request.objective = Objective::energy;
    request.sums_times = false;
    const auto &times = prepared_measured.of_times(measured);
    auto found = partition(times.platform, times.prepared, request, control);
    Report report;
    std::array<const Report::Value *, 2> ends{found.report.find("energy_low"), found.report.find("energy_high")};
    for (std::int64_t k = 0; k < found.report.count(); ++k) {
        const auto &key = found.report.key(k);
        const bool is_interval = key.starts_with("time_") || key.starts_with("energy_");
        if (!is_interval) report.set(key, found.report.get(key));
    }
    if (found.feasible) {
        const auto interpolation = constraints_of(request, measured.count()).points.interpolation;
        const auto &platform = values_of_call(measured, prepared_measured, request.options).platform;
        found.seconds = found.joules;
        if (request.wants_joules) found.joules = joules_of(platform, found.x, interpolation);
        report_intervals(report, measured, found, Objective::energy, nullptr);
        if (ends[0] != nullptr) report.set("time_low", *ends[0]);
        if (ends[1] != nullptr) report.set("time_high", *ends[1]);
    }
    found.report = std::move(report);
    return found;
}

} // namespace

Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control)
{
    if (request.sums_times) return partition_by_sum(measured, prepared_measured, request, control);
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_partition_method(request.method, request.objective);
    if (request.objective == Objective::total_energy) check_base_power(platform);
    const bool energies = request.objective != Objective::time || request.options.is_set("energy_budget");
    Work work;
    ConstrainedCall call(platform, prepared_platform, request, energies ? Needs::time_and_energy : Needs::time, control,
                         work);
    if (energies) check_energies(platform, call.prepared(), request.objective == Objective::total_energy);
    auto fastest = call.settle_deadline();
    std::optional<Communication> communication;
    try {
        communication = communication_of(platform, request, call.constraints().rules, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        const auto problem = call.problem(request.objective, request.ties);
        return describe(problem, request, call.constraints(), {Outcome::limit, {}, bound_at_limit(problem)}, control,
                        work);
    }
    const auto &computing = call.prepared();
    std::optional<Prepared> with_own_costs;
    if (communication && communication->has_own_costs())
        with_own_costs.emplace(communication->with_own_costs(computing.instance()), computing.simd_level());
    const auto problem = call.problem(request.objective, request.ties, with_own_costs ? *with_own_costs : computing,
                                      communication ? &*communication : nullptr);
    Solution solution;
    if (call.is_nothing_to_do()) {
        solution.outcome = Outcome::found;
        solution.x.assign(problem.instance.processors(), 0);
    } else if (fastest.outcome == Outcome::limit) {
        solution = {Outcome::limit, std::move(fastest.x), bound_at_limit(problem)};
    } else {
        solution = solve_by(method, problem, control, work);
        if (solution.outcome == Outcome::limit && solution.x.empty()) solution.x = std::move(fastest.x);
    }
    if (solution.outcome == Outcome::none) call.fail_infeasible();
    auto found = describe(problem, request, call.constraints(), std::move(solution), control, work);
    if (communication && found.feasible) report_communication(found.report, problem, computing.instance(), found);
    if (found.feasible) report_intervals(found.report, measured, found, request.objective, problem.communication);
    return found;
}

Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control)
{
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_front_method(request.method, request.energy);
    const bool total = request.energy == FrontEnergy::total;
    if (total) check_base_power(platform);
    Work work;
    ConstrainedCall call(platform, prepared_platform, request, Needs::time_and_energy, control, work);
    check_energies(platform, call.prepared(), total);
    if (call.settle_deadline().outcome == Outcome::limit)
        fail(Status::limit, "the limit was reached before the least time was proved");
    const FrontProblem problem{platform,     call.prepared(), call.prepared().instance(),
                               request.size, request.options, call.constraints().rules};
    auto points = front_of_call(request, method, problem, control, work);
    if (points.empty()) call.fail_infeasible();
    Front front;
    front.points.reserve(points.size());
    for (auto &point : points) front.points.push_back({point.seconds, point.joules, std::move(point.x)});
    front.report.set("method", request.method);
    if (call.constraints().deadline) front.report.set("deadline", *call.constraints().deadline);
    front.report.set("optimal", std::int64_t{1});
    front.report.set("feasible", std::int64_t{1});
    front.report.set("points", static_cast<std::int64_t>(front.points.size()));
    report_intervals(front.report, measured, front.points, total);
    add_work(front.report, work, control);
    return front;
}

Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control)
{
    const auto &[platform, prepared_platform] = values_of_call(measured, prepared_measured, request.options);
    const auto &method = find_schedule_method(request.method);
    const auto &all = prepared_platform.get(platform, Needs::time);
    std::optional<Prepared> rising;
    if (request.options.get_text("packages") == "rising") rising.emplace(rising_part(all.instance()), all.simd_level());
    const auto &prepared = rising ? *rising : all;
    const auto &instance = prepared.instance();
    check_schedule_times(prepared, request.size);
    const ScheduleProblem problem{platform, prepared, instance, request.size, request.ties, request.options};
    Work work;
    auto found = method.solve(problem, control, work);
    if (found.outcome == Outcome::none) fail_infeasible_schedule(prepared, request.size, control);
    const auto exact = exact_makespan(problem, request.method, found, control, work);
    if (exact) found.lower_bound = std::max(found.lower_bound, *exact);
    Schedule schedule;
    schedule.makespan = found.makespan;
    schedule.tasks = std::move(found.tasks);
    schedule.report.set("method", request.method);
    schedule.report.set("optimal", std::int64_t{schedule.makespan <= found.lower_bound ? 1 : 0});
    schedule.report.set("feasible", std::int64_t{1});
    schedule.report.set("lower_bound", found.lower_bound);
    schedule.report.set("gap", std::max(0.0, schedule.makespan - found.lower_bound));
    if (exact) report_comparison(schedule.report, schedule.makespan, *exact);
    schedule.report.set("active", count_active(schedule.tasks));
    schedule.report.set("utilisation", utilisation_of(instance, schedule));
    report_intervals(schedule.report, measured, schedule.tasks);
    add_work(schedule.report, work, control);
    return schedule;
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
