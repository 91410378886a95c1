// The bound: a processor that makes the total v in time T has v <= T s, s its highest speed, so that T >= n / sum of s. Rounding:
// a sum of k times is at least (1 - k u) of the true one, and a schedule has at most n / (smallest size) packages. Besides, some
// package has to run: T is at least the least time of all.
#include "partitioners/problem/packages.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

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
