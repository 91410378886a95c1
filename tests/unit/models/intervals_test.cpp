#include "models/platform_file.hpp"
#include "support/errors.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using support::expect_error;
using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

bool same(const Values &a, const Values &b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

// Points 1, 2, 4 with times 10, 20, 40 and energies at 1 and 4.
Platform example()
{
    Platform platform(2);
    platform.set_time_function(0, Sizes{4, 1, 2}, Values{40, 10, 20});
    platform.set_energy_function(0, Sizes{1, 4}, Values{5, 7});
    return platform;
}

TEST(Intervals, BelongToPointsThatHaveAValue)
{
    auto platform = example();
    EXPECT_EQ(platform.points(0).intervals, nullptr) << "a platform without intervals holds none";
    platform.set_interval(0, FunctionKind::time, Sizes{4, 1}, Values{39, 10}, Values{42, 10}, Sizes{12, 3});
    platform.set_interval(0, FunctionKind::energy, Sizes{4}, Values{0}, Values{7.5});
    const auto &intervals = *platform.points(0).intervals;
    EXPECT_TRUE(same(intervals.time_low, {10, none, 39}));
    EXPECT_TRUE(same(intervals.time_high, {10, none, 42}));
    EXPECT_TRUE(same(intervals.energy_low, {none, none, 0}));
    EXPECT_TRUE(same(intervals.energy_high, {none, none, 7.5}));
    EXPECT_EQ(intervals.repetitions, (Sizes{3, 0, 12})) << "no repetitions given: they stay";
    EXPECT_EQ(platform.points(1).intervals, nullptr);
}

TEST(Intervals, WrongOnesAreRefusedAndChangeNothing)
{
    auto platform = example();
    platform.set_interval(0, FunctionKind::time, Sizes{1}, Values{9}, Values{11}, Sizes{5});
    const auto before = platform.points(0).intervals;
    const auto expect_refused = [&](const char *place, FunctionKind kind, const Sizes &sizes, const Values &low,
                                    const Values &high, const Sizes &repetitions = {}) {
        expect_error(Status::invalid_argument, {place},
                     [&] { platform.set_interval(0, kind, sizes, low, high, repetitions); });
    };
    expect_refused("sizes[1] is 3", FunctionKind::time, {1, 3}, {9, 9}, {11, 11});
    expect_refused("no energy", FunctionKind::energy, {2}, {1}, {2});
    expect_refused("second time", FunctionKind::time, {1, 1}, {9, 9}, {11, 11});
    expect_refused("low[1] is 21", FunctionKind::time, {1, 2}, {8, 21}, {11, 22});
    expect_refused("low[0] is -1", FunctionKind::time, {1}, {-1}, {11});
    expect_refused("high[0] is 9.5", FunctionKind::time, {1}, {9}, {9.5});
    expect_refused("high[0] is inf", FunctionKind::time, {1}, {9}, {std::numeric_limits<double>::infinity()});
    expect_refused("repetitions[1] is -1", FunctionKind::time, {2, 1}, {19, 8}, {21, 12}, {4, -1});
    EXPECT_EQ(platform.points(0).intervals, before);
}

TEST(Intervals, ANewFunctionDropsWhatBelongsToTheOld)
{
    auto platform = example();
    platform.set_interval(0, FunctionKind::time, Sizes{1, 4}, Values{9, 39}, Values{11, 41}, Sizes{5, 6});
    platform.set_interval(0, FunctionKind::energy, Sizes{1}, Values{4}, Values{6});
    platform.set_energy_function(0, Sizes{1, 3}, Values{5, 6});
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1, 2, 3, 4}));
    EXPECT_TRUE(same(platform.points(0).intervals->time_high, {11, none, none, 41}));
    EXPECT_TRUE(same(platform.points(0).intervals->energy_low, {none, none, none, none}));
    EXPECT_EQ(platform.points(0).intervals->repetitions, (Sizes{5, 0, 0, 6}));
    platform.set_time_function(0, Sizes{1, 4}, Values{10, 40});
    EXPECT_EQ(platform.points(0).intervals, nullptr);
    platform.set_interval(0, FunctionKind::energy, Sizes{1}, Values{4}, Values{6});
    platform.set_energy_function(0, Sizes{1}, Values{5});
    EXPECT_EQ(platform.points(0).intervals, nullptr) << "nothing is known any more";
}

TEST(Intervals, OnePointIsSetAlone)
{
    auto platform = example();
    platform.set_interval(0, FunctionKind::time, Sizes{1}, Values{9}, Values{11}, Sizes{5});
    platform.set_point(0, FunctionKind::time, 3, {30, 29, 31, 8});
    platform.set_point(0, FunctionKind::time, 4, {44, 40, 46, 9});
    platform.set_point(0, FunctionKind::energy, 3, {6, 5, 7});
    platform.set_point(0, FunctionKind::energy, 9, {10});
    const auto &points = platform.points(0);
    EXPECT_EQ(points.sizes, (Sizes{1, 2, 3, 4, 9}));
    EXPECT_TRUE(same(points.seconds, {10, 20, 30, 44, none}));
    EXPECT_TRUE(same(points.joules, {5, none, 6, 7, 10}));
    EXPECT_TRUE(same(points.intervals->time_low, {9, none, 29, 40, none}));
    EXPECT_TRUE(same(points.intervals->time_high, {11, none, 31, 46, none}));
    EXPECT_TRUE(same(points.intervals->energy_high, {none, none, 7, none, none}));
    EXPECT_EQ(points.intervals->repetitions, (Sizes{5, 0, 8, 9, 0}));
    const auto before = platform.points(0).intervals;
    for (const MeasuredPoint wrong : {MeasuredPoint{-1}, {none}, {2, 3, 4}, {2, 1, 1.5}, {2, 1, 3, -1}})
        expect_error(Status::invalid_argument, {}, [&] { platform.set_point(0, FunctionKind::time, 3, wrong); });
    expect_error(Status::invalid_argument, {}, [&] { platform.set_point(0, FunctionKind::time, 0, {1}); });
    EXPECT_EQ(platform.points(0).intervals, before);
}

TEST(Intervals, CopiesAndReplicasKeepThem)
{
    auto node = example();
    node.set_interval(0, FunctionKind::time, Sizes{1}, Values{9}, Values{11}, Sizes{5});
    const auto cluster = node.replicate(2);
    EXPECT_EQ(cluster.points(2).intervals, node.points(0).intervals);
    // Equal values with other intervals are another function of the platform.
    Platform two(2);
    for (std::int64_t i = 0; i < 2; ++i) two.set_time_function(i, Sizes{1}, Values{10});
    EXPECT_EQ(&two.points(0), &two.points(1));
    two.set_interval(0, FunctionKind::time, Sizes{1}, Values{9}, Values{11});
    EXPECT_NE(&two.points(0), &two.points(1));
    two.set_interval(1, FunctionKind::time, Sizes{1}, Values{9}, Values{11});
    EXPECT_EQ(&two.points(0), &two.points(1));
}

TEST(Intervals, OneEndTakesThePlaceOfTheValues)
{
    auto node = example();
    node.set_interval(0, FunctionKind::time, Sizes{1, 4}, Values{9, 38}, Values{11, 45});
    node.set_interval(0, FunctionKind::energy, Sizes{4}, Values{6}, Values{9});
    EXPECT_TRUE(node.may_have_intervals());
    EXPECT_FALSE(example().may_have_intervals());
    const auto cluster = node.replicate(3);
    const auto low = cluster.at_bound(Bound::low);
    const auto high = cluster.at_bound(Bound::high);
    EXPECT_FALSE(low.may_have_intervals());
    EXPECT_TRUE(cluster.may_have_intervals());
    EXPECT_EQ(low.points(2).sizes, (Sizes{1, 2, 4}));
    EXPECT_EQ(low.points(2).seconds, (Values{9, 20, 38})) << "a point without an interval keeps its value";
    EXPECT_TRUE(same(low.points(2).joules, {5, none, 6}));
    EXPECT_EQ(high.points(4).seconds, (Values{11, 20, 45}));
    EXPECT_TRUE(same(high.points(4).joules, {5, none, 9}));
    EXPECT_EQ(&low.points(0), &low.points(4)) << "copies share their function";
    EXPECT_EQ(&cluster.at_bound(Bound::estimate).points(0), &cluster.points(0));
}

TEST(Intervals, FilesKeepThem)
{
    auto platform = example();
    platform.set_interval(0, FunctionKind::time, Sizes{4, 1}, Values{39.1234567, 10}, Values{42, 10}, Sizes{12, 3});
    platform.set_interval(0, FunctionKind::energy, Sizes{4}, Values{0.1}, Values{7.5});
    platform.set_time_function(1, Sizes{3}, Values{1});
    const auto written = format_platform(platform);
    EXPECT_EQ(written, "processor,size,time,energy,time_low,time_high,energy_low,energy_high,repetitions\n"
                       "0,1,10,5,10,10,,,3\n"
                       "0,2,20,,,,,,\n"
                       "0,4,40,7,39.1234567,42,0.1,7.5,12\n"
                       "1,3,1,,,,,,\n");
    const auto again = parse_platform(written, "f.csv");
    EXPECT_EQ(format_platform(again), written);
    EXPECT_TRUE(same(again.points(0).intervals->time_low, platform.points(0).intervals->time_low));
    EXPECT_EQ(again.points(1).intervals, nullptr);
}

TEST(Intervals, EachColumnOfAFileIsOptional)
{
    const auto high = parse_platform("size,processor,time_high,time\n1,a,11,10\n2,a,,20\n", "f.csv");
    EXPECT_TRUE(same(high.points(0).intervals->time_low, {none, none}));
    EXPECT_TRUE(same(high.points(0).intervals->time_high, {11, none}));
    EXPECT_EQ(format_platform(high), "processor,size,time,time_high\na,1,10,11\na,2,20,\n");
    const auto speed = parse_platform("processor,size,speed,time_low,repetitions\na,10,4,2.5,8\n", "f.csv");
    EXPECT_EQ(speed.points(0).intervals->time_low, (Values{2.5}));
    EXPECT_EQ(speed.points(0).intervals->repetitions, (Sizes{8}));
    EXPECT_EQ(
        parse_platform("processor,size,time,time_low,time_high,repetitions\na,1,1,,,\n", "f.csv").points(0).intervals,
        nullptr);
}

TEST(Intervals, WrongOnesOfAFileAreRefused)
{
    for (const auto &[content, place] : {
             std::pair{"processor,size,time,time_low\na,1,10,10.5\n", "f.csv:2:8: time_low is '10.5'"},
             {"processor,size,time,time_high\na,1,10,9\n", "f.csv:2:8: time_high is '9'"},
             {"processor,size,time,time_high\na,1,10,inf\n", "f.csv:2:8"},
             {"processor,size,time,time_low\na,1,10,-1\n", "f.csv:2:8"},
             {"processor,size,time,time_low\na,1,10,nan\n", "f.csv:2:8"},
             {"processor,size,time,energy_low\na,1,10,1\n", "'energy'"},
             {"processor,size,time,energy,energy_high\na,1,10,,1\n", "f.csv:2:9: energy_high"},
             {"processor,size,time,repetitions\na,1,10,0\n", "f.csv:2:8"},
             {"processor,size,time,repetitions\na,1,10,2.5\n", "f.csv:2:8"},
             {"processor,size,time,time_low,time_low\na,1,1,1,1\n", "twice"},
         })
        expect_error(Status::format, {place}, [&, c = content] { static_cast<void>(parse_platform(c, "f.csv")); });
}

} // namespace
} // namespace hpart
