// The call for a front: energy_budget, eps, max_points and a previous distribution are kept here, deadline and other bounds by the method.

#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "partitioners/calls/reports.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/sum_within_time.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/methods/methods.hpp"
#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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

// The call for a schedule.

namespace
{

// Totals of packages beyond the size are needed too: as far as one more package of the largest size.
[[noreturn]] void fail_infeasible_schedule(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto limit = saturating_add(size, prepared.records().largest_size);
    const auto nearest = within_limits(
        [&] { return nearest_sums(schedule_choices(prepared.instance(), limit, control), size, control); });
    fail_infeasible(size, nearest.value_or(NearestSums{}));
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

// Each package moves its own bytes over the host link.
std::optional<Communication> communication_of_packages(const Platform &platform, const ScheduleRequest &request)
{
    request.options.check_belongs(call_schedule);
    if (request.options.get_text("communication") == "none") return std::nullopt;
    return Communication(platform, request.options, request.size);
}

} // namespace

Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control)
{
    control.counters = {};
    const auto &[platform, prepared_platform] = at_objective_bound(measured, prepared_measured, request.options);
    const auto &method = find_schedule_method(request.method);
    const auto communication = communication_of_packages(platform, request);
    const PointsOfCall points(platform, prepared_platform, Needs::time, {}, request.size,
                              communication ? &*communication : nullptr, control);
    const auto &all = points.get();
    std::optional<Prepared> rising;
    if (request.options.get_text("packages") == "rising") rising.emplace(rising_part(all.instance()), all.simd_level());
    const auto &prepared = rising ? *rising : all;
    const auto &instance = prepared.instance();
    check_summable(prepared.extremes().longest_seconds * static_cast<double>(request.size),
                   "the times of the packages");
    const ScheduleProblem problem{platform, prepared, instance, request.size, request.ties, request.options};
    auto found = method.solve(problem, control);
    if (found.outcome == Outcome::none) fail_infeasible_schedule(prepared, request.size, control);
    const auto exact = exact_makespan(problem, request.method, found, control);
    Schedule schedule;
    schedule.makespan = found.makespan;
    for (std::int64_t i = 0; i < measured.count(); ++i) schedule.processors.push_back(measured.processor(i).name);
    schedule.tasks = std::move(found.tasks);
    schedule.report.set("method", request.method);
    report_value(schedule.report, schedule.makespan, found.lower_bound, exact);
    schedule.report.set("active", count_active(schedule.tasks));
    report_utilisation(schedule.report, busy_seconds(instance, schedule.tasks), schedule.makespan);
    if (communication) {
        const auto busy = busy_seconds(points.computing().instance(), schedule.tasks);
        const auto compute = busy.empty() ? 0 : *std::max_element(busy.begin(), busy.end());
        schedule.report.set("compute_seconds", compute);
        schedule.report.set("communication_seconds", schedule.makespan - compute);
    }
    report_intervals(schedule.report, measured, schedule.tasks, communication ? &*communication : nullptr);
    report_work(schedule.report, control);
    return schedule;
}

Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control)
{
    return compute_schedule(platform, PreparedPlatform(), request, control);
}

// The function of a node: its best time, or energy, for each workload that its processors can have together.
//
// Source: the first step of HiPOPTA, Khaleghzadeh's thesis (UCD, 2019), section 3.6.4, where the function is measured.
//
// Exact over nodes too, by time: a distribution's time is the longest of its nodes' times, none of which is less than the node's function.
// Energies are rounded once a node: equal to those over all processors if sums are exact in double, else within their roundings.

namespace
{

struct Values {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;

    void add(std::int64_t size, double value)
    {
        if (std::isnan(value)) return;
        sizes.push_back(size);
        values.push_back(value);
    }
};

} // namespace

Platform aggregate(const Platform &node, const PreparedPlatform &prepared_node, PartitionRequest request,
                   Control &control)
{
    const auto needs = needs_energies(request.objective) ? Needs::time_and_energy : Needs::time;
    const auto &points = prepared_node.get(node, needs).instance();
    Values times, energies;
    for (const auto workload : workloads_of(points, points.processors(), request.size, control)) {
        check_time(control);
        request.size = workload;
        try {
            const auto found = partition(node, prepared_node, request, control);
            if (found.limit_reached)
                fail(Status::limit, "the limit was reached before a workload's optimum was proved");
            times.add(workload, found.seconds);
            energies.add(workload, found.joules);
        } catch (const Error &error) {
            if (error.status() != Status::infeasible) throw; // by an option, such as a deadline
        }
    }
    Platform whole(1);
    whole.set_time_function(0, times.sizes, times.values);
    whole.set_energy_function(0, energies.sizes, energies.values);
    if (node.has_base_power()) whole.set_base_power(node.base_power());
    whole.set_border_bytes(node.border_bytes());
    whole.set_kernel(node.kernel());
    return whole;
}

// All sums are the smallest one and a multiple of a common divisor. Those beside the size are most often sums, one processor off its largest
// size within a time. Else lists or bit sets of all sums (search/sum_set.cpp) where these are short, or exact tests of one multiple after
// another, from the size outwards.

namespace
{

constexpr auto any_size = std::numeric_limits<std::int64_t>::max();
constexpr int most_tests = 64; // a side

// Sizes are counted from each processor's smallest, which is above 0 without the idle points.
NearestSums nearest_above_smallest(Choices choices, std::int64_t size, Control &control)
{
    const NearestSums none{{.is_none = true}, {.is_none = true}};
    std::int64_t smallest = 0;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        if (choices.sizes_of_function(f).empty()) return none;
        const auto first = choices.sizes_of_function(f).front();
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) choices.sizes[k] -= first;
        smallest = saturating_add(smallest, saturating_mul(copies[f], first));
    }
    if (smallest == any_size) return none;
    // Below the smallest of all, that one is the nearest.
    auto nearest = nearest_sums(choices, std::max<std::int64_t>(size - smallest, -1), control);
    for (auto *side : {&nearest.below, &nearest.above}) {
        if (!side->sum) continue;
        side->sum = saturating_add(*side->sum, smallest);
        if (*side->sum == any_size) *side = {.is_none = true};
    }
    return nearest;
}

// All sums are smallest + k x unit, up to largest.
struct SumGrid {
    std::int64_t smallest = 0;
    std::int64_t unit = 0;
    std::int64_t largest = 0;
};

SumGrid grid_of(const Prepared &points)
{
    SumGrid grid;
    const auto &instance = points.instance();
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto &function = instance.of_function[f];
        const auto sizes = function.sizes;
        grid.unit = function.may_idle() ? std::gcd(grid.unit, points.units()[f])
                                        : common_divisor(grid.unit, sizes, sizes.front());
        const auto copies = static_cast<std::int64_t>(points.groups().copies(f));
        grid.smallest = saturating_add(grid.smallest, saturating_mul(copies, sizes.front()));
    }
    grid.largest = std::min(points.records().largest_sum, any_size - 1); // the C interface takes no larger size
    return grid;
}

// Tests sums on the way outwards from a size.
class OutwardTests
{
  public:
    OutwardTests(std::int64_t size, const Prepared &points, Control &control)
        : grid_(grid_of(points)), points_(points), control_(control), above_(grid_.smallest)
    {
        if (grid_.unit == 0 || size < grid_.smallest) return;
        const auto steps = (std::min(size, grid_.largest) - grid_.smallest) / grid_.unit;
        const auto last = grid_.smallest + steps * grid_.unit; // <= size
        above_ = saturating_add(last, grid_.unit);
        below_ = last < size ? last : last - grid_.unit;
    }

    // The two beside the size, where they are found soon.
    NearestSums quick() const
    {
        NearestSums nearest;
        if (grid_.unit == 0) return nearest; // one sum
        const auto look = [&](SumBeside &side, std::int64_t sum) {
            if (is_out(sum))
                side.is_none = true;
            else if (is_sum_quickly(sum))
                side.sum = sum;
        };
        look(nearest.below, below_);
        look(nearest.above, above_);
        return nearest;
    }

    void run(NearestSums &nearest) const
    {
        if (grid_.unit == 0) return;
        if (!nearest.below.is_known()) nearest.below = test_from(below_, -grid_.unit);
        if (!nearest.above.is_known()) nearest.above = test_from(above_, grid_.unit);
    }

  private:
    bool is_out(std::int64_t sum) const { return sum < grid_.smallest || sum > grid_.largest; }

    bool is_sum_quickly(std::int64_t sum) const
    {
        const auto level = TimeLevels(points_, sum).least();
        return level && level->sum < any_size && SumWithinTime(points_, sum, control_).repair_by_one(*level);
    }

    // The first sum on the way from `from` by steps of `step`.
    SumBeside test_from(std::int64_t from, std::int64_t step) const
    {
        for (int test = 0; test < most_tests; ++test) {
            if (is_out(from)) return {.is_none = true};
            const SumWithinTime sums(points_, from, control_);
            if (sums.test(TimeLevels(points_, from).at(infinity))) return {from};
            from = saturating_add(from, step);
        }
        return {};
    }

    SumGrid grid_;
    const Prepared &points_;
    Control &control_;
    std::int64_t below_ = -1;
    std::int64_t above_;
};

} // namespace

NearestSums nearest_sums_of(const Prepared &points, std::int64_t size, Control &control)
{
    const auto largest = points.records().largest_sum;
    const bool has_sums = points.records().fastest < infinity;
    if (has_sums && largest < size) return {{largest}, {.is_none = true}};
    std::optional<OutwardTests> tests;
    if (has_sums) tests.emplace(size, points, control);
    if (tests)
        if (auto quick = tests->quick(); quick.below.is_known() && quick.above.is_known()) return quick;
    auto nearest = nearest_above_smallest(choices_within(points.instance(), any_size, infinity), size, control);
    within_limits([&] {
        if (tests) tests->run(nearest);
        return true;
    });
    return nearest;
}

} // namespace hpart
