// Programs as processors: what they are given, what they answer, how they fail, and what they leave behind.
#include "measurement/application.hpp"
#include "measurement/team.hpp"

#include "profile_fixture.hpp"
#include "programs.hpp"
#include "support/options.hpp"
#include "support/scratch.hpp"

#include <fstream>
#include <numeric>
#include <thread>

#include <fcntl.h>

namespace hpart
{

namespace
{

Measurement measure_twice(const Team &team, std::vector<std::int64_t> x, const Poll &poll = Poll())
{
    return measure(team, team.slices(x), repeated<MeasureSettings>(2), poll);
}

std::vector<double> seconds_of(const std::string &command, std::int64_t size, const Settings &settings)
{
    Team team;
    add_program(team, "P", command, settings);
    return measure_twice(team, {size}).samples;
}

void expect_seconds(const std::string &command, std::int64_t size, const Settings &settings, double seconds)
{
    EXPECT_EQ(seconds_of(command, size, settings), (std::vector<double>(2, seconds))) << command;
}

std::string failure_of(const std::string &command, std::int64_t size, const Settings &settings = {})
{
    const auto error = error_of([&] { seconds_of(command, size, settings); });
    EXPECT_EQ(error.status(), Status::callback) << error.what();
    return error.what();
}

std::string refusal_of(const std::string &command, const Settings &settings = {})
{
    Team team;
    const auto error = error_of([&] { add_program(team, "P", command, settings); });
    EXPECT_EQ(error.status(), Status::invalid_argument) << error.what();
    EXPECT_EQ(team.count(), 0U);
    return error.what();
}

std::ptrdiff_t open_descriptors()
{
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

// Whatever was started has ended and was waited for, and no descriptor stays open.
class ProgramTest : public testing::Test
{
  protected:
    ~ProgramTest() override
    {
        EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
        EXPECT_EQ(errno, ECHILD);
        EXPECT_EQ(open_descriptors(), descriptors_);
    }

  private:
    std::ptrdiff_t descriptors_ = open_descriptors();
};

// A time behind the end of what is kept of a line must not be read as a shorter number.
TEST(ProgramOutput, LongLinesHaveNoTime)
{
    for (const int blanks : {65532, 65533, 65534, 65535, 65536, 100000, 9000000}) {
        const auto command = "sh -c 'printf \"%" + std::to_string(blanks) + "s12.512345\\n\" \"\"'";
        EXPECT_NE(failure_of(command + " {size}", 1, from_output).find("a line of more than 65536 bytes"),
                  std::string::npos);
        expect_seconds("sh -c '" + command.substr(7, command.size() - 8) + "; echo 0.25' sh {size}", 1, from_output,
                       0.25);
    }
    const Settings pattern = {{"time_pattern", "t=([0-9]+)"}};
    for (const auto &[blanks, more] : {std::pair(2040, 9), std::pair(1, 3000)})
        expect_seconds(text("sh -c 'printf \"t=1%", blanks, "s t=530 ms%", more, "s\\n\" \"\" \"\"' {size}"), 1,
                       pattern, 0.53);
    expect_part(failure_of("sh -c 'printf \"t=1%70000s t=2\\n\" \"\"' {size}", 1, pattern),
                "a line of more than 65536 bytes");
    expect_seconds(
        "sh -c 'for i in $(seq 400); do printf \"\\rstep %d of 400\" $i; done; printf \"\\rtime 0.5 s\\n\"' sh {size}",
        1, from_output, 0.5);
    expect_seconds("sh -c 'printf \"0.75\\r\\n\"' sh {size}", 1, from_output, 0.75);
}

TEST_F(ProgramTest, TimeIsOnTheLastLineThatHasOne)
{
    expect_seconds("echo 'size {size}: 7 rows, then 0.{size}s on GPU0'", 25, from_output, 0.25);
    expect_seconds("sh -c 'echo 7; echo 1.5e-3; echo done'", 1, from_output, 1.5e-3);
    expect_seconds("printf 3", 1, from_output, 3);
    expect_seconds(R"(printf '\033[32m0.5\033[0m {size}\033[1;31m ms\033[K')", 3, from_output, 0.003);
    expect_seconds(R"(printf '0.5\033]0;title 5\007 \033]2;6\033\134ms')", 1, from_output, 0.0005);
    expect_part(failure_of("echo time 0,53 s", 1, from_output), "printed '0,53', which is no number of seconds");
    expect_seconds("sh -c 'echo time = 0.3 s; echo error = 1.0e-13; echo Exit status: 1'", 1, from_output, 0.3);
    for (const auto *output :
         {"setup 0.1 s; echo Elapsed: 0.5", "setup 0.1 s; echo a 1 2", "setup 0.1 s; echo took 0,5 s",
          "setup 0.1 s; echo avg 5 ms, std 1 ms", "residual 1e-13"})
        expect_part(failure_of("sh -c 'echo " + std::string(output) + "; echo rows: 7' {size}", 1, from_output),
                    "printed '");
}

// Milliseconds read as seconds, or a checksum read as a time.
TEST_F(ProgramTest, ATimeLongerThanTheRunIsDoubted)
{
    const auto doubt_of = [](const std::string &command, const Settings &settings) {
        Team team;
        add_program(team, "P", command, settings);
        add_program(team, "Q", "true");
        measure_twice(team, {530, 1});
        return team.time_doubt();
    };
    const auto doubt = doubt_of("echo {size}", from_output);
    expect_part(doubt, "'echo 530' says that it took 530 s, but its run took ");
    expect_part(doubt_of("sh -c 'while read n; do echo 3600; done'", line_protocol), "says that it took 3600 s");
    expect_part(doubt_of("sh -c 'while read n; do echo 30.6000004598; done'", line_protocol), "took 30.6 s, but");
    EXPECT_EQ(doubt_of("echo 0.01", from_output), "") << "clocks differ a little";
    EXPECT_EQ(doubt_of("echo {size}", {{"time_from", "stdout"}, {"time_pattern", "([0-9]+)"}}), "") << "chosen";
    EXPECT_EQ(doubt_of("sleep 0.02", {}), "");
}

// A step is that of the printed decimals.
TEST_F(ProgramTest, EqualTimesAreWithinTheirPrintedStep)
{
    const auto half_width_of = [](const std::string &command, const Settings &settings) {
        Team team;
        add_program(team, "P", command, settings);
        const std::vector<std::int64_t> x = {1};
        const auto found = measure(team, team.slices(x), repeated<MeasureSettings>(10), Poll()).estimates.front();
        return found.high - found.value;
    };
    const double share = 1 - std::pow(0.05, 0.1);
    const Settings in_minutes = {{"time_from", "stdout"}, {"time_unit", "min"}};
    const std::vector<std::tuple<std::string, Settings, double>> cases = {
        {"echo 1", in_minutes, 60},
        {"echo 0.50", from_output, 0.01},
        {"echo t=0.50", {{"time_pattern", "t=([0-9.]+)"}}, 0.01},
        {"sh -c 'while read n; do echo 0.500; done'", line_protocol, 0.001},
        {"sh -c 'while read n; do echo 0.5$k; k=0; done'", line_protocol, 0.01}}; // the finest
    for (const auto &[command, settings, step] : cases)
        EXPECT_NEAR(half_width_of(command, settings), step * share, 1e-9 * step) << command;
}

TEST_F(ProgramTest, ProcessorTimeIsThatOfTheProgramAndItsChildren)
{
    const Settings processor_time = {{"time_from", "cpu"}};
    const std::string count = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    for (const auto &command :
         {"sh -c '" + count + "; sleep 0.4' sh {size}", "sh -c '(" + count + "); sleep 0.4' sh {size}"}) {
        Team team;
        add_program(team, "P", command, processor_time);
        const auto begin = Clock::now();
        const auto samples = measure_twice(team, {1}).samples;
        const double wall = seconds_since(begin);
        EXPECT_GT(samples[0], 0.02);
        EXPECT_LT(samples[0] + samples[1], wall - 0.7) << "sleep takes no processor";
    }
    expect_part(refusal_of("cat", {{"protocol", "lines"}, {"time_from", "cpu"}}), "'time_from' is 'cpu'");
    expect_part(refusal_of("cat", {{"time_pattern", "(x)"}, {"time_from", "cpu"}}), "with a time pattern it must be");
    const auto error = error_of([&] { make_application({"A", "B"}, "echo {x}", support::options_of(processor_time)); });
    expect_part(error.what(), "'time_from' is 'cpu', which is a time of one processor's program");
}

TEST_F(ProgramTest, TimesWithoutAUnitHaveThatOfTheOption)
{
    expect_seconds("echo 12.5", 1, {{"time_from", "stdout"}, {"time_unit", "ms"}}, 0.0125);
    expect_seconds("echo 12.5 s", 1, {{"time_from", "stdout"}, {"time_unit", "ms"}}, 12.5);
    expect_seconds("echo 12.5 +- 2 s", 1, {{"time_from", "stdout"}, {"time_unit", "ms"}}, 12.5);
    expect_seconds("echo avg_ns: 250", 1, {{"time_pattern", "avg_ns: ([0-9]+)"}, {"time_unit", "ns"}}, 250e-9);
    expect_seconds("sh -c 'while read n; do echo 2; done'", 1, {{"protocol", "lines"}, {"time_unit", "min"}}, 120);
    expect_part(refusal_of("echo {size}", {{"time_unit", "ms"}}), "the program prints no time");
    expect_part(refusal_of("echo {size}", {{"time_from", "stdout"}, {"time_unit", "day"}}), "one of ns|us|ms|s|min|h");
}

TEST_F(ProgramTest, TimeIsTheSizeByThePrintedRate)
{
    const Settings rate = {{"time_from", "rate"}};
    expect_seconds("echo 40", 10, rate, 0.25);
    expect_seconds("sh -c 'echo 17 rows; echo 40 rows/s; echo error 1e-9' {size}", 10, rate, 0.25);
    expect_seconds("echo '3 ms per token, 2e3 tokens per second' {size}", 10, rate, 0.005);
    expect_seconds("echo Gflops: 50", 10, {{"time_from", "rate"}, {"time_pattern", "Gflops: ([0-9.]+)"}}, 0.2);
    for (const std::string bad : {"0", "-3", "0.0 rows/s", "-1 rows/s"})
        expect_part(failure_of("sh -c 'echo " + bad + "' {size}", 1, rate), "that must be a finite number above 0");
    for (const std::string bad : {"nan", "inf", "1e400", "0.5 s", "3,5"})
        expect_part(failure_of("sh -c 'echo " + bad + "' {size}", 1, rate), "printed '" + bad + "', which ");
    expect_part(refusal_of("echo {size}", {{"time_from", "rate"}, {"time_unit", "ms"}}), "a rate is in units a second");
    expect_part(refusal_of("cat", {{"time_from", "rate"}, {"protocol", "lines"}}), "'time_from' is 'rate'");
    Team team;
    add_program(team, "P", "echo 17 Gflops {size}", {{"time_from", "rate"}, {"time_pattern", "([0-9]+) G"}});
    measure_twice(team, {3400});
    expect_part(team.time_doubt(), "says that it took 200 s by its rate, but its run took ");
    EXPECT_NEAR(team.member(0).kernel->printed_step().value(), 200.0 / 17, 1e-9) << "by the last decimal of the rate";
    expect_part(team.member(0).kernel->description(), "(time from rate)");
}

TEST_F(ProgramTest, TimeIsTheFirstGroupOfTheLastMatch)
{
    const Settings pattern = {{"time_pattern", "took ([\\d.]+) s\\b"}};
    expect_seconds("sh -c 'echo took 1 s, took 2.5 s; echo took 9 steps'", 1, pattern, 2.5);
    expect_part(failure_of("echo 3", 1, pattern), "printed nothing that the time pattern matches");
    const Settings nested = {{"time_pattern", "(([0-9]+)+)+x"}}; // tried in all ways it would take hours
    expect_part(failure_of("echo 11111111111111111111111111111111111111111111111111", 1, nested), "printed nothing");
    expect_part(failure_of("echo took . s", 1, pattern), "printed '.', which is no number of seconds");
}

TEST_F(ProgramTest, WallTimeIsFromTheStartToTheEnd)
{
    const auto before = Clock::now();
    const auto samples = seconds_of("sh -c 'read a </proc/uptime; echo much; echo >&2 more'", 1, {});
    const double all = seconds_since(before);
    ASSERT_EQ(samples.size(), 2U);
    EXPECT_GT(samples[0], 0);
    EXPECT_LT(samples[0] + samples[1], all);
}

TEST_F(ProgramTest, WordsAreThoseOfAShellWithoutExpansion)
{
    const Settings pattern = {{"time_pattern", R"(^<a b><\$HOME><\*><x"y\\><><7-7>(\d)$)"}};
    expect_seconds(R"(sh -c 'printf "<%s>" "$@"; echo 4' sh "a b" '$HOME' * x\"y\\ "" {size}-{size})", 7, pattern, 4);
    expect_part(refusal_of("sh -c 'echo"), "the quote ' must be closed");
    expect_part(refusal_of("./app {size} > out"), "no shell reads it");
    expect_part(refusal_of("./app \\"), "backslash");
    expect_part(refusal_of("./app --rows {sizes}"), "write {size}");
    expect_part(refusal_of("  "), "must name a program");
}

TEST_F(ProgramTest, StayingProgramIsStartedOnce)
{
    const std::string count = "sh -c 'k=0; while read n; do k=$((k+1)); echo $n.$k; done'";
    Team team;
    add_program(team, "P", count, line_protocol);
    EXPECT_EQ(measure_twice(team, {8}).samples, (std::vector<double>{8.1, 8.2}));
    EXPECT_EQ(measure_twice(team, {9}).samples, (std::vector<double>{9.3, 9.4}));
}

TEST_F(ProgramTest, ProcessorsRunTogetherAndIdleOnesAreNotAsked)
{
    Team team;
    add_program(team, "A", "sh -c 'while read n; do echo 0.1; done'", line_protocol);
    add_program(team, "B", "sh -c 'echo never; exit 1'", from_output);
    add_program(team, "C", "echo 0.3", from_output);
    EXPECT_EQ(execute(team, std::vector<std::int64_t>{4, 0, 5}, 0, false).seconds, (std::vector<double>{0.1, 0, 0.3}));
}

TEST_F(ProgramTest, FailureNamesProcessorSizeCommandAndReason)
{
    EXPECT_EQ(
        failure_of("sh -c 'echo first >&2; echo no memory >&2; exit 3' {size}", 12),
        "processor 'P', size 12: 'sh -c 'echo first >&2; echo no memory >&2; exit 3' 12' ended with exit status 3; the "
        "last line of its standard error is 'no memory'");
    expect_part(failure_of("sh -c 'kill -SEGV $$'", 1), "was ended by signal 11 (SIGSEGV)");
    expect_part(failure_of("/nowhere/app{size}", 1), "'/nowhere/app1' cannot be started: No such file or directory");
    expect_part(failure_of("echo fast", 1, from_output), "printed no number");
    expect_part(failure_of("echo -2", 1, from_output), "says that it took -2 s");
}

TEST_F(ProgramTest, ProgramThatCannotBeStartedIsAWrongCommand)
{
    const auto refused = [](const std::string &command, const std::string &reason, const Settings &settings = {}) {
        Team team;
        support::expect_error(Status::invalid_argument, {"'" + command + "' cannot be started: " + reason},
                              [&] { add_program(team, "P", command, settings); });
    };
    refused("/nowhere/app {size}", "No such file or directory");
    refused("/nowhere/app", "No such file or directory", line_protocol);
    refused("env A=1 /nowhere/app {size}", "No such file or directory");
    refused("hpart-has-no-such-program", "No such file or directory; give its path, or let PATH");
    refused("/etc/passwd", "Permission denied");
    refused("/etc", "Permission denied");
    const support::Folder folder;
    const auto path = folder.file("app");
    std::ofstream(path) << "no program\n";
    fs::permissions(path, fs::perms::owner_all);
    Team team;
    add_program(team, "P", path + " {size}");
    support::expect_error(Status::invalid_argument,
                          {"'" + path +
                           " 1' cannot be started: Exec format error; a script must begin with a line "
                           "such as #!/bin/sh"},
                          [&] { execute(team, std::vector<std::int64_t>{1}, 0, false); });
}

// Reports as Open MPI and MPICH write them.
TEST_F(ProgramTest, FailureBeforeTheReportOfMpirun)
{
    const auto last_line = [&](const std::string &error) {
        const auto message = failure_of("sh -c 'printf -- \"" + error + "\" >&2; exit 3' {size}", 1);
        return message.substr(message.rfind("is '"));
    };
    const std::string dashes(74, '-'), equals(60, '=');
    const auto open_mpi = dashes + "\\nPrimary job  terminated normally\\n" + dashes + "\\nsecond\\n" + dashes +
                          "\\nmpirun detected that one or more\\n\\n  Exit code:    3\\n" + dashes + "\\n";
    EXPECT_EQ(last_line("warning\\nno memory\\n" + open_mpi), "is 'no memory'");
    EXPECT_EQ(last_line(open_mpi), "is 'second'");
    EXPECT_EQ(last_line(dashes + "\\nmpirun: not as root\\n" + dashes + "\\n"), "is 'mpirun: not as root'");
    EXPECT_EQ(last_line("no memory\\n" + equals + "\\n=   BAD TERMINATION OF ONE\\n" + equals + "\\nEXIT STRING: 3\\n"),
              "is 'no memory'");
    EXPECT_EQ(last_line("a table\\n" + dashes + "\\n1 2 3\\n" + dashes + "\\nno memory\\n"), "is 'no memory'");
}

TEST_F(ProgramTest, FailureOfAStayingProgram)
{
    expect_part(failure_of("sh -c 'while read n; do echo quick; done'", 1, line_protocol),
                "answered 'quick', which is no number of seconds");
    expect_part(failure_of("sh -c 'while read n; do echo nan; done'", 1, line_protocol),
                "answered 'nan', which is no number of seconds");
    expect_part(failure_of("sh -c 'read n; echo out of cores >&2; exit 4'", 1, line_protocol),
                "ended with exit status 4; the last line of its standard error is 'out of cores'");
    expect_part(failure_of("sh -c 'read n'", 1, line_protocol), "ended before it answered");
    expect_part(failure_of("sh -c 'read n; printf \"1\\n2\\n\"; exec sleep 100'", 1, line_protocol),
                "wrote '2' before it had a size");
    const support::FakeClock no_patience(1);
    expect_part(failure_of("sh -c 'exec >&-; exec sleep 100'", 1, line_protocol), "closed its standard output");
}

TEST_F(ProgramTest, ProgramThatClosesItsInputDoesNotEndThisProcess)
{
    // It has closed its input for certain once it has answered.
    const support::FakeClock no_patience(1);
    const std::string command = "sh -c 'read n; exec <&-; echo 1; exec >&-; exec sleep 100'";
    expect_part(failure_of(command, 1, line_protocol), "closed its standard");
}

TEST_F(ProgramTest, TimeoutEndsTheWholeGroup)
{
    const Settings soon = {{"timeout", "0.05"}};
    expect_part(failure_of("sleep 100", 1, soon), "did not end within 0.05 s");
    expect_part(failure_of("sh -c 'sleep 100; echo'", 1, soon), "did not end within 0.05 s");
    expect_part(failure_of("sh -c 'while read n; do :; done'", 1, {{"protocol", "lines"}, {"timeout", "0.05"}}),
                "did not answer within 0.05 s");
}

TEST_F(ProgramTest, WhatAProgramLeavesRunningEndsWithIt)
{
    const support::Folder folder;
    const auto file = folder.file();
    expect_seconds("sh -c 'sleep 100 & echo $! >" + file + "; echo 1'", 1, from_output, 1);
    const auto process = static_cast<pid_t>(std::stol(read_file(file)));
    // Killed, it ends at its next turn, and init waits for it later.
    const auto runs = [&] {
        std::string line;
        std::ifstream status(text("/proc/", process, "/stat"));
        std::getline(status, line);
        const auto behind_name = line.rfind(") ");
        return line.find("(sleep)") != std::string::npos && line[behind_name + 2] != 'Z' &&
               line[behind_name + 2] != 'X';
    };
    const auto start = Clock::now();
    while (runs() && seconds_since(start) < 60) std::this_thread::yield();
    EXPECT_FALSE(runs());
}

TEST_F(ProgramTest, MuchOutputDoesNotBlock)
{
    expect_seconds("sh -c 'head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; echo; echo 2.5'", 1, from_output,
                   2.5);
}

// More than a pipe and a piece hold; the time is in the first or in the last piece.
TEST_F(ProgramTest, TimesInMuchOutput)
{
    const std::string much = "i=0; while [ $i -lt 20 ]; do i=$((i+1)); cat lines; done";
    const support::Folder folder;
    std::string lines;
    while (lines.size() < 500000) lines += "step 12 of this run is done, size 7\r\n";
    write_file(folder.file("lines"), lines);
    const auto with = [&](const std::string &before, const std::string &after) {
        return "sh -c 'cd " + fs::path(folder.file("lines")).parent_path().string() + "; " + before + "; " + much +
               "; " + after + "' sh {size}";
    };
    const Settings pattern = {{"time_pattern", "took ([0-9.]+)"}};
    for (const auto &settings : {from_output, pattern})
        expect_seconds(with(":", "echo took 0.25 s"), 1, settings, 0.25);
    expect_seconds(with("echo took 0.5", ":"), 1, pattern, 0.5);
    expect_part(failure_of(with("echo took 0.5 s", ":"), 1, from_output), "does not say what is the time");
    expect_part(failure_of(with(":", ":"), 1, pattern), "printed nothing that the time pattern matches");
}

TEST_F(ProgramTest, ProgramsHaveTheirStreamsAloneAndTheirCores)
{
    // Those of this process that are not marked to be closed, and that of the folder.
    double inherited = 0;
    for (int descriptor = STDERR_FILENO + 1; descriptor < 1024; ++descriptor) {
        const int flags = ::fcntl(descriptor, F_GETFD);
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0) ++inherited;
    }
    expect_seconds("sh -c 'set -- /proc/$$/fd/*; echo $#'", 1, from_output, inherited + 4);
    const auto core = usable_cores().back();
    const Settings bound = {{"cores", text(core)}, {"time_pattern", "Cpus_allowed_list:\\s*([0-9]+)$"}};
    const auto last = static_cast<double>(core);
    expect_seconds("cat /proc/self/status", 1, bound, last);
}

// Beside a loop on its core each of them waits about as long as it computes.
TEST_F(ProgramTest, WaitsOfItsProcessesForACoreAreKnown)
{
    if (!fs::exists("/proc/self/schedstat")) GTEST_SKIP() << "this system does not count waits";
    const int core = usable_cores().back();
    std::atomic<bool> is_done = false;
    std::thread loop([&] {
        bind_this_thread({core});
        while (!is_done) {}
    });
    const std::string counts = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
    Settings bound = {{"cores", text(core)}};
    Team team;
    add_program(team, "itself", "sh -c '" + counts + "'", bound);
    add_program(team, "its child", "sh -c '(" + counts + "); true'", bound);
    bound.push_back(line_protocol.front());
    add_program(team, "stays", "sh -c 'while read n; do " + counts + "; echo 1; done'", bound);
    for (std::size_t i = 0; i < team.count(); ++i) {
        std::vector<std::int64_t> x(team.count(), 0);
        x[i] = 7;
        EXPECT_EQ(team.member(i).kernel->waited_seconds(), 0);
        measure_twice(team, x);
        EXPECT_GT(team.member(i).kernel->waited_seconds(), 0.03) << team.member(i).name;
    }
    is_done = true;
    loop.join();
}

TEST_F(ProgramTest, CancelledCallEndsProgramsThatRun)
{
    Team team;
    add_program(team, "P", "sleep 100");
    add_program(team, "Q", "sh -c 'while read n; do sleep 100; done'", line_protocol);
    const auto callback = std::make_shared<const ProgressCallback>([](double, const char *) {
        static std::atomic<int> calls{0};
        return ++calls > 2 ? 1 : 0;
    });
    Control control(callback, std::numeric_limits<double>::infinity(), 1);
    expect_error(Status::cancelled, {}, [&] {
        measure_twice(team, {3, 3}, Poll([&] { control.report_progress(-1, "measuring"); }));
    });
}

TEST_F(ProgramTest, TeamsInSeveralThreads)
{
    std::vector<std::thread> threads;
    std::atomic<int> right{0};
    for (int k = 0; k < 4; ++k)
        threads.emplace_back([&right, k] {
            Team team;
            add_program(team, "A", "sh -c 'while read n; do echo $n; done'", line_protocol);
            add_program(team, "B", "echo {size}", from_output);
            for (std::int64_t size = 1; size < 6; ++size)
                right += measure_twice(team, {size + k, size}).samples ==
                         std::vector<double>{double(size + k), double(size), double(size + k), double(size)};
        });
    for (auto &thread : threads) thread.join();
    EXPECT_EQ(right, 20);
}

TEST_F(ProgramTest, OptionsThatContradictEachOther)
{
    expect_part(refusal_of("cat", {{"protocol", "lines"}, {"time_from", "wall"}}), "time_from");
    expect_part(refusal_of("cat", {{"time_pattern", "(x)"}, {"time_from", "wall"}}), "with a time pattern it must be");
    expect_part(refusal_of("cat {size}", line_protocol), "{size}");
    expect_part(refusal_of("cat", {{"time_pattern", "x"}}), "parentheses");
    expect_part(refusal_of("cat", {{"time_pattern", "(x"}}), "regular expression");
    expect_part(refusal_of("cat", {{"time_pattern", "(x)\\1"}}), "regular expression");
    expect_part(refusal_of("cat", {{"cores", "100000"}}), "100000");
}

TEST_F(ProgramTest, FunctionsOfLibraries)
{
    expect_part(refusal_of("lib:/nowhere/libapp.so:run"), "cannot be loaded");
    expect_part(refusal_of("lib:libapp.so"), "lib:PATH:FUNCTION");
    expect_part(refusal_of("lib:libc.so.6:no_such_function"), "has no function 'no_such_function'");
    expect_part(refusal_of("lib:libc.so.6:abs@0", {{"cores", "0"}}), "cores");
    expect_part(refusal_of("lib:libc.so.6:abs", {{"timeout", "1"}}), "belongs to programs");
    expect_part(failure_of("lib:libc.so.6:abs@0", 5), "'lib:libc.so.6:abs' returned 5");
    // 0 for sizes that are no letters.
    const auto samples = seconds_of("lib:libc.so.6:isalpha", 1, {});
    EXPECT_GE(samples.at(0), 0);
}

} // namespace

} // namespace hpart
