// Facts of a platform file, line by line.
#include "models/facts.hpp"
#include "models/platform_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hpart
{
namespace
{

Facts facts_of(const std::vector<std::string> &lines)
{
    Facts facts;
    for (const auto &line : lines)
        facts.add_line(line, [](std::string_view name) { return name == "A" || name == "A size 5"; });
    return facts;
}

// Every kind of line, as hpart writes it.
const std::vector<std::string> all_kinds = {
    " measured = one after another",
    " statistic = median",
    " machine = Some Processor, 4 cores",
    " machine = Another Processor",
    " energy = measured by rapl, each processor alone",
    " base_power_error = 0.25",
    " sizes = those that a search measured",
    " memory limit of A = 1000",
    " time doubt: the line '1.5 2.5' has two numbers",
    " chosen time 1600 = 600,1000 ran 0.0541 certified 0.05",
    " chosen energy 1600 = 0,1600 predicted 12 not certified",
    " run 30,40 = 0.012",
    " run 30,0 = failed: out of memory",
    " failed: A size 5 ended with exit status 1",
    " unfinished: A size 6 after 0.5 s",
    " precision not reached: A size 8 is known to 41.5 % after 3 repetitions (max_total_seconds)",
    " precision not reached: A size 9 takes 0.21 +- 0.06 J after 1 window of the meter",
    " binding not kept: A size 8 was given core 1, but its thread was moved to 0",
    " busy: A size 8 was measured on a busy machine: x",
    " energy busy: A size 8 took energy of other parts of the machine: x",
    " outliers: A size 8 has 2 of 24 samples far from the median",
    " drift: A size 80 changed by 14.35 % in 24 repetitions (drift_p 0)",
    " serial correlation: A size 80 has 0.8 between neighbours of 24 samples (serial_correlation_p 0.0001)"};

TEST(Facts, AreWrittenAsTheyAreRead)
{
    auto lines = all_kinds;
    lines.insert(lines.begin() + 3, " by hand");
    const auto facts = facts_of(lines);
    EXPECT_EQ(facts.lines(), lines);
    EXPECT_EQ(facts.all<std::string>(), std::vector<std::string>{" by hand"});
    EXPECT_EQ(facts.all<Note>().size(), 10U);
}

TEST(Facts, LeaveOtherLinesAsComments)
{
    const std::vector<std::string> comments = {"measured = no blank in front",
                                               " measured: otherwise",
                                               " sizes = those that I like",
                                               " memory limit of A = plenty",
                                               " memory limit of A",
                                               " memory limit of A = 007",
                                               " memory limit of  = 3",
                                               " failed: the whole node, on Monday",
                                               " failed: B size 5 is no processor of the file",
                                               " failed: A size none",
                                               " busy: A size -3 x",
                                               " run 30;40 = 0.012",
                                               " run 30,-40 = 0.012",
                                               " run 30,40, = 0.012",
                                               " run 30,40 = soon",
                                               " run 30,40 = -1",
                                               " chosen time 1600 = 600,1001 ran 0.0541 certified 0.05",
                                               " chosen time 1600 = 600,1000 ran 0.0541 certified 1.05",
                                               " chosen time 1600 = 600,1000 ran 0.0541",
                                               " chosen time 9007199254740993 = 9007199254740993 ran 1 not certified",
                                               " run 9007199254740993,1 = 0.003",
                                               " run 9223372036854775807,9223372036854775807 = 1",
                                               " chosen fun 1600 = 600,1000 ran 0.0541 not certified",
                                               " chosen time 1600 = 600,1000 ran 0.05410 not certified",
                                               ""};
    const auto facts = facts_of(comments);
    EXPECT_EQ(facts.all<std::string>(), comments);
    EXPECT_EQ(facts.report().count(), 0);
}

// A processor's name may look like the words behind a shorter name.
TEST(Facts, TakeTheLongestProcessor)
{
    const auto notes = facts_of({" failed: A size 5 size 7 x size 9 y", " failed: A size 5 x size 9 y"}).all<Note>();
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_TRUE(notes[0].is_at("A size 5", 7));
    EXPECT_EQ(notes[0].text, "x size 9 y");
    EXPECT_TRUE(notes[1].is_at("A", 5));
}

TEST(Facts, AreReportedByKey)
{
    const auto json = facts_of(all_kinds).report().json();
    for (
        const auto *part :
        {R"("measured": "one after another", "statistic": "median", "machines": [{"text": "Some Processor, 4 cores"}, )",
         R"("base_power_error": 0.25, "sizes_of_search": 1)", R"("memory_limits": [{"device": "A", "bytes": 1000}])",
         R"({"objective": "time", "size": 1600, "distribution": [600, 1000], "value": 0.0541, "measured": 1, "precision": 0.05})",
         R"("runs": [{"distribution": [30, 40], "seconds": 0.012}, {"distribution": [30, 0], "failure": "out of memory"}])",
         R"_("text": "is known to 41.5 % after 3 repetitions (max_total_seconds)", "relative_half_width": 0.415, "samples": 3, )_",
         R"("energy": 0, "by_budget": 1})", R"("samples": 1, "energy": 1, "by_budget": 0})"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

// The numbers of a distribution have no names.
TEST(Facts, KeepTheOrderOfTheProcessorsOfADistribution)
{
    auto platform =
        parse_platform("# chosen time 3 = 1,2 ran 5 not certified\nprocessor,size,time\nB,1,1\nA,2,1\n", "f");
    const auto content = format_platform(platform);
    EXPECT_NE(content.find("# processors = B,A\n"), std::string::npos) << content;
    const auto rows = content.find("processor,size");
    const auto sorted = content.substr(0, rows) + "processor,size,time\nA,2,1\nB,1,1\n";
    EXPECT_EQ(parse_platform(sorted, "f").processor(0).name, "B");
    platform.facts = {};
    EXPECT_EQ(format_platform(platform).find("# processors"), std::string::npos);
}

TEST(Facts, StayInACopyOfTheNodeWithoutItsDistributions)
{
    Platform node(1);
    node.set_name(0, "A");
    node.facts = facts_of(all_kinds);
    EXPECT_EQ(node.replicate(1).facts.lines(), all_kinds);
    const auto cluster = node.replicate(2).facts;
    EXPECT_TRUE(cluster.all<ChosenDistribution>().empty());
    EXPECT_TRUE(cluster.all<ApplicationRun>().empty());
    EXPECT_TRUE(cluster.all<Note>().empty());
    EXPECT_TRUE(cluster.all<MemoryLimit>().empty());
    EXPECT_EQ(cluster.stated(Topic::base_power_error), "0.5");
    EXPECT_TRUE(cluster.states(Topic::way));
    node.set_name(0, "B");
    EXPECT_TRUE(node.facts.has_note(NoteKind::failed, "B", 5)) << "as A size 5";
}

} // namespace
} // namespace hpart
