// Applications that run all processors at once: the places of sizes, the times that they print, how they fail.
#include "measurement/application.hpp"
#include "measurement/optimize.hpp"
#include "measurement/team_run.hpp"

#include "profile_fixture.hpp"
#include "programs.hpp"
#include "support/errors.hpp"
#include "support/options.hpp"

#include <filesystem>
#include <numeric>

namespace hpart
{

namespace
{

using Sizes = std::vector<std::int64_t>;

const Settings by_lines = {{"protocol", "lines"}, {"timeout", "5"}};
const std::vector<std::string> three = {"A", "B", "C"};

Team team_of(const std::string &command, const Settings &settings = from_output,
             const std::vector<std::string> &names = three)
{
    const auto options = support::options_of(settings);
    options.check_belongs(call_program);
    Team team;
    set_application(team, names, make_application(names, command, options));
    return team;
}

std::vector<double> seconds_of(const Team &team, const Sizes &x) { return execute(team, x, 0, false).seconds; }

std::vector<double> seconds_of(const std::string &command, const Sizes &x, const Settings &settings = from_output)
{
    return seconds_of(team_of(command, settings), x);
}

Options two_repetitions() { return support::options_of({{"min_repetitions", "2"}}); }

using Seconds = std::vector<double>;

TEST(Application, GetsTheSizesInEveryPlace)
{
    EXPECT_EQ(seconds_of("sh -c 'IFS=,; echo $1' sh {x}", {5, 6, 7}), (Seconds{5, 6, 7}));
    EXPECT_EQ(seconds_of("sh -c 'echo $1' sh '{x: }'", {5, 0, 7}), (Seconds{5, 0, 7}));
    EXPECT_EQ(seconds_of("echo {x3} {size} {x1}{x2}", {5, 6, 7}), (Seconds{7, 18, 56}));
    EXPECT_EQ(seconds_of("SIZES='{x: }' sh -c 'echo $SIZES'", {1, 2, 3}), (Seconds{1, 2, 3}));
    EXPECT_EQ(seconds_of("sh -c 'while read a b c; do echo $c, $b, $a; done'", {1, 2, 3}, {{"protocol", "lines"}}),
              (Seconds{3, 2, 1}));
}

TEST(Application, TimesOfEachProcessorInEveryForm)
{
    const auto times = [](const std::string &lines, const Sizes &x = {1, 1, 1},
                          const std::vector<std::string> &names = three) {
        return seconds_of(team_of("printf '" + lines + "%.0s' {x}", from_output, names), x);
    };
    EXPECT_EQ(times("9 9 9\\n1, 2 s;3s\\ndone in 7\\ntotal of 3 ranks: 6 s\\n"), (Seconds{1, 2, 3}))
        << "the last line of numbers alone";
    EXPECT_EQ(times("1 3\\n", {1, 0, 1}), (Seconds{1, 0, 3})) << "a number for each that has work";
    EXPECT_EQ(times("4\\nwarm\\n1\\n2\\n3\\n"), (Seconds{1, 2, 3})) << "a line a processor";
    EXPECT_EQ(times("1\\n3\\n", {1, 0, 1}), (Seconds{1, 0, 3}));
    EXPECT_EQ(times("1\\nsent\\n2\\n\\n3\\ndone\\n"), (Seconds{1, 2, 3})) << "other lines between";
    EXPECT_EQ(times("1 2 3\\n0\\n"), (Seconds{1, 2, 3})) << "one line with all of them";
    EXPECT_EQ(times("A 1 s\\nB 2 s\\nC 3 s\\nA done\\nB use 97 %%\\nC memory 12 GB\\n"), (Seconds{1, 2, 3}));
    EXPECT_EQ(times("\\033[32mA 1\\033[0m\\n\\033[1;31mB\\033[m 2\\nC 3\\n"), (Seconds{1, 2, 3})) << "colours";
    EXPECT_EQ(times("C: 3 s, 9 rows\\n7 8 9\\nA 1\\nB=2\\n"), (Seconds{1, 2, 3})) << "lines with names";
    EXPECT_EQ(times("A 1\\nB 2\\nC 3\\nA rows 71\\nB 71 rows\\nC 7 of 8\\n"), (Seconds{1, 2, 3}))
        << "alone goes before words";
    EXPECT_EQ(times("A 0.5 s\\nB 0.3\\nC 2\\nA sync 2 us\\nB sync 3 us\\n"), (Seconds{0.5, 0.3, 2}));
    EXPECT_EQ(times("A step 10 took 1 s\\nA step 20 took 2 s\\nB;0.5\\nC 3\\n"), (Seconds{2, 0.5, 3}));
    EXPECT_EQ(times("A: Xeon v4 @ 2.40GHz\\nB: driver 535.54\\nC: rank 7\\n1 2 3\\n"), (Seconds{1, 2, 3}))
        << "clean numbers";
    EXPECT_EQ(times("\ufeffA 1\\nB 2\\nC 3\\n"), (Seconds{1, 2, 3}));
    EXPECT_EQ(times("A \\033(B\\033[m1\\nB \\033[38:5:1m2\\nC \\033[>4m3\\n"), (Seconds{1, 2, 3})) << "terminals";
    EXPECT_EQ(times("A 9\\nB 9\\nC 9\\nB 2\\nA 1\\nC 3\\n"), (Seconds{1, 2, 3})) << "the last pass";
    EXPECT_EQ(times("A step 9\\nA time 1\\nA 1 s\\nA 7\\nB took 2 s\\nC took 3 s\\nC took 4 s\\n"), (Seconds{1, 2, 4}));
    EXPECT_EQ(times("0.5\\n1.5D0\\n2\\n"), (Seconds{0.5, 1.5, 2}));
    EXPECT_EQ(times("A: 1.25D-03\\nB: 2.5D-03\\nC 1\\n"), (Seconds{1.25e-3, 2.5e-3, 1}));
    EXPECT_EQ(times("gpu-1 20\\ngpu-0 10\\n", {1, 1}, {"gpu-0", "gpu-1"}), (Seconds{10, 20}));
    EXPECT_EQ(times("A B 20\\nA 10\\n", {1, 1}, {"A", "A B"}), (Seconds{10, 20})) << "the longest name";
    const Settings in_ms = {{"time_from", "stdout"}, {"time_unit", "ms"}};
    EXPECT_EQ(seconds_of("echo t 250 500 1000 {x}", {1, 1, 1}, {{"time_unit", "ms"}, {"time_pattern", " ([0-9]{3,})"}}),
              (Seconds{0.25, 0.5, 1}));
    EXPECT_EQ(seconds_of("printf 'A 250\\nB 0.5 s\\nC 1e3\\n%.0s' {x}", {1, 1, 1}, in_ms), (Seconds{0.25, 0.5, 1}));
    EXPECT_EQ(seconds_of("echo t=1 t=2 t=3 {x}", {1, 1, 1}, {{"time_pattern", "t=([0-9])"}}), (Seconds{1, 2, 3}));
}

TEST(Application, StepOfItsPrintedTimes)
{
    for (const std::string times : {"0.25 1 2\\n0.50 2 3.0\\n", "A 0.50\\nB 2\\nC 3.0\\n", "0.50\\n2\\n3.0\\n"}) {
        const auto team = team_of("printf '0.125 of all\\n" + times + "%.0s' {x}");
        seconds_of(team, {1, 1, 1});
        EXPECT_DOUBLE_EQ(team.application()->printed_step().value(), 0.01) << times;
        EXPECT_EQ(team.member(1).kernel->printed_step(), team.application()->printed_step());
    }
}

TEST(Application, TimesAreTheSizesByThePrintedRates)
{
    const Settings rate = {{"time_from", "rate"}};
    EXPECT_EQ(seconds_of("sh -c 'echo 0 0.5 0.1; echo 0 0.6 0.2' {x}", {0, 1, 1}, from_output), (Seconds{0, 0.6, 0.2}));
    EXPECT_EQ(seconds_of("sh -c 'echo 8 4 0.5' {x}", {4, 1, 1}, rate), (Seconds{0.5, 0.25, 2}));
    EXPECT_EQ(seconds_of("sh -c 'echo 8 4' {x}", {4, 0, 1}, rate), (Seconds{0.5, 0, 0.25}));
    EXPECT_EQ(seconds_of("printf 'B 4 rows/s\\nA 8 rows/s\\nC 2\\nB 3 s\\n%.0s' {x}", {4, 1, 1}, rate),
              (Seconds{0.5, 0.25, 0.5}));
    EXPECT_EQ(seconds_of("echo all: 8 rows/s {x}", {2, 1, 1}, rate), (Seconds{0.5, 0.5, 0.5}))
        << "one rate, of the sum";
    EXPECT_EQ(seconds_of("echo r=1 r=2 r=3 {x}", {1, 1, 1}, {{"time_from", "rate"}, {"time_pattern", "r=([0-9])"}}),
              (Seconds{1, 0.5, 1.0 / 3}));
    for (const std::string bad : {"1 0 1", "1 -1 1", "1 nan 1"})
        expect_error(Status::callback, {bad == "1 nan 1" ? "which is no number of units a second" : "above 0"}, [&] {
            seconds_of("sh -c 'echo " + bad + "' sh {x}", {1, 1, 1}, rate);
        });
}

// Grids of processes, ranks and iterations beside a time; each would be a time of each processor, in silence.
TEST(Application, NumbersWithoutAUnitBesideATimeWithOneAreNoTimes)
{
    const auto refused = [](const std::string &lines, std::string_view bare, std::string_view time) {
        const auto quoted = [](std::string_view part) { return "'" + std::string(part) + "'"; };
        const auto bare_part = quoted(bare), time_part = quoted(time);
        expect_error(Status::callback, {bare_part, time_part, "give a time pattern, as '"}, [&] {
            seconds_of("printf '" + lines + "%.0s' {x}", {1, 1, 1});
        });
    };
    refused("4 4 1\\n3 us\\n", "4 4 1", "3 us");
    refused("3 us\\n4 4 1\\n", "4 4 1", "3 us");
    refused("4 4\\ntook 3 us\\n", "4 4", "took 3 us");
    refused("4\\n4\\n4\\ntook 0.25 s\\n", "4", "took 0.25 s");
    refused("0 1 2\\n100 100 100\\nSolve: 0.25 s, 17 rows\\n", "100 100 100", "Solve: 0.25 s, 17 rows");
    refused("4, 4, 4\\n2 min\\n", "4, 4, 4", "2 min");
    refused("4\\n3 us\\n", "4", "3 us");
    refused("A 4\\nB 4\\nC 4\\ntook 3 us\\n", "C 4", "took 3 us");
    EXPECT_EQ(seconds_of("printf '4 4 1\\n0.5 s\\n2 s\\n1 s\\n%.0s' {x}", {1, 1, 1}), (Seconds{0.5, 2, 1}))
        << "a line with a unit for each";
    EXPECT_EQ(seconds_of("printf '4 4 4\\n0.5 s 2 s 1 s\\n%.0s' {x}", {1, 1, 1}), (Seconds{0.5, 2, 1})) << "all units";
    EXPECT_EQ(seconds_of("printf '4 4\\ntook 3 s\\n%.0s' {x}", {1, 1, 1}, {{"time_pattern", "took ([-+0-9.eE]+)"}}),
              (Seconds{3, 3, 3}))
        << "the pattern of the message";
    expect_error(Status::callback, {"printed 2 times, as '4 4'"}, [] {
        seconds_of("sh -c 'echo 4 4' {x}", {1, 1, 1});
    });
}

TEST(Application, OneTimeIsThatOfAll)
{
    const auto team = team_of("sh -c 'echo steps 7; echo 2.5 s' sh {x}");
    EXPECT_EQ(seconds_of(team, {1, 0, 1}), (Seconds{2.5, 0, 2.5}));
    EXPECT_TRUE(team.application()->gave_one_time());
    EXPECT_EQ(seconds_of(team, {0, 4, 0}), (Seconds{0, 2.5, 0}));
    EXPECT_EQ(seconds_of(team_of("echo solved in 2.5 s, error 1e-9 {x1}"), {4, 0, 0}), (Seconds{2.5, 0, 0}));
    EXPECT_EQ(seconds_of(team_of("sh -c 'echo elapsed 2.5 s; echo error = 1e-9' sh {x}"), {1, 1, 1}),
              (Seconds{2.5, 2.5, 2.5}));
    EXPECT_FALSE(team.application()->gave_one_time());
    expect_error(Status::unsupported, {"profile", "time of each"}, [&] {
        ProfileRequest request;
        request.sizes = {1, 2};
        profile(team, request);
    });
    ProfileRequest alone;
    alone.sizes = {1, 2};
    alone.simultaneous = false;
    EXPECT_EQ(profile(team, alone).platform.points(2).count(), 2U) << "one processor at a time has its own";
    const auto timed = team_of("true {x}", {});
    EXPECT_GT(seconds_of(timed, {1, 2, 3})[1], 0) << "the wall time";
}

TEST(Application, FailuresNameTheSizes)
{
    const auto fails = [](const std::string &command, std::initializer_list<std::string_view> parts,
                          const Settings &settings) {
        expect_error(Status::callback, parts, [&] { seconds_of(command, {1, 2, 3}, settings); });
    };
    fails("sh -c 'echo no memory >&2; exit 3' sh {x}", {"sizes 1,2,3", "exit status 3", "'no memory'"}, from_output);
    fails("sh -c 'echo 1; echo 2' sh {x}", {"printed 2 times", "3 processors"}, from_output);
    fails("sh -c 'echo 1 2 3 4' sh {x}", {"printed 4 times", "3 processors"}, from_output);
    fails("sh -c 'seq 4' sh {x}", {"printed 4 times", "3 processors"}, from_output);
    fails("sh -c 'echo 1; echo done; echo 2' sh {x}", {"printed 2 times", "3 processors"}, from_output);
    fails("sh -c 'echo Rank 0: 1 s; echo Rank 1: 2 s' sh {x}", {"printed no time", "a time pattern finds them"},
          from_output);
    fails("sh -c 'echo A 1; echo C 2' sh {x}", {"no line that begins with processor 'B'"}, from_output);
    fails("sh -c 'echo A 1; echo B nan; echo C 2' sh {x}", {"no number"}, from_output);
    fails("sh -c 'echo A 3 0.31; echo B 1; echo C 2' sh {x}", {"no line that begins with processor 'A'"}, from_output);
    fails("sh -c 'echo A 0.5 s done; echo A idle 0.1 s; echo B 1; echo C 2' sh {x}", {"'A idle 0.1 s'", "which number"},
          from_output);
    fails("sh -c 'echo A wait 0.1 s, total 0.5 s; echo B 1; echo C 2' sh {x}", {"which number"}, from_output);
    fails("sh -c 'echo A 12.3 ns/day; echo B 1 s; echo C 2 s' sh {x}", {"no line that begins with processor 'A'"},
          from_output);
    fails("sh -c 'echo A time 1; echo A rows 71; echo B 1; echo C 2' sh {x}",
          {"no line that begins with processor 'A'", "one with its unit"}, from_output);
    fails("sh -c 'echo 2.5 s; echo 100' sh {x}", {"without a unit, but", "with one; print a unit behind each time"},
          from_output);
    fails("sh -c 'echo 100; echo solve time: 2.5' sh {x}", {"2 lines that may have the time"}, from_output);
    fails("sh -c 'echo A 1; echo B 2; echo C 3; echo A 4' sh {x}", {"2 times of processor 'A', but 1 of 'C'"},
          from_output);
    fails("sh -c 'echo 0 0.5 0.1; echo 1 0.6 0.2; echo 2 0.7 0.1' sh {x}", {"begin with whole numbers, as ranks"},
          from_output);
    fails("sh -c 'echo 4 0.5 0.1; echo 4 0.6 0.2' sh {x}", {"begin with whole numbers"}, from_output); // threads
    fails("sh -c 'echo 2 0.7 0.1; echo 0 0.5 0.1; echo 1 0.6 0.2' sh {x}", {"begin with whole numbers"}, from_output);
    fails("sh -c 'echo 17; echo 3 us; echo 4 us' sh {x}",
          {"without a unit, but", "with one; print a unit behind each time"}, from_output);
    fails("sh -c 'echo A 2 Minuten; echo B 1; echo C 2' sh {x}", {"'2 Minuten'", "no number"}, from_output);
    fails("sh -c 'echo 0.1 0.2 300 ms' sh {x}", {"'0.1 0.2 300 ms'", "no number"}, from_output);
    fails("sh -c 'echo 0,53; echo 0,31; echo 0,4' sh {x}", {"'0,53'", "no number"}, from_output);
    fails("sh -c 'read x; echo error 7'", {"printed no time"}, {{"protocol", "lines"}});
    fails("sh -c 'seq -s \" \" 20000' sh {x}", {"65536 bytes"}, from_output);
    fails("echo a 1 a 2 {x}", {"printed 2 times"}, {{"time_pattern", "a ([0-9])"}});
    fails("true {x}", {"printed no time"}, from_output);
    fails("sh -c 'echo 1 -2 3' sh {x}", {"-2"}, from_output);
    fails("sh -c 'read n; exit'", {"ended before it answered"}, {{"protocol", "lines"}});
    fails("sh -c 'sleep 99' sh {x}", {"within 0.05 s"}, {{"timeout", "0.05"}});
}

TEST(Application, Refusals)
{
    const auto refuses = [](const std::string &command, std::string_view part, const Settings &settings = {}) {
        expect_error(Status::invalid_argument, {part}, [&] { team_of(command, settings); });
    };
    refuses("./app", "{x}");
    refuses("/nowhere/app {x}", "'/nowhere/app {x}' cannot be started: No such file or directory");
    refuses("./app {x: }", "quotes");
    refuses("./app {x4}", "{x4}");
    refuses("./app {x01}", "{x}");
    refuses("A={x}", "name a program");
    refuses("./app {x0}", "{x0}");
    refuses("./app {x}", "{x}", {{"protocol", "lines"}});
    expect_error(Status::invalid_argument, {"'A'"}, [] { team_of("true {x}", {}, {"A", "A"}); });
    auto team = team_of("true {x}");
    expect_error(Status::invalid_argument, {"application"}, [&] { add_fake(team, "D", [](const Slice &) {}); });
    Team used;
    add_fake(used, "A", [](const Slice &) {});
    expect_error(Status::invalid_argument, {"1 processor"},
                 [&] { set_application(used, three, make_application(three, "true {x}", Options())); });
    EXPECT_EQ(used.count(), 1U);
}

TEST(Application, SumsThatDoNotFit)
{
    const auto team = team_of("echo 1 2 3 {size}");
    expect_error(Status::invalid_argument, {"64-bit"}, [&] {
        TeamRun(team, {{0, std::int64_t{1} << 62}, {0, std::int64_t{1} << 62}, {0, 1}}).repeat();
    });
}

// 100 kB are more than a pipe holds.
TEST(Application, OneThatDoesNotReadMeetsItsTimeOut)
{
    std::vector<std::string> names;
    for (int i = 0; i < 10000; ++i) names.push_back(text("P", i));
    const auto team = team_of("sh -c 'sleep 99'", {{"protocol", "lines"}, {"timeout", "0.05"}}, names);
    expect_error(Status::callback, {"within 0.05 s"},
                 [&] { seconds_of(team, Sizes(names.size(), 1'000'000'000'000)); });
}

using ApplicationProfile = ProfileFixture;

// B fails from size 5 on, and with it every run that has such a size.
TEST_F(ApplicationProfile, FindsTheProcessorThatFails)
{
    const auto team = team_of("sh -c '[ $2 -lt 5 ] || exit 1; echo 0.$1 0.$2 0.$3' sh {x1} {x2} {x3}");
    EXPECT_EQ(team.kernel().substr(0, 18), "application sh -c ");
    const auto platform = profile(team, request_).platform;
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1, 2, 3, 5, 8, 13}));
    EXPECT_EQ(platform.points(1).sizes, (Sizes{1, 2, 3}));
    EXPECT_EQ(platform.points(2).seconds, (Seconds{0.1, 0.2, 0.3, 0.5, 0.8, 0.13}));
    EXPECT_NE(read_file(request_.file).find("# failed: B size 5 "), std::string::npos);
    EXPECT_EQ(profile(team, request_).platform.points(0).seconds, platform.points(0).seconds) << "goes on";
}

TEST_F(ApplicationProfile, FindsAndCertifiesTheOptimum)
{
    auto options = two_repetitions();
    const auto team = team_of(
        "sh -c 'while read a b c; do [ $c -gt 30 ] && c=99; echo $((a * 6)) $((b * 3)) $((c * 2)); done'", by_lines);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(40), options));
    EXPECT_TRUE(found.certificate.certified);
    EXPECT_DOUBLE_EQ(found.value.value, 60);
    const auto &x = found.rivals[found.winner].x;
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), std::int64_t{0}), 60);
}

// A total that the application cannot take is no processor's fault.
TEST_F(ApplicationProfile, SizesThatFailOnlyTogether)
{
    auto options = two_repetitions();
    const Sizes sizes{2, 4, 5, 6, 7, 8, 10};
    const auto search = [&](const std::string &condition) {
        const auto team =
            team_of("sh -c 'while read a b; do [ " + condition + " ] || exit 3; echo $((a * 2)) $b; done'", by_lines,
                    {"A", "B"});
        return optimize(team, OptimizeRequest::from(Objective::time, 12, sizes, options));
    };
    EXPECT_DOUBLE_EQ(search("$((a + b)) -le 99").value.value, 8);
    for (const std::string both_fail : {"$a -lt 12 -a $b -lt 12", "$a -le 10 -a $b -le 8", "$a -lt 12 -a $b -lt 11"}) {
        EXPECT_DOUBLE_EQ(search(both_fail).value.value, 8) << both_fail;
        options.set_text("checkpoint_file", request_.file);
        for (const auto *call : {"first", "again"})
            EXPECT_DOUBLE_EQ(search(both_fail).value.value, 8) << both_fail << ", " << call;
        std::filesystem::remove(request_.file);
        options.set_text("checkpoint_file", "");
    }
    expect_error(Status::callback, {"fails with none of these sizes alone"}, [&] { search("$((a + b)) -le 12"); });
    expect_error(Status::callback, {"fails with each of these sizes alone"}, [&] { search("$((a + b)) -eq 12"); });
}

TEST_F(ApplicationProfile, FindsTheBestOfOneTime)
{
    auto options = two_repetitions();
    options.set_text("shares", "3:2:1");
    const std::string largest =
        "m=$((a * 6)); [ $((b * 3)) -gt $m ] && m=$((b * 3)); [ $((c * 2)) -gt $m ] && m=$((c * 2));";
    const auto team = team_of(
        "sh -c 'while read a b c; do [ $((a + b + c)) -eq 60 ] || exit 3; " + largest + " echo $m; done'", by_lines);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(40), options));
    ASSERT_TRUE(found.one_time);
    EXPECT_LE(found.value.value, 63) << "60 is the least";
    EXPECT_LE(found.one_time->runs, 45);
    ASSERT_EQ(found.rivals.size(), 3U);
    EXPECT_EQ(found.rivals[0].method, "best");
    EXPECT_EQ(found.rivals[1].x, (Sizes{20, 20, 20}));
    EXPECT_EQ(found.rivals[2].x, (Sizes{30, 20, 10}));
    ASSERT_TRUE(found.race);
    EXPECT_DOUBLE_EQ(found.race->ratios[1].value, 120 / found.value.value) << "without noise";
    EXPECT_DOUBLE_EQ(found.race->ratios[2].value, 180 / found.value.value);
    const auto report = report_of(found);
    EXPECT_EQ(std::get<std::int64_t>(report.get("certified")), 0);
    EXPECT_NE(std::get<std::string>(report.get("note")).find("if it printed 3 times"), std::string::npos);
    options.set_text("shares", "3:2");
    expect_error(Status::invalid_argument, {"'shares'", "3 processors"},
                 [&] { optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(40), options)); });
    for (const auto *wrong : {"3:x:1", "0:0:0", "1:-1:2", "1:inf:2"}) {
        options.set_text("shares", wrong);
        expect_error(Status::invalid_argument, {"'shares'", wrong},
                     [&] { OptimizeRequest::from(Objective::time, 60, up_to(40), options); });
    }
}

// A program that stays alive prepares each new distribution at its first run, which does not count.
TEST_F(ApplicationProfile, FirstRunsOfOneTimeDoNotCount)
{
    const std::string seconds =
        "m=$((a * 6)); [ $((b * 3)) -gt $m ] && m=$((b * 3)); [ $((c * 2)) -gt $m ] && m=$((c * 2));";
    const auto team =
        team_of("sh -c 'while read a b c; do " + seconds +
                    " case $seen in *:$a,$b,$c:*) ;; *) seen=$seen:$a,$b,$c:; m=$((m * 10)) ;; esac; echo $m; done'",
                by_lines);
    auto options = two_repetitions();
    options.set_int("confirm", 0);
    const auto found = optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(40), options));
    EXPECT_LE(found.value.value, 63) << "60 is the least";
}

TEST_F(ApplicationProfile, RunsOfOneTimeAreKept)
{
    auto options = two_repetitions();
    options.set_int("confirm", 0);
    options.set_text("checkpoint_file", request_.file);
    const auto search = [&](std::int64_t most_runs, const char *slowness = "3") {
        options.set_int("max_runs", most_runs);
        ::setenv("SLOWNESS", slowness, 1); // the command stays the same
        const auto team = team_of("sh -c 'while read a b; do [ $a -le 30 ] || exit 3; m=$((a * SLOWNESS)); "
                                  "[ $b -gt $m ] && m=$b; echo $m; done'",
                                  by_lines, {"A", "B"});
        return optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(40), options));
    };
    EXPECT_EQ(search(4).one_time->runs, 4);
    const auto found = search(20);
    EXPECT_LE(found.counts.repetitions, found.one_time->runs - 4 + 1) << "the fastest run of the file is checked";
    const auto again = search(20);
    EXPECT_EQ(again.counts.repetitions, 1) << "all runs are in the file; the fastest one is checked";
    EXPECT_EQ(again.one_time->runs, found.one_time->runs);
    EXPECT_EQ(again.rivals.front().x, found.rivals.front().x);
    EXPECT_EQ(again.failed, found.failed);
    expect_error(Status::invalid_argument, {"its fastest run", "'resume_tolerance'"}, [&] { search(20, "9"); });
    write_file(request_.file, read_file(request_.file) + "# run 30 = 1\n");
    expect_error(Status::invalid_argument, {"'# run 30 = 1' is no run of 2 processors"}, [&] { search(20); });
}

// Runs against the baselines are runs: a later call without that baseline still knows its distribution.
TEST_F(ApplicationProfile, RunsAgainstTheBaselinesAreKept)
{
    auto options = two_repetitions();
    options.set_text("checkpoint_file", request_.file);
    options.set_int("max_runs", 1);
    const auto team =
        team_of("sh -c 'while read a b; do m=$((a * 3)); [ $b -gt $m ] && m=$b; echo $m; done'", by_lines, {"A", "B"});
    const auto search = [&] { return optimize(team, OptimizeRequest::from(Objective::time, 60, up_to(60), options)); };
    options.set_text("shares", "15:45");
    const auto first = search();
    ASSERT_EQ(first.rivals[first.winner].method, "shares");
    options.set_text("shares", "");
    const auto found = search();
    EXPECT_EQ(found.rivals[found.winner].x, (Sizes{15, 45}));
    EXPECT_EQ(found.value.value, 45);
    EXPECT_EQ(found.platform.facts.lines().back(), " chosen time 60 = 15,45 ran 45 not certified");
}

// Equal parts fail, and with them every other total.
TEST_F(ApplicationProfile, OneTimeOfAnApplicationThatFails)
{
    auto options = two_repetitions();
    const Sizes sizes{2, 4, 5, 6, 7, 8, 10};
    const auto search = [&](const std::string &most) {
        const auto team = team_of("sh -c 'while read a b; do [ $((a + b)) -eq 12 ] && [ $a -le " + most +
                                      " ] || exit 3; m=$((b * 2)); [ $a -gt $m ] && m=$a; echo $m; done'",
                                  by_lines, {"A", "B"});
        return optimize(team, OptimizeRequest::from(Objective::time, 12, sizes, options));
    };
    const auto found = search("4");
    EXPECT_EQ(found.rivals.front().x, (Sizes{4, 8}));
    EXPECT_DOUBLE_EQ(found.value.value, 16);
    EXPECT_GT(found.one_time->failed_runs, 0);
    EXPECT_NE(found.failed.find("exit status 3"), std::string::npos);
    expect_error(Status::callback, {"failed with each of the distributions tried"}, [&] { search("1"); });
}

// No time at all, and times that are none.
TEST_F(ApplicationProfile, TimesWithoutMeaning)
{
    Options options;
    const auto search = [&](const std::string &times) {
        const auto team = team_of("sh -c 'while read a b; do echo " + times + "; done'", by_lines, {"A", "B"});
        return optimize(team, OptimizeRequest::from(Objective::time, 12, Sizes{2, 4, 6, 8, 10}, options));
    };
    for (const auto *none : {"0 0", "0"}) {
        const auto found = search(none);
        EXPECT_EQ(found.value.value, 0);
        EXPECT_TRUE(!found.race || found.race->repetitions <= 10) << "stops at once";
    }
    expect_error(Status::invalid_argument, {"1e+308 s", "at most 1e+100"}, [&] { search("1e308"); });
}

// The search for the size that fails ends, too.
TEST_F(ApplicationProfile, LooksWhileItSearchesTheCulprit)
{
    const auto team = team_of("sh -c 'case $0 in 0,*|*,0) sleep 999;; *) exit 3;; esac' {x}", from_output, {"A", "B"});
    request_.max_total_seconds = 0.1;
    request_.sizes = {3};
    EXPECT_EQ(profile(team, request_).missing, 1U) << "the budget ended: it has not failed";
}

} // namespace

} // namespace hpart
