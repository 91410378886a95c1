// Simulated self-scheduling against a simulation that looks for the next processor by itself, at every step.
#include "instances.hpp"
#include "models/schedule_table.hpp"
#include "partitioners/calls/partition.hpp"
#include "reference.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

namespace
{

using hpart::Platform;

constexpr std::array<const char *, 4> methods = {"fixed", "guided", "factoring", "sigmoid"};

hpart::Schedule by(const Platform &platform, std::int64_t n, const char *method, std::int64_t package)
{
    hpart::ScheduleRequest request{n, method, hpart::Ties::deterministic, {}};
    request.options.set_int("package", package);
    hpart::Control control;
    return hpart::compute_schedule(platform, request, control);
}

struct Simulated {
    std::vector<double> busy;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> packages;
    std::int64_t rest = 0;
};

Simulated simulate(const Platform &platform, std::int64_t n, const char *method, std::int64_t package)
{
    const auto p = static_cast<std::size_t>(platform.count());
    std::vector<std::vector<std::int64_t>> sizes(p);
    std::vector<std::map<std::int64_t, double>> seconds(p);
    for (std::size_t i = 0; i < p; ++i)
        for (const auto &point : reference::usable(platform, static_cast<std::int64_t>(i), false))
            if (point.size > 0) seconds[i][point.size] = point.seconds;
    for (std::size_t i = 0; i < p; ++i)
        for (const auto &[size, time] : seconds[i]) sizes[i].push_back(size);
    hpart::SelfScheduler scheduler({hpart::self_method_of(method), n, package}, p, {sizes.begin(), sizes.end()});
    Simulated out{std::vector<double>(p, 0), {}, 0};
    std::vector<std::int64_t> running(p, -1); // -1: nothing yet, 0: no more
    for (;;) {
        auto next = p;
        for (std::size_t i = 0; i < p; ++i) {
            if (running[i] == 0) continue;
            const auto is_first = [&](std::size_t a, std::size_t b) {
                if (running[a] < 0 || running[b] < 0) return running[a] < 0 && (running[b] > 0 || a < b);
                return out.busy[a] != out.busy[b] ? out.busy[a] < out.busy[b] : a < b;
            };
            if (next == p || is_first(i, next)) next = i;
        }
        if (next == p) break;
        const auto last = running[next] > 0 ? std::optional(seconds[next].at(running[next])) : std::nullopt;
        running[next] = scheduler.next(next, last);
        if (running[next] == 0) continue;
        out.busy[next] += seconds[next].at(running[next]);
        ++out.packages[{static_cast<std::int64_t>(next), -running[next]}];
    }
    out.rest = scheduler.rest();
    return out;
}

TEST(SelfScheduled, AsAPlainSimulation)
{
    instances::Random random(instances::seeded(501));
    int feasible = 0;
    for (int instance = 0; instance < instances::how_many(0.1); ++instance) {
        // Times that are integers: their sums, and so their order, are exact.
        Platform platform(instances::between(random, 1, 5));
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            std::vector<std::int64_t> sizes;
            std::vector<double> seconds;
            const auto step = instances::between(random, 1, 3);
            for (auto size = step; size <= 20 * step; size += step * instances::between(random, 1, 3)) {
                sizes.push_back(size);
                seconds.push_back(static_cast<double>(instances::between(random, 0, 60)));
            }
            platform.set_time_function(i, sizes, seconds);
        }
        const auto n = instances::between(random, 1, 300), package = instances::between(random, 1, 12);
        for (const auto *method : methods) {
            const auto expected = simulate(platform, n, method, package);
            if (expected.rest > 0) {
                const auto words = "leaves " + std::to_string(expected.rest) + " of " + std::to_string(n);
                support::expect_error(hpart::Status::infeasible, {words}, [&] { by(platform, n, method, package); });
                continue;
            }
            ++feasible;
            const auto found = by(platform, n, method, package);
            std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> packages;
            for (const auto &task : found.tasks) packages[{task.processor, -task.size}] += task.repeats;
            ASSERT_EQ(packages, expected.packages) << method << " of " << instances::describe(platform, n);
            ASSERT_EQ(found.makespan, *std::max_element(expected.busy.begin(), expected.busy.end())) << method;
            ASSERT_LE(by(platform, n, "exact", package).makespan, found.makespan);
        }
    }
    EXPECT_GT(feasible, instances::how_many(0.1));
}

} // namespace
