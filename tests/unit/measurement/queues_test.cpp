// Queues of packages: run by fake processors that say what time they took, they are the simulation.
#include "fake_kernel.hpp"
#include "measurement/queues.hpp"
#include "models/schedule_table.hpp"
#include "partitioners/calls/partition.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <map>
#include <mutex>
#include <set>

namespace hpart
{
namespace
{

QueueSettings twice() { return repeated<QueueSettings>(2); }

// Each processor's packages, one after another; first rows by processor.
Queues fixed(const std::vector<std::vector<std::int64_t>> &sizes)
{
    std::vector<std::vector<Slice>> slices;
    std::int64_t first = 0;
    for (const auto &of_processor : sizes) {
        slices.emplace_back();
        for (const auto size : of_processor) {
            slices.back().push_back({first, size});
            first += size;
        }
    }
    const auto start = [slices] {
        return
            [slices, done = std::vector<std::size_t>(slices.size(), 0)](std::size_t i, std::optional<double>) mutable {
                return done[i] < slices[i].size() ? slices[i][done[i]++] : Slice{};
            };
    };
    return {start, first};
}

Queues self(SelfMethod method, std::int64_t size, std::size_t processors,
            const std::vector<std::span<const std::int64_t>> &sizes = {})
{
    const auto start = [=] {
        return [scheduler = SelfScheduler({method, size, 1}, processors, sizes),
                first = std::int64_t{0}](std::size_t i, std::optional<double> seconds) mutable {
            const auto rows = scheduler.next(i, seconds);
            return Slice{std::exchange(first, first + rows), rows};
        };
    };
    return {start, size, true};
}

TEST(Queues, RunInTheirOrder)
{
    Team team;
    std::mutex mutex;
    std::vector<std::vector<std::int64_t>> ran(3);
    for (std::size_t i = 0; i < 3; ++i)
        add_timed(team, "P" + std::to_string(i), [&ran, &mutex, i](const Slice &slice) {
            const std::lock_guard lock(mutex);
            ran[i].push_back(slice.rows);
            return static_cast<double>(slice.rows) * 1000;
        });
    const auto found = run_queues(team, fixed({{3, 3, 1}, {}, {5}}), twice(), say_nothing);
    EXPECT_EQ(ran, (std::vector<std::vector<std::int64_t>>{{3, 3, 1, 3, 3, 1}, {}, {5, 5}}));
    EXPECT_EQ(found.busy, (std::vector<double>{7000, 0, 5000}));
    EXPECT_EQ(found.makespan.samples, (std::vector<double>{7000, 7000}));
    ASSERT_EQ(found.packages.size(), 4U);
    std::set<std::pair<std::int64_t, std::int64_t>> rows;
    for (const auto &package : found.packages) {
        rows.emplace(package.slice.first, package.slice.rows);
        EXPECT_EQ(package.seconds, static_cast<double>(package.slice.rows) * 1000);
    }
    EXPECT_EQ(rows, (std::set<std::pair<std::int64_t, std::int64_t>>{{0, 3}, {3, 3}, {6, 1}, {7, 5}}));
}

TEST(Queues, RunAtOnce)
{
    Team team;
    std::latch both(2); // either would wait for ever if the other did not run meanwhile
    for (const auto *name : {"A", "B"}) {
        auto is_first = std::make_shared<std::atomic<bool>>(true);
        add_fake(team, name, [&both, is_first](const Slice &) {
            if (is_first->exchange(false)) both.arrive_and_wait();
        });
    }
    const auto found = run_queues(team, fixed({{1, 1}, {2}}), twice(), say_nothing);
    EXPECT_EQ(found.packages.size(), 3U);
    EXPECT_GE(found.makespan.estimates.front().mean, *std::max_element(found.busy.begin(), found.busy.end()));
}

// The times that the processors say are so long that the real ones do not matter.
TEST(Queues, SharedQueuesAreTheSimulation)
{
    support::Random random(support::seeded(21));
    for (int instance = 0; instance < support::how_many(0.02); ++instance) {
        const auto p = support::between(random, 1, 4);
        Platform platform(p);
        Team team;
        std::vector<std::map<std::int64_t, double>> seconds(static_cast<std::size_t>(p));
        std::vector<std::vector<std::int64_t>> sizes(static_cast<std::size_t>(p));
        for (std::int64_t i = 0; i < p; ++i) {
            auto &of = seconds[static_cast<std::size_t>(i)];
            std::vector<double> values;
            for (std::int64_t size = 1; size <= 30; size += i + 1) {
                sizes[static_cast<std::size_t>(i)].push_back(size);
                values.push_back(of[size] = static_cast<double>(support::between(random, 1, 60)) * 1000);
            }
            platform.set_time_function(i, sizes[static_cast<std::size_t>(i)], values);
            add_timed(team, "P" + std::to_string(i), [&of](const Slice &slice) { return of.at(slice.rows); });
        }
        const auto n = support::between(random, 1, 120);
        for (const auto *name : {"fixed", "guided", "factoring", "sigmoid"}) {
            ScheduleRequest request{n, name, Ties::deterministic, {}};
            request.options.set_int("package", 1);
            Control control;
            const auto expected = compute_schedule(platform, request, control);
            const auto found = run_queues(
                team, self(self_method_of(name), n, static_cast<std::size_t>(p), {sizes.begin(), sizes.end()}), twice(),
                say_nothing);
            std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> packages, simulated;
            std::int64_t row = 0;
            for (const auto &package : found.packages) {
                ++packages[{static_cast<std::int64_t>(package.processor), package.slice.rows}];
                ASSERT_EQ(package.slice.first, row);
                row += package.slice.rows;
            }
            for (const auto &task : expected.tasks) simulated[{task.processor, task.size}] += task.repeats;
            ASSERT_EQ(packages, simulated) << name << ", size " << n;
            ASSERT_EQ(found.makespan.samples, (std::vector<double>{expected.makespan, expected.makespan})) << name;
        }
    }
}

// Whatever the threads do, the packages are those of the rule, asked for in the order given out.
TEST(Queues, RealTimesFollowTheRule)
{
    Team team;
    for (const auto *name : {"A", "B", "C"}) add_fake(team, name);
    const auto found = run_queues(team, self(SelfMethod::factoring, 5000, 3), twice(), say_nothing);
    SelfScheduler again({SelfMethod::factoring, 5000, 1}, 3);
    std::vector<double> last(3, -1);
    std::vector<double> clocks(3, 0);
    for (const auto &[processor, slice, seconds] : found.packages) {
        const auto asked = last[processor] < 0 ? std::nullopt : std::optional(last[processor]);
        EXPECT_EQ(again.next(processor, asked), slice.rows);
        last[processor] = seconds;
    }
    EXPECT_EQ(again.rest(), 0);
    EXPECT_EQ(found.packages.size(), 32U);
}

TEST(Queues, FailuresNameProcessorAndPackage)
{
    Team team;
    const auto calls = add_fake(team, "good");
    add_fake(team, "bad", [](const Slice &slice) {
        if (slice.rows == 4) throw Error(Status::callback, "out of luck");
    });
    for (const auto &queues : {fixed({{1, 1, 1, 1}, {2, 4, 2}}), self(SelfMethod::guided, 16, 2)}) {
        const auto error = error_of([&] { run_queues(team, queues, twice(), say_nothing); });
        EXPECT_EQ(error.status(), Status::callback);
        EXPECT_STREQ(error.what(), "processor 'bad', size 4: out of luck");
    }
    EXPECT_GT(calls->released, 0);
    expect_error(Status::cancelled, {"stop"}, [&] {
        run_queues(team, fixed({{1}, {1}}), twice(), Poll([] { throw Error(Status::cancelled, "stop"); }));
    });
}

// A run of many packages ends after the package that runs, not after all.
TEST(Queues, CanBeCancelledBetweenPackages)
{
    Team team;
    std::atomic<bool> has_begun = false;
    std::atomic<int> packages = 0;
    add_fake(team, "endless", [&](const Slice &) {
        has_begun = true;
        ++packages;
        std::this_thread::yield();
    });
    constexpr int many = 5'000'000; // more than run before the next look
    expect_error(Status::cancelled, {"stop"}, [&] {
        run_queues(team, self(SelfMethod::fixed, many, 1), twice(), Poll([&] {
                       if (has_begun) throw Error(Status::cancelled, "stop");
                   }));
    });
    EXPECT_LT(packages, many);
}

TEST(Queues, RefusesTimesThatOverflow)
{
    Team team;
    add_timed(team, "A", [](const Slice &) { return 1e308; });
    expect_error(Status::callback, {"'A'", "1e+100"}, [&] { run_queues(team, fixed({{1, 1}}), twice(), say_nothing); });
}

TEST(Queues, RowsThatNobodyCanRun)
{
    Team team;
    add_timed(team, "A", [](const Slice &) { return 1.0; });
    const std::vector<std::int64_t> sizes{8};
    expect_error(Status::infeasible, {"4 of 20 are left"},
                 [&] { run_queues(team, self(SelfMethod::guided, 20, 1, {sizes}), twice(), say_nothing); });
    expect_error(Status::infeasible, {"7 of 7 are left"},
                 [&] { run_queues(team, self(SelfMethod::guided, 7, 1, {sizes}), twice(), say_nothing); });
    auto settings = twice();
    settings.check = true;
    expect_error(Status::unsupported, {"option 'check' is 1"},
                 [&] { run_queues(team, fixed({{1}}), settings, say_nothing); });
}

} // namespace
} // namespace hpart
