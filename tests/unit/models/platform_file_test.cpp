#include "models/platform_file.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/split.hpp"

#include "support/data.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;

Platform parse(const std::string &content) { return parse_platform(content, "f.csv"); }

// Bit by bit, NaN included.
void expect_same(const Platform &a, const Platform &b)
{
    ASSERT_EQ(a.count(), b.count());
    const auto same = [](const std::vector<double> &u, const std::vector<double> &v) {
        return std::equal(u.begin(), u.end(), v.begin(), v.end(),
                          [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
    };
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const auto &p = a.processor(i), &q = b.processor(i);
        EXPECT_EQ(p.name, q.name);
        EXPECT_EQ(p.points().sizes, q.points().sizes);
        EXPECT_TRUE(same(p.points().seconds, q.points().seconds));
        EXPECT_TRUE(same(p.points().joules, q.points().joules));
        EXPECT_EQ(p.limits, q.limits);
        EXPECT_EQ(p.host_link, q.host_link);
    }
    EXPECT_EQ(a.links(), b.links());
    EXPECT_EQ(a.nodes(), b.nodes());
    EXPECT_TRUE(same({a.base_power(), a.border_bytes()}, {b.base_power(), b.border_bytes()}));
    EXPECT_EQ(a.kernel(), b.kernel());
    EXPECT_EQ(a.facts.lines(), b.facts.lines());
}

TEST(PlatformFile, TheWholeFormat)
{
    const auto platform = parse("# base_power = 58.0\n"
                                "# kernel = dgemm n=512 k=512\n"
                                "# link CPU my GPU latency = 1.2e-5 bandwidth = 1.1e10\n"
                                "# host_link my GPU latency = 1e-6 bandwidth = inf\n"
                                "# link_energy my GPU CPU joules_per_byte = 5e-10\n"
                                "# link_energy CPU my GPU joules_per_byte = 6e-10\n"
                                "# host_link_energy my GPU joules_per_byte = 4e-10\n"
                                "# node_power CPU CPU watts = 30\n"
                                "# limits CPU smallest = 64 largest = 128\n"
                                "# border_bytes = 4096\n"
                                "#  a comment = kept\n"
                                "processor,size,time,energy\n"
                                "CPU,128,0.00231,0.37\n"
                                "CPU,64,0.00123,0.21\n"
                                "my GPU,64,0.00093,0.11\n");
    ASSERT_EQ(platform.count(), 2);
    EXPECT_EQ(platform.processor(1).name, "my GPU");
    EXPECT_EQ(platform.points(0).sizes, (Sizes{64, 128}));
    EXPECT_EQ(platform.points(0).seconds[0], 0.00123);
    EXPECT_EQ(platform.points(1).joules[0], 0.11);
    EXPECT_EQ(platform.base_power(), 58);
    EXPECT_EQ(platform.kernel(), "dgemm n=512 k=512");
    EXPECT_EQ(platform.link(0, 1), (Link{1.2e-5, 1.1e10, 6e-10}));
    EXPECT_EQ(platform.link(1, 0), (Link{0, std::numeric_limits<double>::infinity(), 5e-10}));
    EXPECT_EQ(platform.processor(1).host_link.joules_per_byte, 4e-10);
    EXPECT_EQ(platform.nodes(), (std::vector<hpart::Node>{{0, 0, 30}}));
    EXPECT_EQ(platform.processor(1).host_link.bytes_per_second, std::numeric_limits<double>::infinity());
    EXPECT_EQ(platform.processor(0).limits, (Limits{64, 128}));
    EXPECT_EQ(platform.border_bytes(), 4096);
    EXPECT_EQ(platform.facts.lines(), (std::vector<std::string>{"  a comment = kept"}));
    expect_same(platform, parse(format_platform(platform)));
}

TEST(PlatformFile, WhatIsAccepted)
{
    // CRLF, blank lines, blanks around fields, columns in any order, no last newline.
    const auto platform =
        parse("\r\n# linked list of = nothing\r\n time , size,processor\r\n\r\n 0.5 , 3 , a b \r\n1e-3,1,a b");
    EXPECT_EQ(platform.processor(0).name, "a b");
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1, 3}));
    EXPECT_TRUE(std::isnan(platform.points(0).joules[0]));
    // Speeds instead of times; a size may lack its energy.
    const auto speeds = parse("processor,size,speed,energy\na,10,5,\na,20,8,2\n");
    EXPECT_EQ(speeds.points(0).seconds, (std::vector<double>{2, 2.5}));
    EXPECT_TRUE(std::isnan(speeds.points(0).joules[0]));
    // The rows of a processor need not stand together.
    EXPECT_EQ(parse("processor,size,time\na,1,1\nb,1,1\na,2,1\n").points(0).count(), 2U);
    // The names that new processors have, in another order.
    EXPECT_EQ(parse("processor,size,time\n1,1,1\n0,1,2\n").points(0).seconds[0], 1);
}

TEST(PlatformFile, TablesAsRAndPandasWriteThem)
{
    const auto platform = parse("\"processor\",\"size\",\"time\",\"energy\",\"host\",\"date\"\n"
                                "\"my CPU\",1e+05,0.5,NA,\"n1, rack 2\",2026-11-28\n"
                                "\"my CPU\",1024.0,0.25,2,\"n1\",\n");
    EXPECT_EQ(platform.processor(0).name, "my CPU");
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1024, 100000}));
    EXPECT_EQ(platform.points(0).joules[0], 2);
    EXPECT_TRUE(std::isnan(platform.points(0).joules[1]));
    EXPECT_EQ(platform.facts.lines(), (std::vector<std::string>{" columns that were not read: host, date"}));
    expect_same(platform, parse(format_platform(platform)));
    const auto others = parse("processor,size,time,temp,Time,time_ms,enrgy,tim\na,1,2,61,3,4,5,6\n");
    EXPECT_EQ(others.points(0).seconds[0], 2);
    EXPECT_EQ(others.facts.lines(),
              (std::vector<std::string>{" columns that were not read: temp, Time, time_ms, enrgy, tim"}));
    const auto padded = parse("# base_power = 58,,\n\"# kernel = dgemm n=4,k=4\",,\nprocessor,size,time\na,1,1\n");
    EXPECT_EQ(padded.base_power(), 58);
    EXPECT_EQ(padded.kernel(), "dgemm n=4,k=4");
}

TEST(PlatformFile, RowsOfEqualSizeAreRuns)
{
    const auto platform = parse("processor,size,time,energy\n"
                                "a,2,1,3\na,1,0.5,\na,2,2,\nb,2,1,\na,2,3,5\nb,2,1,\n");
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1, 2}));
    EXPECT_EQ(platform.points(0).seconds, (std::vector<double>{0.5, 2}));
    EXPECT_EQ(platform.points(0).joules[1], 4);
    EXPECT_EQ(platform.points(1).seconds, (std::vector<double>{1}));
    // Student's quantiles of 97.5 %: 4.30265 for 3 runs, 12.7062 for 2.
    const auto &intervals = *platform.points(0).intervals;
    EXPECT_TRUE(std::isnan(intervals.time_low[0]));
    EXPECT_EQ(intervals.time_low[1], 0);
    EXPECT_NEAR(intervals.time_high[1], 2 + 4.30265 / std::sqrt(3), 1e-4);
    EXPECT_NEAR(intervals.energy_high[1], 4 + 12.7062, 1e-3);
    EXPECT_EQ(intervals.repetitions, (Sizes{1, 3}));
    EXPECT_EQ(platform.points(1).intervals->repetitions, (Sizes{2}));
    EXPECT_TRUE(std::isnan(platform.points(1).intervals->time_high[0])) << "a row that stands twice";
    EXPECT_EQ(platform.facts.lines(),
              (std::vector<std::string>{" rows of equal size were runs: times and energies are their means"}));
    expect_same(platform, parse(format_platform(platform)));
}

TEST(PlatformFile, ProcessorsWithoutPointsSurvive)
{
    Platform platform(3);
    platform.set_names({"a", "idle", "c"});
    platform.set_time_function(2, Sizes{1}, std::vector<double>{1});
    expect_same(platform, parse(format_platform(platform)));
    expect_same(Platform(2), parse(format_platform(Platform(2))));
}

// Were each name compared with all before it, this would take minutes.
TEST(PlatformFile, ManyNamesAreReadOneByOne)
{
    std::string names;
    std::string rows;
    constexpr int count = 20'000;
    for (int i = 0; i < count; ++i) {
        names += hpart::text(i == 0 ? "" : ",", "P", i);
        rows += hpart::text("P", i, ",1,1\n");
    }
    const auto platform = parse("# processors = " + names + "\nprocessor,size,time\n" + rows);
    EXPECT_EQ(platform.count(), count);
    EXPECT_EQ(platform.processor(count - 1).name, hpart::text("P", count - 1));
}

TEST(PlatformFile, AnEnergyWithoutATimeIsNotWritten)
{
    Platform platform(1);
    platform.set_energy_function(0, Sizes{1}, std::vector<double>{1});
    EXPECT_THROW(static_cast<void>(format_platform(platform)), Error);
}

TEST(PlatformFile, ALinkThatCouldBeAnotherIsNotWritten)
{
    Platform platform(4);
    platform.set_names({"a", "b c", "a b", "c"});
    platform.set_link(2, 3, {1, 1});
    EXPECT_THROW(static_cast<void>(format_platform(platform)), Error);
}

struct BadFile {
    const char *content;
    const char *place;  // line:column
    const char *phrase; // of the message
};

TEST(PlatformFile, BadFilesAreRefusedWithPlaceAndText)
{
    const std::vector<BadFile> files = {
        {"", ":1:1:", "empty"},
        {"\n\n", ":3:1:", "only comments and blank lines"},
        {"# only a comment\n", ":2:1:", "only comments and blank lines"},
        {"processor,size,time\n", ":2:1:", "no rows"},
        {"CPU,64,0.1\n", ":1:1:", "'processor' is missing in the header. The first line of the table must name"},
        {"\xFF\xFEp", ":1:1:", "perhaps in UTF-16; save it as UTF-8"},
        {"processor,size,time\rCPU,1,1\r", ":1:1:", "the lines end with CR alone"},
        {"# a comment\nprocessor;size;time\n", ":2:1:", "the columns are separated by semicolons"},
        {"processor\tsize\ttime\n", ":1:1:", "the columns are separated by tabs"},
        {"processor,size,time\nCPU,1,1\nprocessor,size,time\n", ":3:1:", "the header stands here again"},
        {"processor,sizes,time\nCPU,1,1\n", ":1:1:", "'size' is missing in the header; it has 'sizes'. The first line"},
        {"processor,size,tme\nCPU,1,1\n", ":1:1:", "one is needed; it has 'tme'"},
        {"processor,size,temp\nCPU,1,1\n", ":1:1:", "neither a column 'time' nor one 'speed'"},
        {"processor,size\nCPU,1\n", ":1:1:", "'time'"},
        {"processor,time\nCPU,1\n", ":1:1:", "'size' is missing"},
        {"size,time\n1,1\n", ":1:1:", "'processor' is missing"},
        {"processor,size,time,time\nCPU,1,1,1\n", ":1:21:", "twice"},
        {"processor,size,time,speed\nCPU,1,1,1\n", ":1:1:", "both"},
        {"processor,size,time,\nCPU,1,1,1\n", ":1:21:", "no name"},
        {",processor,size,time\n0,CPU,1,1\n", ":1:1:", "index=False"},
        {"\"\",\"processor\",\"size\",\"time\"\n\"1\",\"CPU\",1,1\n", ":1:2:", "row.names=FALSE"},
        {"\"processor\",\"size\",\"time\"\n\"1\",\"CPU\",1,1\n", ":2:13:", "row.names=FALSE"},
        {"processor,size,time\n\"CPU,1,1\n", ":2:1:", "the quote is not closed"},
        {"processor,size,time\n\"C\"\"PU\",1,1\n", ":2:4:", "behind a closed quote"},
        {"processor,size,time\n\"C,PU\",1,1\n", ":2:2:", "commas"},
        {"processor,size,time\nCPU,64\n", ":2:1:", "2 fields; the header has 3"},
        {"processor,size,time\nCPU,64,1,2\n", ":2:10:", "4 fields; the header has 3"},
        {"processor,size,time\nCPU,64,nan\n", ":2:8:", "'nan'"},
        {"processor,size,time\nCPU,64,inf\n", ":2:8:", "finite"},
        {"processor,size,time\nCPU,64,-1\n", ":2:8:", "'-1'"},
        {"processor,size,time\nCPU,64,\n", ":2:8:", "''"},
        {"processor,size,time\nCPU,64,fast\n", ":2:8:", "'fast'"},
        {"processor,size,time\nCPU,64,1e999\n", ":2:8:", "'1e999'"},
        {"processor,size,time\nCPU,64,1;2\n", ":2:8:", "'1;2'"},
        {"processor,size,time\nCPU,0,1\n", ":2:5:", "positive"},
        {"processor,size,time\nCPU,-5,1\n", ":2:5:", "positive"},
        {"processor,size,time\nCPU,1.5,1\n", ":2:5:", "'1.5'"},
        {"processor,size,time\nCPU,9223372036854775808,1\n", ":2:5:", "9223372036854775807"},
        {"processor,size,time\nCPU,,1\n", ":2:5:", "''"},
        {"processor,size,time\n,1,1\n", ":2:1:", "empty"},
        {"processor,size,time\nC\"PU,1,1\n", ":2:1:", "quotes"},
        {"processor,size,time\nCPU,1e19,1\n", ":2:5:", "'1e19'"},
        {"processor,size,time\nCPU,9007199254740993.0,1\n", ":2:5:", "'9007199254740993.0'"},
        {"processor,size,time\nNA,1,1\n", ":2:1:", "no name"},
        {"{\"size\": 5}\n", ":1:1:", "the file is JSON"},
        {"processor,size,time\nCPU,NA,1\n", ":2:5:", "'NA'"},
        {"processor,size,time\nCPU,1,NA\n", ":2:7:", "'NA'"},
        {"processor,size,time,time_low\nCPU,1,1,1\nGPU,1,1,1\nCPU,1,2,2\n", ":4:1:",
         "size 1 of processor 'CPU' stands already in line 2; rows of equal size are runs only in a table "
         "without intervals"},
        {"processor,size,time,host\nCPU,1,1,a\nCPU,1,2,b\n", ":3:1:",
         "stands already in line 2; rows of equal size are runs only in a table without columns that are not "
         "read, such as host"},
        {"processor,size,time\nC\tPU,1,1\n", ":2:1:", "control"},
        {"processor,size,speed\nCPU,1,0\n", ":2:7:", "positive"},
        {"processor,size,speed\nCPU,1,1e-300\nCPU,9000000000000000000,1e-300\n", ":3:1:", "does not fit"},
        {"processor,size,time,energy\nCPU,1,1,-2\n", ":2:9:", "energy"},
        {"processor,size,time,energy\nCPU,1,1,nan\n", ":2:9:", "energy"},
        {"# base_power = hot\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "'hot'"},
        {"# base_power = -1\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "'-1'"},
        {"# base_power =\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "''"},
        {"# base_power = 1\n# base_power = 1\nprocessor,size,time\nCPU,1,1\n", ":2:1:", "twice"},
        {"# kernel = d\x01gemm\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "one line"},
        {"# border_bytes = inf\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "'inf'"},
        {"# link CPU latency = 1 bandwidth = 1\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "'CPU'"},
        {"# link CPU GPU latency = 1 bandwidth = 1\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "'CPU GPU'"},
        {"# link CPU CPU latency = 1 bandwidth = 1\nprocessor,size,time\nCPU,1,1\n", ":1:1:", "itself"},
        {"# link A B latency = 1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "FROM TO latency"},
        {"# link A B latency = x bandwidth = 1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "'x'"},
        {"# link A B latency = 1 bandwidth = 0\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "'0'"},
        {"# link A B latency = 1 bandwidth = 1\n# link A B latency = 2 bandwidth = "
         "1\nprocessor,size,time\nA,1,1\nB,1,1\n",
         ":2:1:", "twice"},
        {"# link a b c latency = 1 bandwidth = 1\nprocessor,size,time\na,1,1\nb c,1,1\na b,1,1\nc,1,1\n",
         ":1:1:", "different pairs"},
        {"# link_energy A B joules_per_byte = -1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "'-1'"},
        {"# link_energy A B joules_per_byte = 1\n# link_energy A B joules_per_byte = "
         "1\nprocessor,size,time\nA,1,1\nB,1,1\n",
         ":2:1:", "twice"},
        {"# link_energy A A joules_per_byte = 1\nprocessor,size,time\nA,1,1\n", ":1:1:", "itself"},
        {"# link_energy A B joules = 1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "FROM TO joules_per_byte"},
        {"# host_link_energy B joules_per_byte = 1\nprocessor,size,time\nA,1,1\n", ":1:1:", "'B'"},
        {"# node_power A watts = 1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "'A'"},
        {"# node_power A B watts = 1\n# node_power B B watts = 1\nprocessor,size,time\nA,1,1\nB,1,1\n",
         ":2:1:", "are a node already"},
        {"# node_power B A watts = 1\nprocessor,size,time\nA,1,1\nB,1,1\n", ":1:1:", "last is processor[0]"},
        {"# host_link B latency = 1 bandwidth = 1\nprocessor,size,time\nA,1,1\n", ":1:1:", "'B'"},
        {"# limits A smallest = 5 largest = 4\nprocessor,size,time\nA,1,1\n", ":1:1:", "less than smallest"},
        {"# limits A smallest = 0 largest = 4\nprocessor,size,time\nA,1,1\n", ":1:1:", "positive"},
        {"# limits B smallest = 1 largest = 4\nprocessor,size,time\nA,1,1\n", ":1:1:", "'B'"},
        {"# processors = A,,B\nprocessor,size,time\nA,1,1\n", ":1:1:", "empty"},
        {"# processors = A,A\nprocessor,size,time\nA,1,1\n", ":1:1:", "twice"},
    };
    for (const auto &file : files) {
        SCOPED_TRACE(file.content);
        support::expect_error(Status::format, {std::string("f.csv") + file.place, file.phrase},
                              [&] { static_cast<void>(parse(file.content)); });
    }
}

TEST(PlatformFile, RandomPlatformsReadBackTheSame)
{
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
    for (int round = 0; round < 2000; ++round) {
        Platform platform(1 + below(5));
        std::int64_t points = 0;
        for (std::int64_t i = 0; i < platform.count(); ++i) {
            Sizes sizes, energy_sizes;
            std::vector<double> seconds, joules;
            std::int64_t size = 0;
            for (std::int64_t k = below(6); k > 0; --k) {
                size += 1 + below(std::uint64_t{1} << (1 + below(58)));
                sizes.push_back(size);
                seconds.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(below(120)) - 100));
                if (below(2) != 0) energy_sizes.push_back(size);
            }
            for (std::size_t k = 0; k < energy_sizes.size(); ++k)
                joules.push_back(static_cast<double>(below(1000)) / 7);
            platform.set_time_function(i, sizes, seconds);
            platform.set_energy_function(i, energy_sizes, joules);
            if (below(2) != 0) platform.set_limits(i, {1 + below(10), 11 + below(1000)});
            if (below(4) == 0) platform.set_host_link(i, {static_cast<double>(below(9)), 1e9});
            if (i > 0 && below(2) != 0) platform.set_link(i, i - 1, {1e-6, static_cast<double>(1 + below(1000))});
            if (i > 0 && below(3) == 0) {
                auto link = platform.link(i, i - 1);
                link.joules_per_byte = static_cast<double>(below(9)) / 7;
                platform.set_link(i, i - 1, link);
            }
            if (below(3) == 0) platform.set_node({i, i, static_cast<double>(below(9)) / 3});
            platform.set_name(i, "p " + std::to_string(i));
            points += static_cast<std::int64_t>(sizes.size());
        }
        if (points == 0) continue;
        if (below(2) != 0) platform.set_base_power(static_cast<double>(below(1000)) / 3);
        if (below(2) != 0) platform.set_border_bytes(static_cast<double>(below(1000)));
        if (below(2) != 0) platform.set_kernel("zfft n=512");
        for (const auto *comment : {" one", "", "two"}) platform.facts.add<std::string>(comment);
        ASSERT_NO_FATAL_FAILURE(expect_same(platform, parse(format_platform(platform)))) << format_platform(platform);
    }
}

TEST(PlatformFile, AnyBytesAreReadOrRefused)
{
    std::mt19937_64 random(11);
    const std::string good =
        "# base_power = 58\n# link a b latency = 1 bandwidth = 2\nprocessor,size,time,energy\na,1,2,3\nb,4,5e-1,\n";
    const std::string bytes = "#=,\n\r\t \"0123456789.e+-ab\xFF\xEF\xBB\xBF" + std::string(1, '\0');
    std::int64_t read = 0;
    const auto rounds = support::how_many();
    for (std::int64_t round = 0; round < rounds; ++round) {
        auto content = good;
        for (auto edits = 1 + random() % 4; edits > 0; --edits) {
            const auto at = random() % (content.size() + 1);
            switch (random() % 3) {
            case 0: content.insert(at, 1, bytes[random() % bytes.size()]); break;
            case 1: content.erase(at, 1 + random() % 3); break;
            default: content.replace(at, 1, 1, bytes[random() % bytes.size()]);
            }
        }
        try {
            const auto platform = parse(content);
            ++read;
            ASSERT_NO_FATAL_FAILURE(expect_same(platform, parse(format_platform(platform)))) << content;
        } catch (const Error &error) {
            ASSERT_EQ(error.status(), Status::format) << error.what() << "\n" << content;
        }
    }
    EXPECT_GT(read, rounds / 100) << "the edits leave some files readable";
}

TEST(PlatformFile, RealDataReads)
{
    const std::string folder = support::data("");
    const auto dgemm = read_platform(folder + "measured/dgemm-rows-by-512-by-512.csv");
    EXPECT_EQ(dgemm.count(), 3);
    EXPECT_EQ(dgemm.points(0).count(), 600U);
    EXPECT_EQ(read_platform(folder + "measured/zfft-rows-by-512.csv").points(1).count(), 1200U);
    expect_same(dgemm, parse(format_platform(dgemm)));
}

Platform with_comment(const std::string &comment) { return parse(comment + "\nprocessor,size,time\nA,1,1\nB,1,1\n"); }

TEST(PlatformFile, MisspeltMetadataIsRefused)
{
    for (const auto &[comment, key] : {
             std::pair{"# limit A smallest = 3 largest = 9", "# limits PROCESSOR"},
             {"# limits A 3 9", "# limits PROCESSOR"},
             {"# base-power = 58", "# base_power = WATTS"},
             {"# base power = 58", "# base_power = WATTS"},
             {"# base_power: 58", "# base_power = WATTS"},
             {"# BASE_POWER = 58", "# base_power = WATTS"},
             {"# bsae_power = 58", "# base_power = WATTS"},
             {"# border_byte = 8", "# border_bytes"},
             {"# kernal = dgemm n=512 k=512", "# kernel = NAME"},
             {"# Kernel: dgemm n=512 k=512", "# kernel = NAME"},
             {"# kernel dgemm", "# kernel = NAME"},
             {"# procesors = A,B", "# processors = NAME"},
             {"# lnk A B latency = 1 bandwidth = 2", "# link FROM TO"},
             {"# link A B 1e-5 1e10", "# link FROM TO"},
             {"# host-link A latency = 1 bandwidth = 2", "# host_link PROCESSOR"},
             {"# host link A latency 1 bandwidth 2", "# host_link PROCESSOR"},
         })
        support::expect_error(Status::format, {"f.csv:1:1", std::string("did you mean '") + key},
                              [&, c = comment] { static_cast<void>(with_comment(c)); });
}

TEST(PlatformFile, FreeCommentsStay)
{
    for (const auto &comment : support::split(
             "# links measured on Monday | # links A and B are slow | # limits of this machine | "
             "# limits: see the manual, page 12 | # kernel timings taken at night, n=512 | # Kernel 6.1.0-13-amd64 | "
             "# the base power = 58 W was read off the meter | # base power measured with a Watts up? PRO | "
             "# processors: Intel Xeon, NVIDIA A100 | # processors are bound | # border_bytes of a row | "
             "# measured = 2 runs of A | # memory limit of A = 1000 | # energy = rapl | # rank = 5 | # note | # | "
             "# = | # = 3 | # link | # kernel | # limits | # line A B 3 4 drawn = red"))
        EXPECT_EQ(with_comment(comment).facts.lines(), std::vector<std::string>{comment.substr(1)});
}

} // namespace
} // namespace hpart
