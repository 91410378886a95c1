#include "partitioners/calls/reports.hpp"

#include "core/clock.hpp"
#include "core/numbers.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

double end_of(const Points &points, std::int64_t size, FunctionKind kind, Bound bound)
{
    const auto k = points.find(size);
    if (k == points.count() || !points.intervals) return unknown;
    return (bound == Bound::low ? points.intervals->low(kind) : points.intervals->high(kind))[k];
}

struct PointsAtEnd {
    Instance instance;
    bool times_known = true;
};

// The points of x alone, at one end of their intervals. An unknown energy stays NaN. The estimate stands for an unknown time, whose
// point may still have a known energy. `charged`: the function whose values are the energies.
PointsAtEnd points_of(const Platform &platform, const std::vector<std::int64_t> &x, Bound bound, FunctionKind charged)
{
    bool times_known = true;
    auto arrays = std::make_shared<PointArrays>();
    Instance instance; // a function a processor: a front asks often, and equal ones are not worth looking for
    for (std::size_t i = 0; i < x.size(); ++i) {
        const auto &points = platform.points(static_cast<std::int64_t>(i));
        arrays->add(0, 0, 0);
        if (x[i] > 0) {
            auto seconds = end_of(points, x[i], FunctionKind::time, bound);
            if (std::isnan(seconds)) {
                times_known = false;
                const auto k = points.find(x[i]);
                seconds = k == points.count() || std::isnan(points.seconds[k]) ? 0 : points.seconds[k];
            }
            arrays->add(x[i], seconds, end_of(points, x[i], charged, bound));
        }
        instance.function_of.push_back(static_cast<std::uint32_t>(i));
    }
    instance.has_energies = true;
    std::size_t first = 0;
    for (const auto size : x) {
        const std::size_t count = size > 0 ? 2 : 1;
        const auto part = [&](const auto &values) { return std::span(values).subspan(first, count); };
        instance.add_function({part(arrays->sizes), part(arrays->seconds), part(arrays->joules)});
        first += count;
    }
    instance.owners.push_back(std::move(arrays));
    return {std::move(instance), times_known};
}

// NaN where the time, or the energy, of a point is unknown.
Cost cost_at(const Platform &platform, const std::vector<std::int64_t> &x, Bound bound,
             const Communication *communication, FunctionKind charged = FunctionKind::energy)
{
    const auto [instance, times_known] = points_of(platform, x, bound, charged);
    const bool adds = communication != nullptr && communication->has_own_costs();
    auto cost = cost_of(platform, adds ? communication->with_own_costs(instance) : instance, communication, x);
    if (!times_known) cost.seconds = unknown; // and so is each total energy
    return cost;
}

double energy_of(const Platform &platform, const Cost &cost, bool total)
{
    return total ? cost.total_energy(platform.base_power()) : cost.joules();
}

// An end of the makespan: each processor's packages as a function of their own.
double makespan_at(const Platform &platform, const std::vector<ScheduleTask> &tasks, Bound bound,
                   const Communication *communication)
{
    InstanceBuilder builder(Needs::time);
    auto task = tasks.begin();
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto begin = task;
        while (task != tasks.end() && task->processor == i) ++task;
        builder.add_point(0, 0);
        for (auto of_processor = task; of_processor != begin;) { // by increasing size
            --of_processor;
            builder.add_point(of_processor->size,
                              end_of(platform.points(i), of_processor->size, FunctionKind::time, bound));
        }
        builder.end_processor();
    }
    auto instance = builder.take();
    for (const auto &function : instance.of_function)
        for (const auto seconds : function.seconds)
            if (std::isnan(seconds)) return unknown;
    if (communication != nullptr && communication->has_own_costs()) instance = communication->with_own_costs(instance);
    const auto busy = busy_seconds(instance, tasks);
    return *std::max_element(busy.begin(), busy.end());
}

void set_if_known(Report &report, const char *key, double value)
{
    if (!std::isnan(value)) report.set(key, value);
}

} // namespace

ValuesOfCall at_objective_bound(const Platform &platform, const PreparedPlatform &prepared, const Options &options)
{
    if (!platform.may_have_intervals()) return {platform, prepared};
    const auto name = options.get_text("objective_bound");
    if (name == "estimate") return {platform, prepared};
    const auto &at = prepared.at_bound(platform, name == "high" ? Bound::high : Bound::low);
    return {at.platform, at.prepared};
}

void report_value(Report &report, double value, double lower_bound, std::optional<double> exact)
{
    lower_bound = std::max(lower_bound, exact.value_or(lower_bound));
    report.set("optimal", std::int64_t{value <= lower_bound ? 1 : 0});
    report.set("feasible", std::int64_t{1});
    report.set("lower_bound", lower_bound);
    report.set("gap", std::max(0.0, value - lower_bound));
    if (!exact) return;
    report.set("exact_value", *exact);
    const auto of_zero = value > 0 ? infinity : 0.0;
    report.set("excess", *exact > 0 ? value / *exact - 1 : of_zero);
}

void report_utilisation(Report &report, std::vector<double> busy, double seconds)
{
    for (auto &each : busy) each = seconds > 0 ? each / seconds : 0;
    report.set("utilisation", std::move(busy));
}

void report_work(Report &report, const Control &control)
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

namespace
{

// Without work no point is used, whatever intervals there are.
bool has_work(const std::vector<std::int64_t> &x)
{
    return std::any_of(x.begin(), x.end(), [](std::int64_t size) { return size > 0; });
}

} // namespace

void report_intervals(Report &report, const Platform &platform, const Distribution &found, Objective objective,
                      const Communication *communication, const Communication *by_seconds)
{
    if (!platform.may_have_intervals() || !has_work(found.x)) return;
    const auto low = cost_at(platform, found.x, Bound::low, communication);
    const auto high = cost_at(platform, found.x, Bound::high, communication);
    const auto &kind = objective_kind(objective);
    const bool total = kind.needs_base_power;
    const auto seconds = [&](const Cost &cost, Bound bound) {
        if (!kind.adds_times) return cost.seconds;
        return cost_at(platform, found.x, bound, by_seconds, FunctionKind::time).joules();
    };
    set_if_known(report, "time_low", seconds(low, Bound::low));
    set_if_known(report, "time_high", seconds(high, Bound::high));
    set_if_known(report, "energy_low", energy_of(platform, low, total));
    set_if_known(report, "energy_high", energy_of(platform, high, total));
}

void report_intervals(Report &report, const Platform &platform, const std::vector<FrontPoint> &points, bool total,
                      const Communication *communication)
{
    if (!platform.may_have_intervals() || points.empty() || !has_work(points.front().x)) return;
    std::vector<double> time_low, time_high, energy_low, energy_high;
    for (const auto &point : points) {
        const auto low = cost_at(platform, point.x, Bound::low, communication);
        const auto high = cost_at(platform, point.x, Bound::high, communication);
        time_low.push_back(low.seconds);
        time_high.push_back(high.seconds);
        energy_low.push_back(energy_of(platform, low, total));
        energy_high.push_back(energy_of(platform, high, total));
    }
    const auto set = [&](const char *key, std::vector<double> &values) {
        if (std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); }))
            report.set(key, std::move(values));
    };
    set("time_low", time_low);
    set("time_high", time_high);
    set("energy_low", energy_low);
    set("energy_high", energy_high);
}

void report_intervals(Report &report, const Platform &platform, const std::vector<ScheduleTask> &tasks,
                      const Communication *communication)
{
    if (!platform.may_have_intervals() || tasks.empty()) return;
    set_if_known(report, "time_low", makespan_at(platform, tasks, Bound::low, communication));
    set_if_known(report, "time_high", makespan_at(platform, tasks, Bound::high, communication));
}

} // namespace hpart
