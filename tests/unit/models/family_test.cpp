#include "models/family.hpp"
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

Platform two(const Sizes &sizes, const Values &first, const Values &second)
{
    Platform platform(2);
    platform.set_names({"CPU", "GPU"});
    platform.set_time_function(0, sizes, first);
    platform.set_time_function(1, sizes, second);
    return platform;
}

Family three()
{
    Family family;
    family.add(1000, two({1, 2, 4}, {10, 20, 40}, {1, 2, 3}));
    family.add(500, two({1, 2, 3}, {5, 10, 15}, {1, 1, 1}));
    auto last = two({2, 4}, {30, 60}, {2, 9});
    last.set_energy_function(0, Sizes{2}, Values{7});
    family.add(2000, last);
    return family;
}

TEST(Family, SlicesAreThoseAdded)
{
    const auto family = three();
    EXPECT_EQ(family.slices().size(), 3U);
    EXPECT_EQ(family.slice(500, BetweenSlices::refuse).points(0).seconds, (Values{5, 10, 15}));
    EXPECT_EQ(family.slice(2000, BetweenSlices::linear).points(1).sizes, (Sizes{2, 4}));
}

// From 2^53 on, doubles of different parameters may be equal.
TEST(Family, SlicesFarFromZeroAreWeighedByTheirDistance)
{
    constexpr std::int64_t far = std::int64_t{1} << 61;
    Family family;
    family.add(far, two({1}, {2}, {1}));
    family.add(far + 4, two({1}, {6}, {3}));
    EXPECT_EQ(family.slice(far + 1, BetweenSlices::linear).points(0).seconds, Values{3});
    EXPECT_EQ(family.slice(far + 2, BetweenSlices::linear).points(1).seconds, Values{2});
}

TEST(Family, MissingSlicesNameTheNearest)
{
    const auto family = three();
    const auto refused = Status::invalid_argument;
    expect_error(refused, {"the nearest are 500 below and 1000 above, and option"},
                 [&] { family.slice(700, BetweenSlices::refuse); });
    expect_error(refused, {"none below and 500 above"}, [&] { family.slice(400, BetweenSlices::linear); });
    expect_error(refused, {"2000 below and none above"}, [&] { family.slice(2001, BetweenSlices::linear); });
    expect_error(refused, {"no slices"}, [&] { Family().slice(1, BetweenSlices::linear); });
}

TEST(Family, RefusesWhatDoesNotFit)
{
    auto family = three();
    const auto refused = Status::invalid_argument;
    expect_error(refused, {"parameter is 0"}, [&] { family.add(0, two({1}, {1}, {1})); });
    expect_error(refused, {"already"}, [&] { family.add(500, two({1}, {1}, {1})); });
    expect_error(refused, {"'0,1'; those of the family are 'CPU,GPU'"}, [&] { family.add(600, Platform(2)); });
    EXPECT_EQ(family.slices().size(), 3U);
    auto other = two({1}, {1}, {1});
    other.set_kernel("sgemm n=600 math=tf32");
    expect_error(refused, {"the math mode 'tf32', those of the family with 'usual'"}, [&] { family.add(600, other); });
    Family of_tf32;
    of_tf32.add(600, other);
    expect_error(refused, {"the math mode 'usual', those of the family with 'tf32'"},
                 [&] { of_tf32.add(700, two({1}, {1}, {1})); });
    other.set_kernel("sgemm n=700 math=tf32");
    of_tf32.add(700, other);
}

TEST(Family, InterpolatesAtCommonSizes)
{
    auto family = three();
    const auto middle = family.slice(750, BetweenSlices::linear);
    EXPECT_EQ(middle.points(0).sizes, (Sizes{1, 2}));
    EXPECT_EQ(middle.points(0).seconds, (Values{7.5, 15}));
    EXPECT_EQ(middle.points(1).seconds, (Values{1, 1.5}));
    const auto late = family.slice(1250, BetweenSlices::linear);
    EXPECT_EQ(late.points(0).seconds, (Values{22.5, 45}));
    EXPECT_TRUE(std::isnan(late.points(0).joules[0])) << "one of the neighbours has no energy";
}

TEST(Family, InterpolationKeepsTheRestOfTheLowerSlice)
{
    Family family;
    auto low = two({1}, {1}, {1});
    low.set_kernel("dgemm n=100");
    low.set_base_power(50);
    low.set_limits(0, {1, 7});
    low.set_energy_function(0, Sizes{1}, Values{2});
    auto high = two({1}, {2}, {2});
    high.set_kernel("dgemm n=300");
    high.set_energy_function(0, Sizes{1}, Values{4});
    family.add(100, low);
    family.add(300, high);
    const auto middle = family.slice(200, BetweenSlices::linear);
    EXPECT_EQ(middle.kernel(), "");
    EXPECT_EQ(middle.base_power(), 50);
    EXPECT_EQ(middle.processor(0).limits, (Limits{1, 7}));
    EXPECT_EQ(middle.points(0).joules, (Values{3}));
}

TEST(Family, InterpolatedValuesStayBetweenTheirNeighbours)
{
    const auto largest = std::numeric_limits<double>::max();
    Family family;
    family.add(1, two({1}, {largest}, {0}));
    family.add(std::numeric_limits<std::int64_t>::max(), two({1}, {largest}, {largest}));
    const auto slice = family.slice(1'000'000'000'000, BetweenSlices::linear);
    EXPECT_LE(slice.points(0).seconds[0], largest);
    EXPECT_GE(slice.points(1).seconds[0], 0);
}

// ---- files ----

Family family_of(const std::string &content) { return parse_family(content, "f.csv"); }

TEST(FamilyFile, IsReadWithMetadataOfAllAndOfOneSlice)
{
    const auto family = family_of("# base_power = 58\n"
                                  "# link CPU GPU latency = 1 bandwidth = 2\n"
                                  "# at 1024: kernel = dgemm n=1024\n"
                                  "# at 512: kernel = dgemm n=512\n"
                                  "# at 512: border_bytes = 4096\n"
                                  "# a remark\n"
                                  "processor,size,parameter,time\n"
                                  "CPU,1,512,0.5\n"
                                  "GPU,2,1024,0.25\n"
                                  "CPU,1,1024,0.75\n");
    ASSERT_EQ(family.slices().size(), 2U);
    const auto &small = family.slices().at(512);
    const auto &large = family.slices().at(1024);
    EXPECT_EQ(small.count(), 2);
    EXPECT_EQ(small.points(1).count(), 0U) << "GPU has no rows there";
    EXPECT_EQ(large.points(0).seconds, (Values{0.75}));
    EXPECT_EQ(small.kernel(), "dgemm n=512");
    EXPECT_EQ(large.kernel(), "dgemm n=1024");
    EXPECT_EQ(small.border_bytes(), 4096);
    EXPECT_EQ(large.border_bytes(), 0);
    EXPECT_EQ(large.base_power(), 58);
    EXPECT_EQ(large.link(0, 1).latency_seconds, 1);
    EXPECT_EQ(large.facts.lines(), (std::vector<std::string>{" a remark"}));
}

TEST(FamilyFile, WhatIsWrittenReadsTheSame)
{
    auto family = three();
    Platform other = two({3}, {1}, {1});
    other.set_time_function(1, {}, {});
    other.set_kernel("zfft n=7");
    other.set_base_power(3);
    other.set_limits(1, {2, 3});
    for (const auto *comment : {" twice", " twice", " at 5: not a slice", "common"})
        other.facts.add<std::string>(comment);
    family.add(7, other);
    const auto written = format_family(family);
    const auto again = family_of(written);
    EXPECT_EQ(format_family(again), written);
    ASSERT_EQ(again.slices().size(), family.slices().size());
    for (const auto &[parameter, platform] : family.slices())
        EXPECT_EQ(format_platform(again.slices().at(parameter)), format_platform(platform)) << parameter;
}

TEST(FamilyFile, CommonLinesAreSaidOnce)
{
    Family family;
    for (const std::int64_t n : {10, 20}) {
        auto platform = two({1}, {1}, {1});
        platform.set_base_power(40);
        platform.set_kernel("k n=" + std::to_string(n));
        family.add(n, platform);
    }
    EXPECT_EQ(format_family(family), "# base_power = 40\n"
                                     "# at 10: kernel = k n=10\n"
                                     "# at 20: kernel = k n=20\n"
                                     "parameter,processor,size,time\n"
                                     "10,CPU,1,1\n10,GPU,1,1\n20,CPU,1,1\n20,GPU,1,1\n");
}

TEST(FamilyFile, ErrorsSayWhere)
{
    const std::string header = "parameter,processor,size,time\n";
    for (const auto &[content, says] : {
             std::pair{std::string(), "f.csv:1:1: the file is empty; its first line must name the columns: parameter,"},
             {"# a comment\n\n",
              "f.csv:3:1: the file has only comments and blank lines; a line must name the columns: parameter,"},
             {"processor,size,time\nCPU,1,1\n", "f.csv:1:1: the column 'parameter' is missing"},
             {header, "no rows"},
             {header + "0,CPU,1,1\n", "f.csv:2:1: parameter is '0'"},
             {"parameter,processor,size,time,repetitions\n5,CPU,1,1,2\n6,CPU,1,1,2\n5,CPU,1,2,2\n",
              "f.csv:4:1: size 1 of processor 'CPU' stands already in line 2"},
             {"# at 9: kernel = k\n" + header + "5,CPU,1,1\n", "f.csv:1:1: there are no rows of parameter 9"},
             {"# base_power = 1\n# at 5: base_power = 2\n" + header + "5,CPU,1,1\n",
              "f.csv:2:1: base_power is given twice"},
             {"# at 5: processors = CPU\n" + header + "5,CPU,1,1\n", "must not name a slice"},
             {"# parameters = 5,x\n" + header + "5,CPU,1,1\n", "parameter is 'x'"},
         })
        expect_error(Status::format, {says}, [&, c = content] { family_of(c); });
    expect_error(Status::format, {"of a file of a family"}, [&] { parse_platform(header + "5,CPU,1,1\n", "p.csv"); });
}

TEST(FamilyFile, WhatAFileCannotTellIsRefused)
{
    expect_error(Status::invalid_argument, {"no slices"}, [] { format_family(Family()); });
}

TEST(FamilyFile, SlicesWithoutPointsStay)
{
    Family family;
    Platform empty(2), full(2);
    empty.set_limits(1, {3, 4});
    full.set_time_function(0, std::vector<std::int64_t>{7}, std::vector<double>{2.5});
    full.facts.add<std::string>(" parameters = none of these");
    family.add(5, empty);
    family.add(6, full);
    family.add(9, empty);
    const auto written = format_family(family);
    EXPECT_EQ(written.substr(0, written.find('\n')), "# parameters = 5,6,9");
    const auto read = parse_family(written, "f.csv");
    ASSERT_EQ(read.slices().size(), 3);
    EXPECT_EQ(read.slices().at(5).points(0).count(), 0);
    EXPECT_EQ(read.slices().at(9).processor(1).limits, (Limits{3, 4}));
    EXPECT_EQ(read.slices().at(6).points(0).sizes, (std::vector<std::int64_t>{7}));
    EXPECT_EQ(read.slices().at(6).facts.lines(), full.facts.lines());
    EXPECT_EQ(format_family(read), written);
}

} // namespace
} // namespace hpart
