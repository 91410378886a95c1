// The three calls: gather the usable points, ask the method, say what was found.
#include "partitioners/partition.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/front.hpp"
#include "partitioners/exact/schedule.hpp"
#include "partitioners/methods.hpp"
#include "partitioners/sums/reachable_sum.hpp"

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

void check_energies(const Platform &platform, const Instance &instance, bool total)
{
    double energies = 0;
    double longest = 0;
    for (std::size_t k = 0, i = 0; i < instance.processors(); ++i) {
        double largest = 0;
        for (; k < instance.first[i + 1]; ++k) {
            largest = std::max(largest, instance.joules[k]);
            longest = std::max(longest, instance.seconds[k]);
        }
        energies += largest;
    }
    check_summable(total ? energies + platform.base_power() * longest : energies, "the energies");
}

void check_schedule_times(const Instance &instance, std::int64_t size)
{
    double longest = 0;
    for (const auto seconds : instance.seconds) longest = std::max(longest, seconds);
    check_summable(longest * static_cast<double>(size), "the times of the packages");
}

[[noreturn]] void fail_infeasible(std::int64_t size, const NearestSums &nearest, const char *why = "")
{
    if (!nearest.determined)
        fail(Status::infeasible, "no distribution of size ", size,
             " exists; the nearest feasible sizes could not be determined within the limits");
    const auto side = [](std::optional<std::int64_t> sum, const char *where) {
        return sum ? text(*sum, " ", where) : text("none ", where);
    };
    fail(Status::infeasible, "no distribution of size ", size, " exists; the nearest feasible sizes are ",
         side(nearest.below, "below"), " and ", side(nearest.above, "above"), why);
}

[[noreturn]] void fail_infeasible(const Instance &instance, Needs needs, std::int64_t size, Control &control)
{
    const char *why = "";
    if (instance.sizes.size() == instance.processors())
        why = needs == Needs::time ? ": no processor has a size within its limits that has a time"
                                   : ": no processor has a size within its limits that has both a time and an energy";
    constexpr auto any_size = std::numeric_limits<std::int64_t>::max();
    constexpr auto any_time = std::numeric_limits<double>::infinity();
    fail_infeasible(size, nearest_sums(choices_within(instance, any_size, any_time), size, control), why);
}

// Totals of packages beyond the size are needed too: as far as one more package of the largest size.
[[noreturn]] void fail_infeasible_schedule(const Platform &platform, std::int64_t size, Control &control)
{
    std::int64_t largest = 0;
    for (const auto package : usable_points(platform, Needs::time).sizes) largest = std::max(largest, package);
    NearestSums nearest;
    try {
        nearest = nearest_sums(schedule_choices(platform, saturating_add(size, largest), control), size, control);
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

void add_work(Report &report, const Work &work, const Control &control)
{
    report.set("solve_seconds", seconds_since(control.start()));
    report.set("sum_tests", work.sum_tests);
    report.set("searches", work.searches);
    report.set("states", work.states);
}

Distribution describe(const Question &question, const std::string &method, Solution solution, const Work &work,
                      const Control &control)
{
    Distribution out;
    out.limit_reached = solution.outcome == Outcome::limit;
    out.feasible = !solution.x.empty();
    out.report.set("method", method);
    if (out.feasible) {
        const auto cost = cost_of(question.instance, solution.x);
        const auto value = value_of(question, cost);
        out.seconds = cost.seconds;
        out.joules = question.objective == Objective::total_energy ? value : cost.joules;
        out.report.set("optimal", std::int64_t{!out.limit_reached && value <= solution.lower_bound ? 1 : 0});
        out.report.set("feasible", std::int64_t{1});
        out.report.set("lower_bound", solution.lower_bound);
        out.report.set("gap", std::max(0.0, value - solution.lower_bound));
        out.report.set("active", count_active(solution.x));
        out.x = std::move(solution.x);
    } else {
        out.report.set("optimal", std::int64_t{0});
        out.report.set("feasible", std::int64_t{0});
        out.report.set("lower_bound", solution.lower_bound);
    }
    add_work(out.report, work, control);
    return out;
}

} // namespace

Distribution partition(const Platform &platform, const PartitionRequest &request, Control &control)
{
    const auto &method = find_partition_method(request.method, request.objective);
    if (request.objective == Objective::total_energy) check_base_power(platform);
    const auto needs = request.objective == Objective::time ? Needs::time : Needs::time_and_energy;
    const auto instance = usable_points(platform, needs);
    if (request.objective != Objective::time)
        check_energies(platform, instance, request.objective == Objective::total_energy);
    const Question question{platform, instance, request.objective, request.size, request.ties, request.options};
    Work work;
    Solution solution;
    if (request.size == 0) {
        solution.outcome = Outcome::found;
        solution.x.assign(instance.processors(), 0);
    } else {
        solution = method.solve(question, control, work);
    }
    if (solution.outcome == Outcome::none) fail_infeasible(instance, needs, request.size, control);
    return describe(question, request.method, std::move(solution), work, control);
}

Front compute_front(const Platform &platform, const FrontRequest &request, Control &control)
{
    const auto &method = find_front_method(request.method, request.energy);
    const bool total = request.energy == FrontEnergy::total;
    if (total) check_base_power(platform);
    const auto instance = usable_points(platform, Needs::time_and_energy);
    check_energies(platform, instance, total);
    Work work;
    auto points = method.solve({platform, instance, request.size, request.options}, control, work);
    if (points.empty()) fail_infeasible(instance, Needs::time_and_energy, request.size, control);
    if (total) points = total_energy_front(std::move(points), platform.base_power());
    Front front;
    front.points.reserve(points.size());
    for (auto &point : points) front.points.push_back({point.seconds, point.joules, std::move(point.x)});
    front.report.set("method", request.method);
    front.report.set("optimal", std::int64_t{1});
    front.report.set("feasible", std::int64_t{1});
    front.report.set("points", static_cast<std::int64_t>(front.points.size()));
    add_work(front.report, work, control);
    return front;
}

Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control)
{
    const auto &method = find_schedule_method(request.method);
    const auto instance = usable_points(platform, Needs::time);
    check_schedule_times(instance, request.size);
    Work work;
    auto found = method.solve({platform, instance, request.size, request.ties, request.options}, control, work);
    if (found.outcome == Outcome::none) fail_infeasible_schedule(platform, request.size, control);
    Schedule schedule;
    schedule.makespan = found.makespan;
    schedule.tasks = std::move(found.tasks);
    schedule.report.set("method", request.method);
    schedule.report.set("optimal", std::int64_t{schedule.makespan <= found.lower_bound ? 1 : 0});
    schedule.report.set("feasible", std::int64_t{1});
    schedule.report.set("lower_bound", found.lower_bound);
    schedule.report.set("gap", std::max(0.0, schedule.makespan - found.lower_bound));
    schedule.report.set("active", count_active(schedule.tasks));
    add_work(schedule.report, work, control);
    return schedule;
}

} // namespace hpart
