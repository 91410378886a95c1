// Self-scheduling on the functions: simulates the runs of hpart_team_self_schedule, each package taking the time of its size. The processor
// that has been busy for the shortest time asks next, the first one among equals. Time O(packages x (p + log points)).
#include "core/error.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/problem/packages.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace hpart
{

PackageSchedule self_scheduled(SelfMethod method, const ScheduleProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    const auto p = instance.processors();
    SelfScheduler scheduler(SelfSchedule::from(method, problem.size, p, problem.options), p, package_sizes(instance));
    using Request = std::pair<double, std::size_t>; // busy seconds, processor
    std::priority_queue<Request, std::vector<Request>, std::greater<>> requests;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> repeats; // by processor, then by decreasing size
    Pacer pacer(control, "giving out packages");
    const auto ask = [&](double busy, std::size_t i, std::optional<double> seconds) {
        const auto size = scheduler.next(i, seconds);
        if (size == 0) return;
        pacer.spend(static_cast<std::int64_t>(p));
        ++control.counters.states;
        ++repeats[{static_cast<std::int64_t>(i), -size}];
        requests.emplace(busy + instance.seconds_of(i, size), i);
    };
    std::vector<double> busy(p, 0);
    for (std::size_t i = 0; i < p; ++i) ask(0, i, std::nullopt);
    while (!requests.empty()) {
        const auto [end, i] = requests.top();
        requests.pop();
        ask(end, i, end - std::exchange(busy[i], end));
    }
    if (scheduler.rest() > 0)
        fail(Status::infeasible, "method ", problem.options.get_text("method"), " leaves ", scheduler.rest(), " of ",
             problem.size, ", for which no processor has a size");
    PackageSchedule out;
    for (const auto &[key, count] : repeats) out.tasks.push_back({key.first, -key.second, count});
    const auto seconds = busy_seconds(instance, out.tasks);
    out.makespan = *std::max_element(seconds.begin(), seconds.end());
    out.lower_bound = schedule_bound(instance, problem.size);
    out.outcome = Outcome::found;
    return out;
}

} // namespace hpart
