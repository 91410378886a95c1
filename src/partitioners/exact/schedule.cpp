// Schedule: each processor runs any number of packages, sizes of its time function, one after another; all sizes sum to n; the
// largest sum of times over the processors is least. Method `exact`.
//
// Only the total v of a processor's packages matters, and the least time c_i(v) of each total is exact (package_totals.hpp). A schedule
// is then a distribution of n over the functions c_i that minimises max c_i(v_i): HPOPT, solved by time.cpp. A processor's time is
// the sum over its packages from the largest to the smallest, one by one.
// Time: O(p m n / unit) for the closure, and HPOPT over p n / unit points. Source: design of hpart; the WDAH thesis solves the same
// problem by a heuristic branch and cut.

#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/package_totals.hpp"

#include <algorithm>
#include <optional>

namespace hpart
{

namespace
{

Packages packages_of(const FunctionPoints &function)
{
    Packages packages;
    for (auto k = function.count(); k-- > 0;) {
        if (function.sizes[k] == 0) continue; // idle
        packages.sizes.push_back(function.sizes[k]);
        packages.seconds.push_back(function.seconds[k]);
    }
    return packages;
}

// The functions of totals as an instance: the closure of every function. Each may take the memory that those before it have left.
Instance close(const Instance &single, std::int64_t limit, Control &control)
{
    Pacer pacer(control, "combining packages");
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> first_with(single.functions(), none);
    InstanceBuilder closed(Needs::time);
    auto memory_bytes = control.memory_limit();
    for (std::size_t i = 0; i < single.processors(); ++i) {
        const auto f = single.function_of[i];
        if (first_with[f] != none) {
            closed.add_processor_like(first_with[f]);
            continue;
        }
        first_with[f] = i;
        const auto totals = totals_up_to(packages_of(single.of(i)), limit, memory_bytes, pacer);
        if (!totals) fail_memory(control.memory_limit());
        memory_bytes -= static_cast<std::int64_t>(totals->totals.size()) * bytes_of_total;
        closed.reserve(totals->totals.size());
        for (std::size_t k = 0; k < totals->totals.size(); ++k) closed.add_point(totals->totals[k], totals->seconds[k]);
        closed.end_processor();
    }
    return closed.take();
}

std::vector<ScheduleTask> tasks_of(const Instance &single, const std::vector<std::int64_t> &totals, Control &control)
{
    Pacer pacer(control, "listing packages");
    std::vector<ScheduleTask> tasks;
    for (std::size_t i = 0; i < totals.size(); ++i) {
        const auto packages = packages_of(single.of(i));
        const auto repeats = repeats_for(packages, totals[i], control.memory_limit(), pacer);
        for (std::size_t k = 0; k < repeats.size(); ++k)
            if (repeats[k] > 0) tasks.push_back({static_cast<std::int64_t>(i), packages.sizes[k], repeats[k]});
    }
    return tasks;
}

} // namespace

PackageSchedule exact_schedule(const ScheduleProblem &problem, Control &control)
{
    PackageSchedule out;
    std::optional<Prepared> prepared(std::in_place, close(problem.instance, problem.size, control),
                                     problem.prepared.simd_level());
    const auto &closed = prepared->instance();
    const PartitionProblem of_totals{.platform = problem.platform,
                                     .prepared = *prepared,
                                     .size = problem.size,
                                     .ties = problem.ties,
                                     .options = problem.options};
    const auto solution = least_time(of_totals, control);
    out.outcome = solution.outcome;
    if (out.outcome == Outcome::limit)
        fail(Status::limit, "the time or memory limit was reached before the least makespan was proved");
    if (out.outcome == Outcome::none) return out;
    out.makespan = cost_of(closed, solution.x).seconds;
    out.lower_bound = out.makespan;
    prepared.reset(); // the packages of each total take that memory
    out.tasks = tasks_of(problem.instance, solution.x, control);
    return out;
}

Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control)
{
    const auto closed = close(instance, limit, control);
    return choices_within(closed, limit, std::numeric_limits<double>::infinity());
}

} // namespace hpart
