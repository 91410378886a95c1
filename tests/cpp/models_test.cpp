// Options, reports, errors, platforms and all that is computed from them.
#include "errors.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <span>
#include <type_traits>

namespace
{

using sizes = std::vector<std::int64_t>;

const std::string file = HPART_TEST_DATA "/hpopta-fig-3.10.csv";

// The platform of examples/first.cpp, with energies.
hpart::platform two_processors()
{
    hpart::platform platform(2);
    platform.set_time_function(0, {2, 4, 8, 10}, {1.0, 2.0, 5.0, 7.0});
    platform.set_time_function(1, {2, 4, 8, 10}, {2.0, 2.1, 2.5, 6.0});
    platform.set_energy_function(0, {2, 4, 8, 10}, {1.0, 2.0, 3.0, 4.0});
    platform.set_energy_function(1, {2, 4, 8, 10}, {9.0, 9.0, 9.0, 9.0});
    return platform;
}

template <typename... Handles> constexpr bool are_moved_only()
{
    return ((std::is_nothrow_move_constructible_v<Handles> && std::is_nothrow_move_assignable_v<Handles> &&
             !std::is_copy_constructible_v<Handles> && !std::is_copy_assignable_v<Handles>)&&...);
}
static_assert(are_moved_only<hpart::options, hpart::report, hpart::platform, hpart::front, hpart::schedule,
                             hpart::meter, hpart::team, hpart::device, hpart::pipeline, hpart::adaptive>());

TEST(CppOptions, TypesOfValues)
{
    const auto platform = two_processors();
    const hpart::options by_list{
        {"method", "exact"}, {"deadline", 3.0}, {"max_active", 2}, {"ties", std::string("fewest")}};
    EXPECT_EQ(hpart::partition(platform, hpart::objective::energy, 12, by_list).x, (sizes{4, 8}));
    hpart::options one_by_one;
    EXPECT_EQ(one_by_one.native(), nullptr);
    one_by_one.set({"deadline", 3}).set({"max_active", "2"});
    EXPECT_EQ(hpart::partition(platform, hpart::objective::energy, 12, one_by_one).x, (sizes{4, 8}));
    EXPECT_EQ(hpart::partition(platform, hpart::objective::energy, 12).x, (sizes{2, 10}));
    expect_status(HPART_ERR_INVALID_ARGUMENT, "dead_line", [] { hpart::options{{"dead_line", 3.0}}; });
    expect_status(HPART_ERR_INVALID_ARGUMENT, "threads", [] { hpart::options{{"threads", 1.5}}; });
}

TEST(CppOptions, PreviousDistribution)
{
    const auto platform = two_processors();
    hpart::options options{{"max_moved", 0}};
    options.set_previous({8, 4});
    const auto kept = hpart::partition(platform, hpart::objective::time, 12, options);
    EXPECT_EQ(kept.x, (sizes{8, 4}));
    EXPECT_EQ(kept.report.get<int>("moved"), 0);
    EXPECT_THROW(hpart::partition(platform, hpart::objective::time, 12, options.set_previous({})), hpart::error);
}

TEST(CppOptions, ProgressStopsOrThrows)
{
    const auto platform = jagged_platform(40);
    const auto solve = [&](const hpart::options &options) {
        hpart::partition(platform, hpart::objective::energy, 6000, options);
    };
    int calls = 0;
    hpart::options stops;
    stops.set_progress([&, only_moved = std::make_unique<int>(1)](double fraction, const char *step) {
        calls += *only_moved;
        EXPECT_TRUE(fraction == -1 || (fraction >= 0 && fraction <= 1));
        EXPECT_NE(step, nullptr);
        return true;
    });
    EXPECT_EQ(thrown<hpart::cancelled>([&] { solve(stops); }).status(), HPART_ERR_CANCELLED);
    EXPECT_EQ(calls, 1);
    hpart::options throws;
    throws.set_progress([](double, const char *) { throw std::out_of_range("my own words"); });
    EXPECT_STREQ(thrown<std::out_of_range>([&] { solve(throws); }).what(), "my own words");
    // Nothing is left of it for the next call.
    EXPECT_THROW(solve({{"time_limit", 1e-9}}), hpart::limit);
    hpart::options watches;
    calls = 0;
    watches.set_progress([&](double, const char *) { ++calls; });
    solve(watches);
    EXPECT_GE(calls, 1);
}

TEST(CppReport, ValuesHaveTheirTypes)
{
    const auto report = hpart::partition(two_processors(), hpart::objective::time, 12).report;
    const auto keys = report.keys();
    EXPECT_EQ(static_cast<std::int64_t>(keys.size()), report.count());
    EXPECT_TRUE(report.contains("gap") && !report.contains("gaps"));
    EXPECT_EQ(report.get<std::string>("method"), "exact");
    EXPECT_TRUE(report.get<bool>("optimal"));
    EXPECT_EQ(report.get<std::int64_t>("active"), 2);
    EXPECT_EQ(report.get<double>("lower_bound"), 2.5);
    EXPECT_EQ(report.get<std::string>("lower_bound"), "2.5");
    EXPECT_EQ(report.get<std::vector<double>>("lower_bound"), std::vector<double>{2.5});
    EXPECT_EQ(std::get<std::int64_t>(report.value("active")), 2);
    EXPECT_EQ(std::get<double>(report.value("lower_bound")), 2.5);
    EXPECT_EQ(std::get<std::string>(report.value("method")), "exact");
    expect_status(HPART_ERR_INVALID_ARGUMENT, "gaps", [&] { report.get<double>("gaps"); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, "method", [&] { report.get<double>("method"); });
    EXPECT_EQ(hpart::info().get<std::string>("version"), std::to_string(hpart::version()[0]) + "." +
                                                             std::to_string(hpart::version()[1]) + "." +
                                                             std::to_string(hpart::version()[2]));
}

TEST(CppPlatform, GettersReturnWhatSettersSet)
{
    auto platform = two_processors();
    const std::vector<double> low{0.5, 1.5, 4.5, 6.5}, high{1.5, 2.5, 5.5, 7.5};
    platform.set_name(1, "GPU");
    platform.set_time_interval(0, sizes{2, 4, 8, 10}, low, high, {5, 6, 7, 8});
    platform.set_energy_interval(0, {2}, {0.5}, {2.5});
    platform.set_limits(1, {2, 8});
    platform.set_base_power(58);
    platform.set_link(0, 1, {1e-6, 1e9});
    platform.set_host_link(1, {2e-6, 2e9});
    platform.set_border_bytes(4096);
    platform.set_link_energy(0, 1, 0.25);
    EXPECT_EQ(platform.link_energy(0, 1), 0.25);
    platform.set_host_link_energy(1, 0.5);
    EXPECT_EQ(platform.host_link_energy(1), 0.5);
    platform.set_node({0, 1, 7});
    EXPECT_EQ(platform.node(1).last, 1);
    EXPECT_EQ(platform.node(1).watts, 7);
    const hpart::options with_host{{"communication", "host"}};
    EXPECT_EQ(platform.evaluate_seconds({2, 0}, with_host), 1);
    EXPECT_EQ(platform.evaluate_joules({2, 0}, with_host), 1);
    EXPECT_EQ(platform.report_costs({2, 0}).get<double>("total_energy"), 1 + 65);
    platform.set_kernel("dgemm n=512");
    EXPECT_EQ(platform.processors(), 2);
    EXPECT_EQ(platform.name(0) + platform.name(1), "0GPU");
    const auto function = platform.function(0);
    EXPECT_EQ(function.sizes, (sizes{2, 4, 8, 10}));
    EXPECT_EQ(function.seconds, (std::vector<double>{1.0, 2.0, 5.0, 7.0}));
    EXPECT_EQ(function.joules, (std::vector<double>{1.0, 2.0, 3.0, 4.0}));
    const auto intervals = platform.intervals(0);
    EXPECT_EQ(intervals.time_low, low);
    EXPECT_EQ(intervals.time_high, high);
    EXPECT_EQ(intervals.energy_low[0], 0.5);
    EXPECT_EQ(intervals.energy_high[0], 2.5);
    EXPECT_TRUE(std::isnan(intervals.energy_low[1]));
    EXPECT_EQ(intervals.repetitions, (sizes{5, 6, 7, 8}));
    EXPECT_EQ(platform.limits(1).smallest + 10 * platform.limits(1).largest, 82);
    EXPECT_EQ(platform.base_power(), 58);
    EXPECT_EQ(platform.link(0, 1).latency_seconds, 1e-6);
    EXPECT_EQ(platform.link(0, 1).bytes_per_second, 1e9);
    EXPECT_EQ(platform.host_link(1).latency_seconds, 2e-6);
    EXPECT_EQ(platform.host_link(1).bytes_per_second, 2e9);
    EXPECT_EQ(platform.border_bytes(), 4096);
    EXPECT_EQ(platform.kernel(), "dgemm n=512");
    EXPECT_EQ(platform.evaluate_seconds({4, 8}), 2.5);
    EXPECT_EQ(platform.evaluate_joules(sizes{4, 8}), 11);
    EXPECT_EQ(platform.replicate(3).processors(), 6);
    EXPECT_EQ(platform.aggregate(hpart::objective::time, 12).evaluate_seconds({12}),
              hpart::partition(platform, hpart::objective::time, 12).seconds);
    EXPECT_EQ(hpart::platform(1).function(0).sizes.size(), 0U);
    EXPECT_EQ(hpart_platform_processors(platform.native()), 2);
}

TEST(CppPlatform, FactsOfItsMeasurement)
{
    const std::string path = "cpp_platform_facts.csv";
    std::ofstream(path) << "# memory limit of A = 1000\n# busy: A size 1 x\nprocessor,size,time\nA,1,1\n";
    const auto facts = hpart::platform::read(path).facts();
    std::remove(path.c_str());
    const auto notes = facts.rows("notes");
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].get<std::string>("kind"), "busy");
    EXPECT_EQ(facts.rows("memory_limits")[0].get<int>("bytes"), 1000);
    EXPECT_EQ(facts.json().find(R"({"memory_limits": [{"device": "A", "bytes": 1000}], "notes": )"), 0U)
        << facts.json();
    EXPECT_THROW(static_cast<void>(facts.rows("measured")), hpart::error);
}

TEST(CppPlatform, ArraysOfAnyContainer)
{
    const std::array<std::int64_t, 2> some{1, 2};
    const double seconds[] = {1.0, 2.0};
    hpart::platform platform(1);
    platform.set_time_function(0, some, seconds);
    EXPECT_EQ(platform.evaluate_seconds({2}), 2);
    platform.set_time_function(0, std::span(some), std::span(seconds));
    platform.set_time_function(0, {some.data(), 1}, {seconds, 1});
    EXPECT_EQ(platform.function(0).sizes, sizes{1});
    expect_status(HPART_ERR_INVALID_ARGUMENT, "seconds has 1 elements; it must have one per size: 2",
                  [&] { platform.set_time_function(0, some, {1.0}); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, "x has 2 elements; it must have one per processor: 1", [&] {
        platform.evaluate_seconds({1, 2});
    });
}

TEST(CppPlatform, SpeedsShapesAndComplexities)
{
    hpart::platform platform(2);
    platform.set_speed_function(0, {2, 4}, {2.0, 8.0});
    platform.set_speed_function(1, {2, 4}, {2.0, 8.0}, [](std::int64_t x) { return static_cast<double>(x * x); });
    EXPECT_EQ(platform.function(0).seconds, (std::vector<double>{1.0, 0.5}));
    EXPECT_EQ(platform.function(1).seconds, (std::vector<double>{2.0, 2.0}));
    EXPECT_EQ(platform.report_shape(0).get<int>("points"), 2);
    EXPECT_EQ(platform.report_shape(0).get<int>("time_falls"), 1);
    int calls = 0;
    const auto counts = [&](std::int64_t x) { return static_cast<double>(x + 0 * ++calls); };
    EXPECT_EQ(platform.report_shape(1, counts).get<int>("points"), 2);
    const auto fails = [](std::int64_t) -> double { throw std::domain_error("no operations"); };
    EXPECT_STREQ(thrown<std::domain_error>([&] { platform.set_speed_function(0, {2}, {1.0}, fails); }).what(),
                 "no operations");
    EXPECT_THROW(platform.report_shape(0, fails), std::domain_error);
    EXPECT_EQ(platform.function(0).sizes, (sizes{2, 4}));
}

TEST(CppPlatform, FilesAndSlices)
{
    const std::string path = testing::TempDir() + "hpart_cpp_platform.csv";
    std::ofstream(path) << "parameter,processor,size,time\n256,CPU,4,2\n512,CPU,4,3\n";
    EXPECT_EQ(hpart::platform::read_slice(path, 384, {{"interpolate", "linear"}}).evaluate_seconds({4}), 2.5);
    EXPECT_THROW(hpart::platform::read_slice(path, 384), hpart::error);
    two_processors().write(path);
    EXPECT_EQ(hpart::platform::read(path).evaluate_joules({4, 8}), 11);
    std::remove(path.c_str());
    expect_status(HPART_ERR_IO, path, [&] { hpart::platform::read(path); });
}

TEST(CppPartition, EveryObjective)
{
    auto platform = two_processors();
    platform.set_base_power(1);
    const auto time = hpart::partition(platform, hpart::objective::time, 12);
    EXPECT_EQ(time.x, (sizes{4, 8}));
    EXPECT_EQ(time.seconds, 2.5);
    EXPECT_EQ(time.joules, 11);
    const auto total = hpart::partition(platform, hpart::objective::total_energy, 10);
    EXPECT_EQ(total.x, (sizes{10, 0}));
    EXPECT_EQ(total.joules, 4 + 7);
}

TEST(CppPartition, InfeasibleNamesTheNearestSizes)
{
    const auto platform = two_processors();
    const auto error = thrown<hpart::infeasible>([&] { hpart::partition(platform, hpart::objective::time, 13); });
    EXPECT_EQ(error.status(), HPART_ERR_INFEASIBLE);
    EXPECT_STREQ(error.status_text(), hpart_strerror(HPART_ERR_INFEASIBLE));
    EXPECT_EQ(error.report(), nullptr);
    EXPECT_NE(std::string(error.what()).find("14"), std::string::npos) << error.what();
}

// Dense functions: a distribution is known when the memory is used up.
TEST(CppPartition, LimitHasTheBestDistribution)
{
    const auto platform = jagged_platform(40);
    const auto error = thrown<hpart::limit>([&] {
        hpart::partition(platform, hpart::objective::energy, 6000, {{"memory_limit", 4096}});
    });
    EXPECT_EQ(error.status(), HPART_ERR_LIMIT);
    ASSERT_NE(error.best(), nullptr);
    EXPECT_EQ(error.best()->joules, platform.evaluate_joules(error.best()->x));
    EXPECT_EQ(error.best()->seconds, platform.evaluate_seconds(error.best()->x));
    ASSERT_NE(error.report(), nullptr);
    EXPECT_TRUE(error.report()->get<bool>("feasible") && !error.report()->get<bool>("optimal"));
    EXPECT_LT(error.report()->get<double>("lower_bound"), error.best()->joules);
    EXPECT_EQ(error.measured(), nullptr);
    const auto at_once = thrown<hpart::limit>([&] {
        hpart::partition(platform, hpart::objective::energy, 6000, {{"time_limit", 1e-9}});
    });
    EXPECT_EQ(at_once.report()->get<bool>("feasible"), at_once.best() != nullptr);
}

TEST(CppPartition, SharesAndRectangles)
{
    EXPECT_EQ(hpart::shares({1, 3}), (std::vector<double>{0.25, 0.75}));
    const auto tiling = hpart::matrix_partition({1.0, 3.0, 0.0}, 4, 8);
    ASSERT_EQ(tiling.rectangles.size(), 3U);
    EXPECT_EQ(tiling.rectangles[0].height * tiling.rectangles[0].width, 8);
    EXPECT_EQ(tiling.rectangles[1].height * tiling.rectangles[1].width, 24);
    EXPECT_EQ(tiling.rectangles[2].height, 0);
    EXPECT_GE(tiling.report.get<double>("ratio"), 1);
    EXPECT_THROW(hpart::matrix_partition({1.0, 1.0}, 1, 1), hpart::infeasible);
    EXPECT_THROW(hpart::shares({0, 0}), hpart::error);
}

TEST(CppFront, PointsInIncreasingTime)
{
    auto platform = two_processors();
    platform.set_base_power(1);
    const hpart::front front(platform, 12);
    const auto points = front.points();
    ASSERT_EQ(front.count(), 2);
    EXPECT_EQ(front.processors(), 2);
    EXPECT_EQ(points[0].x, (sizes{4, 8}));
    EXPECT_EQ(points[0].seconds, 2.5);
    EXPECT_EQ(points[0].joules, 11);
    EXPECT_EQ(points[1].x, (sizes{2, 10}));
    EXPECT_EQ(front.report().get<std::string>("method"), "exact");
    EXPECT_EQ(hpart::front(platform, 12, hpart::energy_kind::total).point(0).joules, 13.5);
    EXPECT_THROW(hpart::front(platform, 13), hpart::infeasible);
    EXPECT_THROW(front.point(2), hpart::error);
}

TEST(CppSchedule, PackagesSumToTheSize)
{
    const hpart::schedule schedule(two_processors(), 14);
    std::int64_t sum = 0;
    for (const auto &task : schedule.tasks()) sum += task.size * task.repeats;
    EXPECT_EQ(sum, 14);
    EXPECT_EQ(schedule.makespan(), 3);
    EXPECT_EQ(schedule.report().get<std::vector<double>>("utilisation").size(), 2U);
    EXPECT_THROW(hpart::schedule(two_processors(), 15), hpart::infeasible);
}

TEST(CppAdaptive, FollowsMeasuredTimes)
{
    hpart::adaptive adaptive(2, 300);
    EXPECT_EQ(adaptive.processors(), 2);
    EXPECT_FALSE(adaptive.converged());
    adaptive.update({2.0, 1.0});
    EXPECT_LT(adaptive.distribution()[0], adaptive.distribution()[1]);
    EXPECT_TRUE(adaptive.report().contains("state"));
    adaptive.set_limits(1, {0, 100});
    EXPECT_LE(adaptive.distribution()[1], 100);
    adaptive.set_size(150);
    EXPECT_EQ(adaptive.distribution()[0] + adaptive.distribution()[1], 150);
    const auto next = adaptive.distribution();
    adaptive.update({1.0, 1.0}, next);
    hpart::adaptive again(2, 300, {{"tolerance", 0.1}});
    again.start_from(adaptive.functions());
    EXPECT_THROW(adaptive.set_limits(0, {0, 1}), hpart::infeasible);
    EXPECT_THROW(adaptive.update({1.0}), hpart::error);
}

TEST(CppHandles, MovedFromObjectsThrowAndTakeNewHandles)
{
    auto platform = two_processors();
    auto other = std::move(platform);
    EXPECT_TRUE(other);
    EXPECT_FALSE(platform); // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(platform.native(), nullptr);
    const std::string words = "must not be moved from";
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, [&] { platform.processors(); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, [&] { platform.set_base_power(1); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, [&] { hpart::partition(platform, hpart::objective::time, 12); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, "NULL", [&] { hpart::front(platform, 12); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, [] { hpart::report().count(); });
    expect_status(HPART_ERR_INVALID_ARGUMENT, words, [] { hpart::front().points(); });
    platform = std::move(other);
    EXPECT_EQ(platform.processors(), 2);
    hpart::options options{{"max_active", 1}};
    const auto moved = std::move(options);
    EXPECT_EQ(hpart::partition(platform, hpart::objective::time, 10, moved).x, (sizes{0, 10}));
    EXPECT_EQ(hpart::partition(platform, hpart::objective::time, 10, options).x, (sizes{2, 8})); // NOLINT: empty again
}

TEST(CppHandles, AdoptTakesOverAHandle)
{
    hpart_platform *raw = nullptr;
    ASSERT_EQ(hpart_platform_read(file.c_str(), &raw), HPART_SUCCESS);
    const hpart::platform platform(hpart::adopt, raw);
    EXPECT_EQ(platform.native(), raw);
    EXPECT_EQ(hpart::partition(platform, hpart::objective::time, 31).seconds, 3);
}

TEST(CppGroupings, AnotherMachine)
{
    const auto here = hpart::groupings();
    ASSERT_FALSE(here.empty());
    EXPECT_EQ(here[0].find("node "), 0U);
    EXPECT_THROW(hpart::groupings("no machine"), hpart::error);
}

} // namespace
