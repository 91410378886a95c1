#include "core/options.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace hpart
{
namespace
{

TEST(Report, KeepsOrderAndReplaces)
{
    Report report;
    report.set("b", std::int64_t{1});
    report.set("a", 0.1);
    report.set("b", std::string("two"));
    ASSERT_EQ(report.count(), 2);
    EXPECT_EQ(report.key(0), "b");
    EXPECT_EQ(report.key(1), "a");
    EXPECT_EQ(std::get<std::string>(report.get("b")), "two");
}

TEST(Report, UnknownKeyNamesTheKeysThereAre)
{
    Report report;
    report.set("first", 1.0);
    report.set("second", 2.0);
    support::expect_error(Status::invalid_argument, {"'third'", "first, second"},
                          [&] { static_cast<void>(report.get("third")); });
}

TEST(Report, WritesJson)
{
    Report row, report;
    row.set("text", std::string("a \"b\" \\ \n \x01 \xc3\xa4 \xc3("));
    report.set("one", std::int64_t{1});
    report.set("unknown", std::numeric_limits<double>::infinity());
    report.set("some", std::vector<double>{0.5, 2});
    report.set("rows", Report::Rows{row, Report()});
    EXPECT_EQ(report.json(), R"({"one": 1, "unknown": null, "some": [0.5, 2], "rows": [{"text": )"
                             R"("a \"b\" \\ \u000a \u0001 )"
                             "\xc3\xa4 ?(\"}, {}]}");
    EXPECT_EQ(Report::format(report.get("rows")).find("[{"), 0U);
}

TEST(Report, FormatsEveryKind)
{
    EXPECT_EQ(Report::format(std::int64_t{-7}), "-7");
    EXPECT_EQ(Report::format(0.25), "0.25");
    EXPECT_EQ(Report::format(std::string("x y")), "x y");
    EXPECT_EQ(Report::format(std::vector<double>{1, 2.5}), "1 2.5");
    EXPECT_EQ(Report::format(std::vector<double>{}), "");
}

} // namespace
} // namespace hpart
