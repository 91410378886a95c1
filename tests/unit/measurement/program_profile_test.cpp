// Profiles and searches of programs that fail, hang, or are cut off.
#include "measurement/optimize.hpp"
#include "measurement/resumable_file.hpp"

#include "profile_fixture.hpp"
#include "programs.hpp"

namespace hpart
{

namespace
{

using ProgramProfileTest = ProfileFixture;

TEST_F(ProgramProfileTest, FailedPointIsLeftOutAndTriedAgain)
{
    const auto flag = folder_.file("repaired");
    const auto command = "sh -c 'while read n; do [ $n = 5 -a ! -e " + flag +
                         " ] && echo no memory for $n >&2 && exit 3; echo 0.00$n; done'";
    Team team;
    add_program(team, "A", command, line_protocol);
    add_program(team, "B", "sh -c 'while read n; do echo 0.01$n; done'", line_protocol);
    Control control(telling_, std::numeric_limits<double>::infinity(), 1);
    const auto first = profile(team, request_, control).platform;
    EXPECT_EQ(first.points(0).sizes, (std::vector<std::int64_t>{1, 2, 3, 8, 13}));
    EXPECT_EQ(first.points(1).sizes, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13}));
    EXPECT_EQ(first.points(1).seconds[3], 0.015);
    const auto reason = [](const std::string &line) { return line.find("no memory for 5") != std::string::npos; };
    EXPECT_EQ(std::count_if(told_.begin(), told_.end(), reason), 1);
    const auto content = read_file(request_.file);
    EXPECT_NE(content.find("# failed: A size 5 'sh -c "), std::string::npos) << content;
    EXPECT_NE(content.find("# kernel = programs A=sh -c '"), std::string::npos) << content;

    write_file(flag, "");
    const auto second = profile(team, request_, control).platform;
    EXPECT_EQ(second.points(0).sizes, (std::vector<std::int64_t>{1, 2, 3, 5, 8, 13}));
    EXPECT_EQ(read_file(request_.file).find("failed"), std::string::npos);

    Team other;
    add_program(other, "A", "echo {size}", from_output);
    add_program(other, "B", "sh -c 'while read n; do echo 0.01$n; done'", line_protocol);
    EXPECT_THROW(profile(other, request_, control), Error);
}

TEST_F(ProgramProfileTest, ASearchWithoutAFileKeepsTheDoubtAboutPrintedTimes)
{
    Team team;
    add_program(team, "A", "sh -c 'while read n; do echo 360$n; done'", line_protocol);
    Options options;
    for (const auto *key : {"min_repetitions", "max_repetitions"}) options.set_int(key, 3);
    const std::vector<std::int64_t> sizes{1, 2};
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 2, sizes, options));
    expect_part(found.platform.facts.stated(Topic::time_doubt), "says that it took 3602 s");
    expect_part(std::get<std::string>(report_of(found).get("time_doubt")), "says that it took 3602 s");
}

// The command is the same, the program another.
TEST_F(ProgramProfileTest, AChangedProgramIsMeasuredAgainAtOnePoint)
{
    request_.resume_tolerance.reset();
    const auto script = folder_.file("solver.sh");
    const auto runs = folder_.file("runs");
    const auto profile_with = [&](const char *seconds) {
        const auto content = text("echo >> ", runs, "; echo 0.", seconds, "  # ", seconds);
        if (content != content_of_file(script)) write_file(script, content);
        Team team;
        add_program(team, "A", "sh " + script + " {size}", from_output);
        return profile(team, request_).platform;
    };
    profile_with("5000001");
    const auto count = [&] { return read_file(runs).size(); };
    const auto first = count();
    profile_with("5000001");
    EXPECT_EQ(count(), first) << "nothing has changed";
    profile_with("499900001");
    EXPECT_GT(count(), first);
    const auto second = count();
    profile_with("499900001");
    EXPECT_EQ(count(), second);
    for (const auto *other : {"25000001", "5600001"})
        expect_error(Status::invalid_argument, {"if the kernel has changed", " s now and 0.5 s in the file"},
                     [&] { profile_with(other); });
}

TEST_F(ProgramProfileTest, TheBudgetEndsAProgramThatHangs)
{
    Team team;
    add_program(team, "A", "sh -c 'while read n; do [ $n = 5 ] && sleep 60; echo 0.01; done'", line_protocol);
    request_.max_total_seconds = 0.5;
    request_.random_order = false;
    const auto result = profile(team, request_);
    EXPECT_GT(result.missing, 0U);
    EXPECT_EQ(read_file(request_.file).find("# failed"), std::string::npos) << "it is missing, it has not failed";
}

TEST_F(ProgramProfileTest, TheBudgetEndsWithoutAnyPoint)
{
    Team team;
    add_program(team, "A", "sh -c 'while read n; do sleep 60; echo 0.01; done'", line_protocol);
    request_.max_total_seconds = 0.1;
    const auto result = profile(team, request_);
    EXPECT_EQ(result.missing, result.points);
    EXPECT_TRUE(result.was_cut);
    EXPECT_FALSE(result.goes_on);
    EXPECT_FALSE(fs::exists(request_.file));
    const auto notes = noted_failures(result.platform.facts);
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes.front().kind, NoteKind::unfinished);
    EXPECT_TRUE(notes.front().is_at("A", 1));
    EXPECT_TRUE(notes.front().text.starts_with("after ")) << notes.front().text;
}

// The last size, or the only one, runs when the budget ends.
TEST_F(ProgramProfileTest, TheBudgetKeepsTheRepetitionsOfTheLastPoint)
{
    Team team;
    add_program(team, "A", "sleep 0.002");
    request_.sizes = {1};
    request_.settings.rule = {.precision = 1e-9};
    request_.max_total_seconds = 1;
    const auto result = profile(team, request_);
    EXPECT_EQ(result.missing, 0);
    EXPECT_EQ(result.platform.points(0).count(), 1U);
    const auto notes = result.platform.facts.all<Note>();
    const auto imprecise = std::ranges::find(notes, NoteKind::imprecise, &Note::kind);
    ASSERT_NE(imprecise, notes.end());
    EXPECT_TRUE(Imprecision::read(imprecise->text)->is_by_budget()) << imprecise->text;
}

// Else each call would spend its budget on the same size.
TEST_F(ProgramProfileTest, SizesWithoutATimeAreTheLastOfTheNextCall)
{
    const auto sizes = std::exchange(request_.sizes, {1});
    auto platform = profile(team_, request_).platform;
    note_unfinished(platform.facts, "b", 13, 0.52);
    note_unfinished(platform.facts, "a", 5, 1);
    write_platform(platform, request_.file);
    EXPECT_NE(read_file(request_.file).find("# unfinished: b size 13 after 0.5 s\n"), std::string::npos);
    request_.sizes = sizes;
    order_.clear();
    profile(team_, request_);
    order_.erase(std::unique(order_.begin(), order_.end()), order_.end());
    ASSERT_EQ(order_.size(), 5U);
    EXPECT_EQ(order_[3], 13);
    EXPECT_EQ(order_[4], 5) << "the latest behind the others";
    EXPECT_EQ(read_file(request_.file).find("# unfinished"), std::string::npos);
}

TEST_F(ProgramProfileTest, TheBudgetEndsASearchWhoseProgramHangs)
{
    const auto options = support::options_of({{"max_total_seconds", "0.1"}});
    const auto stop_reason_of = [&](const std::string &command) {
        Team team;
        add_program(team, "A", command, line_protocol);
        add_program(team, "B", "sh -c 'while read n; do echo 1; done'", line_protocol);
        try {
            const auto found = optimize(team, OptimizeRequest::from(Objective::time, 9, up_to(9), options));
            return found.race_failure + (found.time_was_up ? "max_total_seconds" : "");
        } catch (const Error &error) {
            EXPECT_EQ(error.status(), Status::limit) << error.what();
            expect_part(error.what(), "set it higher");
            EXPECT_EQ(std::string(error.what()).find("again"), std::string::npos) << error.what() << ": without a file";
            return std::string(error.what());
        }
    };
    for (const int runs : {0, 12}) {
        const auto command =
            text("sh -c 'k=0; while read n; do k=$((k+1)); [ $k -gt ", runs, " ] && sleep 9999; echo $k; done'");
        EXPECT_NE(stop_reason_of(command).find("max_total_seconds"), std::string::npos) << runs;
    }
}

TEST_F(ProgramProfileTest, NoPointAtAllHasTheFirstFailure)
{
    Team team;
    add_program(team, "A", "false");
    add_program(team, "B", "false {size}");
    const auto result = profile(team, request_);
    EXPECT_EQ(result.platform.points(0).count() + result.platform.points(1).count(), 0U);
    EXPECT_NE(result.failure.find("processor '"), std::string::npos) << result.failure;
}

// A processor that fails for ever does not keep the others, nor the search for bends.
TEST_F(ProgramProfileTest, ProcessorWithoutPoints)
{
    Team team;
    add_program(team, "A", "false {size}");
    add_program(team, "B", "echo {size}", from_output);
    request_.most_sizes = 10;
    const auto platform = profile(team, request_).platform;
    EXPECT_EQ(platform.points(0).count(), 0U);
    EXPECT_EQ(platform.points(1).count(), request_.sizes.size());
    EXPECT_EQ(read_platform(request_.file).count(), 2);
    request_.simultaneous = false;
    request_.file.clear();
    EXPECT_EQ(profile(team, request_).platform.points(1).count(), request_.sizes.size());
}

} // namespace

} // namespace hpart
