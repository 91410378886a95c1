// Teams of callables and their meters.
#include "errors.hpp"

#include <atomic>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <thread>

namespace
{

using sizes = std::vector<std::int64_t>;

const hpart::options quick{{"min_repetitions", 2}, {"max_repetitions", 3}, {"warmup", 0}};

hpart::options quick_with_base_power(double watts)
{
    return {{"min_repetitions", 2}, {"max_repetitions", 3}, {"warmup", 0}, {"base_power", watts}};
}

// A repetition takes a second by the meter's clock; a unit of size takes `rate` joules besides the base power.
struct world {
    std::mutex mutex; // hpart reads while kernels run
    double seconds = 0, joules = 0;
    std::atomic<int> readers = 0;

    hpart::reading read()
    {
        const std::lock_guard lock(mutex);
        return {joules, seconds};
    }
};
constexpr double base_watts = 58;

auto burner(world &node, double rate)
{
    return [&node, rate](std::int64_t size) {
        const std::lock_guard lock(node.mutex);
        node.seconds += 1;
        node.joules += base_watts + rate * static_cast<double>(size);
    };
}

// Counts the living copies, to see when the library frees it.
struct reader {
    world *node;
    explicit reader(world &read_node) : node(&read_node) { ++node->readers; }
    reader(const reader &other) : node(other.node) { ++node->readers; }
    reader(reader &&other) noexcept : node(other.node) { ++node->readers; }
    reader &operator=(const reader &) = delete;
    reader &operator=(reader &&) = delete;
    ~reader() { --node->readers; }
    hpart::reading operator()() const { return node->read(); }
};

hpart::meter meter_of(world &node) { return {"world", reader(node), hpart::quantity::joules, 1e-6}; }

TEST(CppTeam, RunsSchedules)
{
    hpart::platform functions(2);
    functions.set_time_function(0, sizes{2, 4, 8}, std::vector<double>{2, 3, 4});
    functions.set_time_function(1, sizes{2, 4, 8}, std::vector<double>{3, 4, 6});
    const hpart::schedule schedule(functions, 16);
    std::atomic<std::int64_t> rows = 0;
    hpart::team team;
    for (const auto *name : {"a", "b"}) team.add(name, [&rows](std::int64_t size) { rows += size; });
    const hpart::options once{{"min_repetitions", 2}, {"max_repetitions", 2}, {"warmup", 0}};
    const auto run = team.run_schedule(schedule, once);
    EXPECT_EQ(rows, 32);
    EXPECT_GT(run.makespan, 0);
    EXPECT_EQ(run.report.get<std::vector<double>>("busy_seconds").size(), 2U);
    rows = 0;
    EXPECT_GT(team.self_schedule("sigmoid", 50, once).makespan, 0);
    EXPECT_EQ(rows, 100);
    team.self_schedule("fixed", 16, once, &functions);
    EXPECT_EQ(rows, 132);
    EXPECT_THROW(team.self_schedule("fixed", 17, once, &functions), hpart::infeasible);
    const std::string path = "cpp_schedules.csv";
    schedule.write(path, "app");
    EXPECT_EQ(hpart::schedule::read(path, "app", 16, &functions).makespan(), 6);
    EXPECT_EQ(hpart::schedule::read(path, "app", 16).tasks().size(), schedule.tasks().size());
    EXPECT_THROW(hpart::schedule::read(path, "app", 18), hpart::infeasible);
    std::remove(path.c_str());
}

TEST(CppTeam, RunsCallables)
{
    std::atomic<std::int64_t> sum = 0;
    std::int64_t last = 0;
    hpart::team team;
    team.add("adds", [&, only_moved = std::make_unique<int>(1)](std::int64_t size) { sum += size * *only_moved; });
    team.add(
        "returns", [&](std::int64_t size) { return static_cast<int>((last = size) < 0); }, "0");
    team.set_kernel("sum 1.0");
    EXPECT_EQ(team.kernel(), "sum 1.0");
    EXPECT_EQ(team.processors(), 2);
    const auto executed = team.execute({3, 4}, {{"warmup", 0}});
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(last, 4);
    EXPECT_EQ(executed.seconds.size(), 2U);
    const auto measured = team.measure({5, 0}, quick);
    EXPECT_GT(measured.mean_seconds[0], 0);
    EXPECT_EQ(measured.mean_seconds[1], 0);
    EXPECT_TRUE(measured.joules.empty());
    EXPECT_GE(measured.report.get<int>("repetitions"), 2);
    const auto compared = team.compare({{5, 5}, {1, 9}}, quick);
    EXPECT_EQ(compared.mean_seconds.size(), 2U);
    EXPECT_EQ(compared.report.get<std::vector<double>>("ratios")[0], 1);
    EXPECT_THROW(team.execute({1}), hpart::error);
    EXPECT_THROW(team.compare({{1, 2}, {3}}), hpart::error);
}

TEST(CppTeam, ProfilesAndOptimizes)
{
    hpart::team team;
    for (const auto *name : {"a", "b"}) team.add(name, [](std::int64_t) {});
    const auto platform = team.profile({4, 2}, quick);
    EXPECT_EQ(platform.function(1).sizes, (sizes{2, 4}));
    EXPECT_EQ(platform.name(0), "a");
    const auto best = team.optimize(hpart::objective::time, 6, {2, 4, 6}, quick);
    EXPECT_EQ(best.x[0] + best.x[1], 6);
    EXPECT_GE(best.value, 0);
    EXPECT_EQ(best.measured.processors(), 2);
    EXPECT_TRUE(best.report.contains("certified"));
    EXPECT_THROW(team.optimize(hpart::objective::time, 7, {2, 4}, quick), hpart::infeasible);
    const auto error = thrown<hpart::limit>([&] {
        team.profile({1, 2, 3}, {{"max_total_seconds", 1e-6}, {"min_repetitions", 2}});
    });
    ASSERT_NE(error.measured(), nullptr);
    EXPECT_EQ(error.measured()->function(0).sizes.size(), 1U);
    EXPECT_EQ(error.best(), nullptr);
}

TEST(CppTeam, ExceptionsOfKernelsComeBack)
{
    const auto here = std::this_thread::get_id();
    bool fails = true;
    std::thread::id there;
    hpart::team team;
    team.add("good", [](std::int64_t) {});
    team.add("bad", [&](std::int64_t size) {
        there = std::this_thread::get_id();
        if (fails) throw own_error("size " + std::to_string(size));
    });
    const auto error = thrown<own_error>([&] { team.execute({1, 2}); });
    EXPECT_STREQ(error.what(), "size 2");
    EXPECT_EQ(error.number, 42);
    EXPECT_NE(here, there);
    EXPECT_THROW(team.measure({1, 2}, quick), own_error);
    EXPECT_THROW(team.compare({{1, 2}}, quick), own_error);
    EXPECT_THROW(team.profile({1, 2}, quick), own_error);
    EXPECT_THROW(team.optimize(hpart::objective::time, 2, {1, 2}, quick), own_error);
    fails = false;
    EXPECT_NO_THROW(team.execute({1, 2}));
    team.add("returns", [](std::int64_t) { return 3; });
    expect_status(HPART_ERR_CALLBACK, "", [&] { team.execute({0, 0, 1}); });
    hpart::options options{{"warmup", 0}};
    options.set_progress([](double, const char *) { throw own_error("progress"); });
    EXPECT_THROW(team.profile({1, 2}, options), own_error);
}

TEST(CppTeam, KernelsAreFreedOnce)
{
    const auto counted = std::make_shared<int>(0);
    {
        hpart::team team;
        team.add("a", [counted](std::int64_t) { ++*counted; });
        EXPECT_EQ(counted.use_count(), 2);
        EXPECT_THROW(team.add("a", [counted](std::int64_t) {}), hpart::error); // the name is taken
        EXPECT_EQ(counted.use_count(), 2);
        auto moved = std::move(team);
        moved.execute({1}, {{"warmup", 0}});
        EXPECT_THROW(team.add("b", [](std::int64_t) {}), hpart::error); // NOLINT(bugprone-use-after-move)
        EXPECT_THROW(team.execute({1}), hpart::error);
        team = std::move(moved);
        EXPECT_EQ(team.processors(), 1);
    }
    EXPECT_EQ(*counted, 1);
    EXPECT_EQ(counted.use_count(), 1);
}

TEST(CppTeam, ProgramsAndBuiltIns)
{
    hpart::team team;
    team.add_program("shell", "sh -c 'test {size} -lt 5'");
    EXPECT_NO_THROW(team.execute({4}, {{"warmup", 0}}));
    expect_status(HPART_ERR_CALLBACK, "", [&] { team.execute({5}, {{"warmup", 0}}); });
    hpart::team built_in;
    try {
        built_in.add_builtin("", "dgemm", "cpu:0", {{"dims", "n=8,k=8"}});
    } catch (const hpart::error &error) { // a build without a BLAS
        EXPECT_EQ(error.status(), HPART_ERR_UNSUPPORTED);
        return;
    }
    EXPECT_EQ(built_in.kernel(), "dgemm n=8 k=8");
    EXPECT_TRUE(built_in.execute({16}, {{"check", 1}}).report.contains("max_relative_error"));
}

TEST(CppMeter, MeasuresAWindow)
{
    world node;
    {
        auto meter = meter_of(node);
        EXPECT_EQ(node.readers, 1);
        meter.start();
        EXPECT_THROW(meter.start(), hpart::error);
        burner(node, 3)(7);
        const auto energy = meter.stop();
        EXPECT_DOUBLE_EQ(energy.joules, base_watts + 21);
        EXPECT_DOUBLE_EQ(energy.seconds, 1);
        EXPECT_EQ(meter.report().get<std::string>("meter"), "world");
    }
    EXPECT_EQ(node.readers, 0);
    hpart::meter broken(
        "broken", []() -> hpart::reading { throw own_error("no sensor"); }, hpart::quantity::watts, 1e-6);
    EXPECT_THROW(broken.start(), own_error);
    EXPECT_THROW(broken.base_power(1), own_error);
    EXPECT_THROW(hpart::meter("no such kind"), hpart::error);
    const auto kinds = hpart::meters();
    ASSERT_FALSE(kinds.empty());
    EXPECT_EQ(kinds[0].description.find("rapl"), 0U);
    EXPECT_LE(kinds[0].works_here, 0);
}

TEST(CppMeter, TeamsMeasureEnergy)
{
    world node;
    hpart::team team;
    team.add("a", burner(node, 3));
    team.add("b", burner(node, 4));
    {
        auto meter = meter_of(node);
        team.set_meter(hpart::team::whole_node, meter);
    }
    EXPECT_EQ(node.readers, 1); // the team keeps it open
    const auto measured = team.measure({7, 0}, quick_with_base_power(base_watts));
    ASSERT_EQ(measured.joules.size(), 1U);
    EXPECT_NEAR(measured.joules[0], 21, 1e-9);
    team.detach_meter(hpart::team::whole_node);
    EXPECT_EQ(node.readers, 0);
    EXPECT_TRUE(team.measure({7, 0}, quick).joules.empty());
    std::atomic<bool> fails = false;
    hpart::meter meter(
        "failing",
        [&]() -> hpart::reading {
            if (fails) throw own_error("gone");
            return node.read();
        },
        hpart::quantity::joules, 1e-6);
    auto other = meter_of(node);
    team.set_meter(0, meter);
    team.set_meter(1, other);
    fails = true;
    EXPECT_THROW(team.measure({7, 0}, quick), own_error);
}

TEST(CppMeter, EnergiesOfOneProcessor)
{
    world node;
    auto meter = meter_of(node);
    hpart::team team;
    team.add("a", burner(node, 3));
    team.set_meter(hpart::team::whole_node, meter);
    const hpart::options options{{"sizes", "all"}, {"base_power", base_watts}, {"min_repetitions", 2},
                                 {"warmup", 0},    {"max_repetitions", 3},     {"max_total_seconds", 5}};
    const auto best = team.optimize(hpart::objective::energy, 4, {1, 2, 4}, options);
    EXPECT_EQ(best.x, sizes{4});
    EXPECT_NEAR(best.value, 12, 1e-9);
    const auto found = team.optimize_front(4, hpart::energy_kind::dynamic, {1, 2, 4}, options);
    ASSERT_GE(found.front.count(), 1);
    EXPECT_NEAR(found.front.point(found.front.count() - 1).joules, 12, 1e-9);
    EXPECT_EQ(found.measured.processors(), 1);
    EXPECT_EQ(found.report.get<std::int64_t>("points"), found.front.count());
    const auto sum = team.additivity({{2}, {4}}, quick_with_base_power(base_watts));
    EXPECT_NEAR(sum.largest, 0, 1e-9);
    EXPECT_TRUE(sum.report.get<bool>("additive"));
    hpart::platform alone(1);
    alone.set_energy_function(0, {2, 4}, {3.0, 6.0}); // half
    alone.set_time_function(0, {2, 4}, {1.0, 1.0});
    EXPECT_NEAR(team.additivity({{2}, {4}}, quick_with_base_power(base_watts), &alone).mean, 100, 1e-6);
}

TEST(CppTeam, Applications)
{
    hpart::team team;
    team.set_application_function("A,B", [](std::int64_t processors, const std::int64_t *x, double *seconds) {
        for (std::int64_t i = 0; i < processors; ++i) seconds[i] = static_cast<double>(x[i]) / 2;
    });
    EXPECT_EQ(team.execute({6, 4}).seconds, (std::vector<double>{3, 2}));
    hpart::team program;
    program.set_application("A,B", "echo {x1} {x2}", {{"time_from", "stdout"}});
    EXPECT_EQ(program.execute({6, 4}).seconds, (std::vector<double>{6, 4}));
}

} // namespace
