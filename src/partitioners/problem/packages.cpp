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

double speed(const Instance &instance, std::size_t k)
{
    if (instance.seconds[k] == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(instance.sizes[k]) / instance.seconds[k];
}

} // namespace

Instance rising_part(const Instance &instance)
{
    InstanceBuilder rising(Needs::time);
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        auto fastest = instance.begin(i);
        for (auto k = fastest; k < instance.end(i); ++k)
            if (instance.sizes[k] > 0 &&
                (instance.sizes[fastest] == 0 || speed(instance, k) > speed(instance, fastest)))
                fastest = k;
        for (auto k = instance.begin(i); k <= fastest && k < instance.end(i); ++k)
            rising.add_point(instance.sizes[k], instance.seconds[k]);
        rising.end_processor();
    }
    return rising.take();
}

std::vector<std::span<const std::int64_t>> package_sizes(const Instance &instance)
{
    std::vector<std::span<const std::int64_t>> sizes;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto first = instance.begin(i), end = instance.end(i);
        const auto idle = std::size_t{first < end && instance.sizes[first] == 0};
        sizes.emplace_back(instance.sizes.data() + first + idle, end - first - idle);
    }
    return sizes;
}

std::vector<double> busy_seconds(const Instance &instance, const std::vector<ScheduleTask> &tasks)
{
    std::vector<double> busy(instance.processors(), 0);
    for (const auto &task : tasks) {
        const auto i = static_cast<std::size_t>(task.processor);
        const auto seconds = instance.seconds[instance.find(i, task.size)];
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
        for (auto k = instance.begin(i); k < instance.end(i) && instance.sizes[k] <= size; ++k) {
            if (instance.sizes[k] == 0) continue;
            highest = std::max(highest, speed(instance, k));
            least_seconds = std::min(least_seconds, instance.seconds[k]);
            smallest = std::min(smallest, instance.sizes[k]);
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
