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

const std::string header = "parameter,processor,size,time\n";

Family family_of(const std::string &content) { return parse_family(content, "f.csv"); }

Family three()
{
    return family_of("parameter,processor,size,time,energy\n"
                     "1000,CPU,1,10,\n1000,CPU,2,20,\n1000,CPU,4,40,\n"
                     "1000,GPU,1,1,\n1000,GPU,2,2,\n1000,GPU,4,3,\n"
                     "500,CPU,1,5,\n500,CPU,2,10,\n500,CPU,3,15,\n"
                     "500,GPU,1,1,\n500,GPU,2,1,\n500,GPU,3,1,\n"
                     "2000,CPU,2,30,7\n2000,CPU,4,60,\n2000,GPU,2,2,\n2000,GPU,4,9,\n");
}

TEST(Family, SlicesAreThoseOfTheFile)
{
    const auto family = three();
    EXPECT_EQ(family.size(), 3U);
    EXPECT_EQ(slice_of(family, 500, BetweenSlices::refuse).points(0).seconds, (Values{5, 10, 15}));
    EXPECT_EQ(slice_of(family, 2000, BetweenSlices::linear).points(1).sizes, (Sizes{2, 4}));
}

// From 2^53 on, doubles of different parameters may be equal.
TEST(Family, SlicesFarFromZeroAreWeighedByTheirDistance)
{
    const auto family = family_of(header + "2305843009213693952,a,1,2\n2305843009213693956,a,1,6\n");
    EXPECT_EQ(slice_of(family, 2305843009213693953, BetweenSlices::linear).points(0).seconds, Values{3});
    EXPECT_EQ(slice_of(family, 2305843009213693954, BetweenSlices::linear).points(0).seconds, Values{4});
}

TEST(Family, MissingSlicesNameTheNearest)
{
    const auto family = three();
    const auto refused = Status::invalid_argument;
    expect_error(refused, {"the nearest are 500 below and 1000 above, and option"},
                 [&] { slice_of(family, 700, BetweenSlices::refuse); });
    expect_error(refused, {"none below and 500 above"}, [&] { slice_of(family, 400, BetweenSlices::linear); });
    expect_error(refused, {"2000 below and none above"}, [&] { slice_of(family, 2001, BetweenSlices::linear); });
}

TEST(Family, InterpolatesAtCommonSizes)
{
    const auto family = three();
    const auto middle = slice_of(family, 750, BetweenSlices::linear);
    EXPECT_EQ(middle.points(0).sizes, (Sizes{1, 2}));
    EXPECT_EQ(middle.points(0).seconds, (Values{7.5, 15}));
    EXPECT_EQ(middle.points(1).seconds, (Values{1, 1.5}));
    const auto late = slice_of(family, 1250, BetweenSlices::linear);
    EXPECT_EQ(late.points(0).seconds, (Values{22.5, 45}));
    EXPECT_TRUE(std::isnan(late.points(0).joules[0])) << "one of the neighbours has no energy";
}

TEST(Family, InterpolationKeepsTheRestOfTheLowerSlice)
{
    const auto family = family_of("# at 100: base_power = 50\n"
                                  "# at 100: limits a smallest = 1 largest = 7\n"
                                  "# at 100: kernel = dgemm n=100\n"
                                  "# at 100: chosen time 1 = 1 ran 1 certified 0.05\n"
                                  "# at 100: busy: a size 1 x\n"
                                  "# by hand\n"
                                  "# at 300: kernel = dgemm n=300\n"
                                  "parameter,processor,size,time,energy\n"
                                  "100,a,1,1,2\n300,a,1,2,4\n");
    const auto middle = slice_of(family, 200, BetweenSlices::linear);
    EXPECT_EQ(middle.kernel(), "");
    EXPECT_EQ(slice_of(family, 100, BetweenSlices::linear).facts.all<ChosenDistribution>().size(), 1U);
    EXPECT_EQ(middle.facts.lines(), std::vector<std::string>{" by hand"}) << "nothing was measured there";
    EXPECT_EQ(middle.base_power(), 50);
    EXPECT_EQ(middle.processor(0).limits, (Limits{1, 7}));
    EXPECT_EQ(middle.points(0).joules, (Values{3}));
}

TEST(Family, InterpolatedValuesStayBetweenTheirNeighbours)
{
    const auto family = family_of(header + "1,a,1,1.7976931348623157e308\n1,b,1,0\n"
                                           "9223372036854775807,a,1,1.7976931348623157e308\n"
                                           "9223372036854775807,b,1,1.7976931348623157e308\n");
    const auto slice = slice_of(family, 1'000'000'000'000, BetweenSlices::linear);
    EXPECT_LE(slice.points(0).seconds[0], std::numeric_limits<double>::max());
    EXPECT_GE(slice.points(1).seconds[0], 0);
}

// ---- files ----

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
    ASSERT_EQ(family.size(), 2U);
    const auto &small = family.at(512);
    const auto &large = family.at(1024);
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

TEST(FamilyFile, ErrorsSayWhere)
{
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
             {"# at 6: kernel = sgemm n=6 math=tf32\n" + header + "5,CPU,1,1\n6,CPU,1,1\n",
              "f.csv: parameter 6 was measured with the math mode 'tf32', parameter 5 with 'usual'"},
         })
        expect_error(Status::format, {says}, [&, c = content] { family_of(c); });
    expect_error(Status::format, {"a column of family files"},
                 [&] { parse_platform(header + "5,CPU,1,1\n", "p.csv"); });
}

} // namespace
} // namespace hpart
