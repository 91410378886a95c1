#include "models/schedule_table.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

constexpr const char *version_line = "# hpart schedules, version 1\n";
constexpr const char *header_line = "size,makespan,optimal,processor,package,repeats,application\n";

std::string table_of(const std::string &rows) { return std::string(version_line) + header_line + rows; }

TEST(ScheduleTable, ReadsAndWrites)
{
    const auto written =
        std::string(version_line) + "# made by hand\n" + header_line +
        "16,6.5,1,CPU,8,1,dgemm n=2, k=1\n16,6.5,1,CPU,2,2,dgemm n=2, k=1\n16,6.5,1,GPU,0,0,dgemm n=2, k=1\n"
        "16,6.5,1,FPGA,4,1,dgemm n=2, k=1\n0,0,0,CPU,0,0,dgemm n=2, k=1\n";
    const auto table = parse_schedule_table(written, "t");
    ASSERT_EQ(table.entries.size(), 2U);
    const auto &entry = *table.find("dgemm n=2, k=1", 16);
    EXPECT_EQ(entry.makespan, 6.5);
    EXPECT_TRUE(entry.is_optimal);
    EXPECT_EQ(entry.processors, (std::vector<std::string>{"CPU", "GPU", "FPGA"}));
    EXPECT_EQ(entry.tasks, (std::vector<TableTask>{{0, 8, 1}, {0, 2, 2}, {2, 4, 1}}));
    EXPECT_EQ(table.find("dgemm", 16), nullptr);
    EXPECT_EQ(table.find("dgemm n=2, k=1", 17), nullptr);
    EXPECT_EQ(format_schedule_table(table), written);
    std::string others = written; // of other editors
    for (std::size_t k = 0; (k = others.find('\n', k)) != std::string::npos; k += 2) others.insert(k, "\r");
    EXPECT_EQ(format_schedule_table(parse_schedule_table(others + "\r\n", "t")), written);
}

TEST(ScheduleTable, ReplacesEntries)
{
    ScheduleTable table;
    table.set({"a", 4, 2, true, {"P"}, {{0, 4, 1}}});
    table.set({"b", 4, 3, true, {"P"}, {{0, 2, 2}}});
    table.set({"a", 4, 1, false, {"P"}, {{0, 1, 4}}});
    ASSERT_EQ(table.entries.size(), 2U);
    EXPECT_EQ(table.find("a", 4)->makespan, 1);
    EXPECT_EQ(table.find("b", 4)->makespan, 3);
}

TEST(ScheduleTable, RefusesWhatIsWrong)
{
    const std::vector<std::pair<std::string, const char *>> wrong = {
        {"", "t:1:1: the table has no header"},
        {"processor,size,time\n", "t:1:1: the line is 'processor,size,time'"},
        {"# hpart schedules, version 2\n", "t:1:1: the version is '2'; this library reads version 1"},
        {std::string(version_line) + "size\n", "t:2:1: the header is 'size'"},
        {table_of("4,1,1,P,4,1\n"), "t:3:1: the row has 6 fields; it must have 7"},
        {table_of("-4,1,1,P,4,1,a\n"), "t:3:1: size is '-4'"},
        {table_of("4,nan,1,P,4,1,a\n"), "t:3:3: makespan is 'nan'; it must be finite"},
        {table_of("4,-1,1,P,4,1,a\n"), "makespan is '-1'"},
        {table_of("4,1,2,P,4,1,a\n"), "t:3:5: optimal is 2"},
        {table_of("4,1,1,#,4,1,a\n"), "t:3:7: name is '#'"},
        {table_of("4,1,1,P,4,0,a\n"), "t:3:9: package is 4 and repeats 0"},
        {table_of("4,1,1,P,4,x,a\n"), "t:3:11: repeats is 'x'"},
        {table_of("4,1,1,P,4,1,\n"), "t:3:13: application is ''"},
        {table_of("4,1,1,P,4,1, a\n"), "t:3:13: application is ' a'"},
        {table_of("4,1,1,P,3,1,a\n"), "t:3:1: the packages sum to 3, not to the size, 4"},
        {table_of("4,1,1,P,3,1,a\n8,1,1,P,8,1,a\n"), "t:3:1: the packages sum to 3"},
        {table_of("4,1,1,P,5,1,a\n"), "the packages sum to more than the size"},
        {table_of("4,1,1,P,4611686018427387904,4611686018427387904,a\n"), "the packages sum to more"},
        {table_of("4,1,1,P,2,1,a\n4,2,1,Q,2,1,a\n"), "t:4:3: makespan and optimal differ"},
        {table_of("4,1,1,P,2,1,a\n4,1,1,P,2,1,a\n"), "t:4:9: package is 2; the packages of a processor must decrease"},
        {table_of("4,1,1,P,4,1,a\n4,1,1,P,0,0,a\n"), "t:4:9: package is 0"},
        {table_of("4,1,1,P,0,0,a\n4,1,1,P,4,1,a\n"), "t:4:9: package is 4"},
        {table_of("4,1,1,P,2,1,a\n4,1,1,Q,1,1,a\n4,1,1,P,1,1,a\n"), "t:5:7: processor 'P' has rows before"},
        {table_of("4,1,1,P,4,1,a\n5,1,1,P,5,1,a\n4,1,1,P,4,1,a\n"), "t:5:1: a second schedule of size 4 and 'a'"},
    };
    for (const auto &[content, message] : wrong)
        support::expect_error(Status::format, {message}, [&table = content] { parse_schedule_table(table, "t"); });
}

} // namespace
} // namespace hpart
