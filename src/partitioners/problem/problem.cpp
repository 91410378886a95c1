#include "partitioners/problem/problem.hpp"

#include "core/error.hpp"
#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x)
{
    const bool energies = instance.has_energies;
    Cost cost{0};
    if (!energies) cost.energy.add(std::numeric_limits<double>::quiet_NaN());
    std::size_t k = 0;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        // Alike processors side by side often have the same size.
        const bool as_before = i > 0 && x[i] == x[i - 1] && instance.function_of[i] == instance.function_of[i - 1];
        if (!as_before) {
            k = instance.of(i).find(x[i]);
            cost.seconds = std::max(cost.seconds, instance.of(i).seconds[k]);
        }
        if (energies) cost.energy.add(instance.of(i).joules[k]);
    }
    return cost;
}

Cost cost_in(const PartitionProblem &problem, const std::vector<std::int64_t> &x)
{
    return cost_of(problem.platform, problem.instance, problem.communication, x);
}

Cost cost_of(const Platform &platform, const Instance &instance, const Communication *communication,
             const std::vector<std::int64_t> &x)
{
    auto cost = cost_of(instance, x);
    if (communication != nullptr) {
        cost.seconds = communication->seconds_of(instance, x);
        if (communication->couples()) cost.energy += communication->energy_of(communication->order_of(instance, x));
    }
    for (const auto &node : platform.nodes())
        if (std::any_of(x.begin() + node.first, x.begin() + node.last + 1, [](auto size) { return size > 0; }))
            cost.of_nodes.add_product(node.watts, cost.seconds);
    return cost;
}

bool arranges(const Platform &platform, const Communication *communication, bool total)
{
    return (communication != nullptr && communication->couples()) || (total && !platform.nodes().empty());
}

double value_of(const PartitionProblem &problem, const Cost &cost)
{
    switch (problem.objective) {
    case Objective::time: return cost.seconds;
    case Objective::sum_time: // solved as energies
    case Objective::energy: return cost.joules();
    case Objective::total_energy: return cost.total_energy(problem.platform.base_power());
    }
    fail_objective(problem.objective);
}

ResourceUse Rules::use_of(const std::vector<std::int64_t> &x) const
{
    ResourceUse sum{0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) sum = plus(sum, use_of_size(x[i], i, previous));
    return sum;
}

// The bound: a processor that makes the total v in time T has v <= T s, s its highest speed, so that T >= n / sum of s. Rounding:
// a sum of k times is at least (1 - k u) of the true one, and a schedule has at most n / (smallest size) packages. Besides, some
// package has to run: T is at least the least time of all.

namespace
{

double speed(const FunctionPoints &function, std::size_t k)
{
    if (function.seconds[k] == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(function.sizes[k]) / function.seconds[k];
}

} // namespace

Instance rising_part(const Instance &instance)
{
    InstanceBuilder rising(Needs::time);
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto &function = instance.of(i);
        std::size_t fastest = 0;
        for (std::size_t k = 0; k < function.count(); ++k)
            if (function.sizes[k] > 0 &&
                (function.sizes[fastest] == 0 || speed(function, k) > speed(function, fastest)))
                fastest = k;
        for (std::size_t k = 0; k <= fastest && k < function.count(); ++k)
            rising.add_point(function.sizes[k], function.seconds[k]);
        rising.end_processor();
    }
    return rising.take();
}

std::vector<std::span<const std::int64_t>> package_sizes(const Instance &instance)
{
    std::vector<std::span<const std::int64_t>> sizes;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto &function = instance.of(i);
        sizes.push_back(function.sizes.subspan(function.may_idle() ? 1 : 0));
    }
    return sizes;
}

std::vector<double> busy_seconds(const Instance &instance, const std::vector<ScheduleTask> &tasks)
{
    std::vector<double> busy(instance.processors(), 0);
    for (const auto &task : tasks) {
        const auto i = static_cast<std::size_t>(task.processor);
        const auto seconds = instance.seconds_of(i, task.size);
        for (std::int64_t run = 0; run < task.repeats; ++run) busy[i] += seconds;
    }
    return busy;
}

double schedule_bound(const Instance &instance, std::int64_t size)
{
    if (size == 0) return 0;
    double speeds = 0;
    auto least_seconds = std::numeric_limits<double>::infinity();
    auto smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        double highest = 0;
        const auto &function = instance.of(i);
        for (std::size_t k = 0; k < function.count() && function.sizes[k] <= size; ++k) {
            if (function.sizes[k] == 0) continue;
            highest = std::max(highest, speed(function, k));
            least_seconds = std::min(least_seconds, function.seconds[k]);
            smallest = std::min(smallest, function.sizes[k]);
        }
        speeds += highest;
    }
    if (speeds == 0) return 0;
    const auto most_packages = size / smallest;
    const auto roundings = static_cast<double>(most_packages) + static_cast<double>(instance.processors()) + 8;
    const auto kept = std::max(0.0, 1 - 2 * roundings * std::numeric_limits<double>::epsilon());
    return std::max(least_seconds, static_cast<double>(size) / speeds * kept);
}

} // namespace hpart
