// Numbers that programs print: read as they are meant, or refused.
#include "measurement/printed_time.hpp"
#include "support/split.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

namespace hpart
{
namespace
{

std::vector<std::pair<double, std::string>> found_in(std::string_view line)
{
    std::vector<std::pair<double, std::string>> all;
    for (const auto &number : numbers_in(line))
        all.emplace_back(number.value, line.substr(number.begin, number.end - number.begin));
    return all;
}

TEST(PrintedNumbers, AreReadInEveryPlainForm)
{
    for (const auto &row : support::split(
             "time 0.53 s -> 0.53 | took 3.5s -> 3.5 | 1.25D-03 -> 1.25e-3 | 0.125D+01 -> 1.25 | 1.5d0 -> 1.5 | "
             ".5e1 -> 5 | +7 -> 7 | 5. -> 5 | 0.25 -> 0.25 | took 3.5ms -> 0.0035 | took 3.5 ms, 4 per step -> 0.0035 "
             "| "
             "eval time = 3424 ms / 127 runs ( 26.96 ms per token) -> 3.424 | 0.5 seconds 17 GFLOPS -> 0.5 | "
             "1s 52ms/step -> 1 | 5 \u00b5sec -> 5e-6 | 5 microsecs -> 5e-6 | 0.5 s \u00b1\u00a00.02 s -> 0.5 | "
             "0.5 s +\u22120.02 s -> 0.5 | 12 us -> 12e-6 | 7 \u00b5s -> 7e-6 | 2 min -> 120 | 2 min of 120 s -> 120 | "
             "3\u00a0ms -> 0.003 | 3 seconds - -> 3 | 0.5 seconds time elapsed -> 0.5 | 0.5 s, loss 2.345 -> 0.5 | "
             "0.53 \xb1 0.02 ms -> 0.00053 | 0.1  min -> 6 | 0.5\tms -> 0.0005 | 2 hrs -> 7200 | 530 (ms) -> 0.53 | "
             "530 [ms] -> 0.53 | 0.016 Minutes -> 0.96 | 2 MIN -> 120 | GPU0 v1.2 took 4 s -> 4 | "
             "5 usecs -> 5e-6 | 0.5 s (+/- 0.1 s) -> 0.5 | 0.5 s, sd = \u00b10.1 s -> 0.5 | 0.53 +- 0.02 -> 0.53 | "
             "0.53 +/- 0.02 ms -> 0.00053 | Time (mean \u00b1 \u03c3): 2 s \u00b1  0.1 s -> 2 | took \u22121.5 s -> "
             "-1.5")) {
        const auto parts = support::split(row, " -> ");
        const auto &line = parts[0];
        const auto found = found_in(line);
        ASSERT_FALSE(found.empty()) << line;
        EXPECT_EQ(PrintedTime("").last_in(line)->value, std::stod(parts[1])) << line;
    }
    EXPECT_TRUE(found_in("GPU0 v1.2 of node_3 fast").empty());
}

// Benchmarks' residuals, rates and tables, and times without a unit beside words. With the pattern that the message names they are read.
TEST(PrintedNumbers, ThatNeedNotBeTheTimeAreNone)
{
    struct Line {
        const char *text;
        Flaw flaw;
        const char *pattern;
    };
    for (const auto &[line, flaw, pattern] :
         {Line{"error = 1.0e-13", Flaw::unnamed, "error = ([-+0-9.eE]+)"},
          {"Exit status: 1", Flaw::unnamed, "Exit status: ([-+0-9.eE]+)"},
          {"12 rows", Flaw::unnamed, "([-+0-9.eE]+) rows"},
          {"17 GFLOPS", Flaw::unnamed, nullptr},
          {"Elapsed: 0.53", Flaw::unclear, "Elapsed: ([-+0-9.eE]+)"},
          {"walltime = 12", Flaw::unclear, "walltime = ([-+0-9.eE]+)"},
          {"8000,12,0.5", Flaw::unclear, ",([-+0-9.eE]+)"},
          {"n=100 h=3", Flaw::unclear, " h=([-+0-9.eE]+)"},
          {"3 rows 7", Flaw::unclear, " rows ([-+0-9.eE]+)"},
          {"n: 100 seconds: 0.25", Flaw::unclear, " seconds: ([-+0-9.eE]+)"},
          {"WR11C2R4   1000   32   2   2   0.35   1.905e+00", Flaw::unclear, nullptr},
          {"||Ax-b||_oo/(eps*N)= 3.52e-03 ...... PASSED", Flaw::unnamed,
           "\\|\\|Ax-b\\|\\|_oo/\\(eps\\*N\\)= ([-+0-9.eE]+)"},
          {"Copy:   93234.2   0.001716   0.001716", Flaw::unclear, nullptr},
          {"BM_f   2.09 %   5.62 %   4", Flaw::unclear, " %   ([-+0-9.eE]+)"},
          {"avg 5 ms, std 1 ms", Flaw::several, "avg ([-+0-9.eE]+)"}}) {
        const auto found = time_in(line);
        ASSERT_TRUE(found) << line;
        EXPECT_TRUE(std::isnan(found->value) && found->flaw == flaw) << line;
        const auto message = describe_bad_number(line, flaw);
        EXPECT_EQ(message.find(", as '") != std::string::npos, pattern != nullptr) << message;
        if (pattern == nullptr) continue;
        EXPECT_TRUE(message.ends_with(std::string(", as '") + pattern + "'")) << message;
        EXPECT_FALSE(std::isnan(PrintedTime(pattern).last_in(line)->value)) << line;
    }
}

// Decimal and thousands' commas, clocks, hexadecimals, exponents without a letter: a part of them would be a wrong time.
TEST(PrintedNumbers, WithAnotherMeaningAreNone)
{
    for (const std::string odd :
         {"0,53",       "1,234.5",   "0m1.234s",   "0.123-101",      "1'234.5",       "1_000.5",    "0x1p-1",
          "00:01:02.5", "1.234.567", "1e400",      "1\u2019234.5",   "1\u202f234,5",  "2024-11-26", "1.5D0D1",
          "1/3",        "12/400",    "nan",        "-inf",           "0.5\u00b10.02", "1.234,5",    "1.25 e-3",
          "1.25 E+3",   "1.25 D+3",  "1.5 x 10^2", "1.5\u00d710^-2", "1.5*10**2",     "120.53(2)"}) {
        const auto found = found_in("time " + odd + " s");
        ASSERT_EQ(found.size(), 1U) << odd;
        EXPECT_TRUE(std::isnan(found[0].first)) << odd;
        EXPECT_EQ(found[0].second, odd);
    }
    EXPECT_EQ(found_in("done 12:30:05, 0.5 s").back().first, 0.5);
}

TEST(PrintedNumbers, OfAnotherUnitAreNoTimes)
{
    for (const auto &odd : support::split(
             "17 GFLOPS | 2.5 Gflops | 3 GB/s | 3GB | 5x | 12 % | 12% | 4 it/s | 1D | 3e | 17 /s | 0.5/s | 12 GB | "
             "3 MiB | 12 W | 2 kJ | 3 GHz | 30 fps | 7 tokens per second | 9 per hour | 2 m | 3 days | 5 joules | "
             "1 kWh | 40 MBps | 2 percent | 12.3 ns/day | 27 ms per token | 3 s / step | 9 C | 7 x")) {
        const auto found = found_in("speed " + odd);
        ASSERT_EQ(found.size(), 1U) << odd;
        EXPECT_TRUE(std::isnan(found[0].first)) << odd;
    }
}

// Units of the size a second; a time is none, nor are thousands of operations, whose number says nothing of units.
TEST(PrintedRates, AreNumbersASecond)
{
    const PrintedTime rate("", 1, Printed::rate);
    for (const auto &row : support::split(
             "17 -> 17 | 37.5 tokens/s -> 37.5 | 9 per second -> 9 | 7 tokens per second -> 7 | 4 it/s -> 4 | "
             "1.25D3 rows / sec -> 1250 | 17 /s -> 17 | 3 rows/ms -> 3000 | 120 rows/min -> 2 | "
             "eval time = 3424 ms / 127 runs ( 26.96 ms per token, 37.25 tokens per second) -> 37.25 | "
             "8 rows in 0.5 s, 16 rows/s -> 16 | 3 meshes/s -> 3 | 12 % of peak, 5 (rows)/s -> 5 "
             "| 16 +- 2 rows/s -> 16 | -3 rows/s -> "
             "-3",
             " | ")) {
        const auto parts = support::split(row, " -> ");
        EXPECT_EQ(rate.last_in(parts[0])->value, std::stod(parts[1])) << row;
    }
    for (const auto &line : support::split(
             "0.5 s | 17 GFLOP/s | 17 GFLOPS | 3 GB/s | 2 k/s | 3 MiB/s | 12 ns/day | 3 s / step | 3 "
             "rows/s/GPU | 12 % | "
             "17 rows | rate: 17 | 5 rows/s of 9 rows/s | 2 m/s^2 | 0,5 rows/s | took 2 s | 5krows/s | 12 Mit/s | "
             "2 ktok/s | 3 kitems per second | 40 1/s | 5 keys/s | 3 Gfoo/s | 40 thousand/s | 2 million per second | "
             "37.5 tokens/s per GPU",
             " | ")) {
        const auto found = rate.last_in(line);
        ASSERT_TRUE(found) << line;
        EXPECT_TRUE(std::isnan(found->value)) << line;
        EXPECT_NE(describe_bad_number(line, found->flaw, Printed::rate)
                      .find(found->flaw == Flaw::none ? "units a second" : "rate"),
                  std::string::npos);
    }
    EXPECT_EQ(PrintedTime("([0-9.]+) GFLOP", 1, Printed::rate).last_in("17 GFLOP/s")->value, 17) << "chosen";
    EXPECT_EQ(PrintedTime("= ([0-9.]+)", 1, Printed::rate).last_in("Mop/s total = 12")->value, 12) << "chosen";
    EXPECT_TRUE(std::isnan(PrintedTime("took ([0-9.]+)", 1, Printed::rate).last_in("took 12 ms")->value));
    const auto message = describe_bad_number("GPU1: 17 GFLOP/s", Flaw::unnamed, Printed::rate);
    EXPECT_TRUE(message.ends_with(", or give a time pattern, as 'GPU[0-9]+: ([-+0-9.eE]+) GFLOP/s'") ||
                message.ends_with(", or give a time pattern, as 'GPU[0-9]+: ([-+0-9.eE]+)'"))
        << message;
}

TEST(PrintedNumbers, WithAUnitOfTimeGoBeforeOthersOfTheirLine)
{
    const PrintedTime any("");
    const std::vector<std::pair<std::string, double>> lines = {{"0.5 s 17 rows", 0.5},
                                                               {"0.5 s, 17 GFLOPS", 0.5},
                                                               {"2 ms, 2 ms in 12", 0.002},
                                                               {"0.5 s, error nan", 0.5},
                                                               {"1.5 seconds (12 %)", 1.5},
                                                               {"took 1 h 30 steps", 3600},
                                                               {"8 threads per rank, total time: 1.5 s", 1.5},
                                                               {"MPI/OpenMP time: 2 s", 2},
                                                               {"Solve time ........12.30 s", 12.3},
                                                               {"Solve time ........5 s", 5},
                                                               {"Solve time .... .5 s", 0.5},
                                                               {"Solve: 12.3 {s}", 12.3}};
    for (const auto &[line, value] : lines) EXPECT_EQ(any.last_in(line)->value, value) << line;
    for (const auto &line : support::split(
             "nan 100x | 0,5 s 3 rows | 7, nan | 1m 5.20s | took 1 min 5 s | 1h 2m 3s | 2 days 1 h | 1s 200ms | "
             "3 s 200 ms | 1s 530ms 120us | took 1 234 ms | took 1 234.5 s | 1 s, 200 ms | 1 minute and 5 seconds | "
             "1 min. 5.2 sec. | 2 days, 3 s | 1 MIN 5 SEC | 1 minute(s) 5 second(s) | 1h 2m | 2 hours 3m | 1 min 5 | "
             "Time: 1 234.5 | time (ms): 1 234 | rank 0 min 0.0004 max 0.0006 avg 0.0005 | "
             "avg 0.021 min 0.020 max 0.022 | 0.0005 (min) 0.0006 (max) | size 8000 seconds 0.53 | "
             "took 1 h 30 | took 2 min 30, done | Time per step: 5 ms | time/step = 5 ms | ms/step: 5 | "
             "Solve time (s): 12.3 | Elapsed [s] = 12.3 | Time(s) 12.3 | {\"time\": 12.3} | \"elapsed\": 12.3, | "
             "Wallclock=12.3 | Wall-clock 12.3 | runtime_s: 12.3 | finished in 12.3 | Time is 12.3 | time -> 12.3 | "
             "Elapsed time (sec): 125.3 | execution time (sec) is=60.1 | Total: ******** s | "
             "0.00105 ave 0.00131 max 0.00098 min | Rate: 0.017 s^-1 | frequency: 0.002 s-1 | 3 s**2 | took < 1 ms | "
             "ETA 0.01 s | Timer overhead: 20 ns | User time: 0.50 s | System time: 0.01 s | usr 0.02 s | "
             "Kernel CPU time: 0.01 s"))
        EXPECT_TRUE(std::isnan(any.last_in(line)->value)) << line;
}

// A unit in another form or language, which would else be read as seconds.
TEST(PrintedNumbers, WithUnitsOfTimeThatAreNotReadAreNone)
{
    for (const auto &line : support::split(
             "2 wall minutes | 2 elapsed minutes | 2.5-min | 0.5 core-hours | 2 mn | 3 H | 3 Minuten | 3 Stunden | "
             "3 heures | 12 minutos | 2 weeks | 1' 30'' | 12 Millisekunden | 3 milli-seconds | 12 \u043c\u0441 | "
             "12 \xb5s | 3 \u00c2\u00b5s | 5 ps | (12.5) s | 5 (\u00b1 1) ms | 5 [4, 6] ms | sys 0.00 | "
             "0.001 seconds sys | 0.5 s user | memory used (kb): 0. | Mop/s total = 1234.56")) {
        const auto found = time_in(line);
        ASSERT_TRUE(found) << line;
        EXPECT_TRUE(std::isnan(found->value)) << line;
    }
    EXPECT_EQ(time_in("12 millisecondes")->value, 0.012);
}

TEST(PrintedNumbers, OfSeveralTimesAreNone)
{
    for (const auto *line : {"Range (min \u2026 max): 302.1 ms \u2026 308.5 ms    10 runs",
                             "| Sha256 | 5.101 us | 0.0945 us | 0.0884 us |", "avg 5 ms, std 1 ms",
                             "fib time: [12.345 ms 12.400 ms 12.500 ms]", "4 mins of 5 s", "0.3 s, 2 ms in 12",
                             "dt=0.001s, elapsed 12.3"}) {
        const auto found = time_in(line);
        EXPECT_TRUE(std::isnan(found->value) && found->flaw == Flaw::several) << line;
    }
}

// Those of the processor are none of the run.
TEST(PrintedNumbers, BesideTimesOfTheProcessor)
{
    for (const auto &[line, value] :
         {std::pair("  Time (mean \u00b1 \u03c3):  304.9 ms \u00b1  2.1 ms    [User: 0.6 ms, System: 0.6 ms]", 0.3049),
          std::pair("real 1.5 s, user 0.5 s", 1.5)})
        EXPECT_EQ(time_in(line)->value, value) << line;
    EXPECT_EQ(PrintedTime("user ([0-9.]+)").last_in("real 1.5 s, user 0.5 s")->value, 0.5) << "chosen";
}

TEST(PrintedNumbers, OfAnotherEncodingAreNone)
{
    const std::string line("t\0 \0001\0.\0005\0", 10);
    EXPECT_EQ(time_in(line)->flaw, Flaw::zeros);
    EXPECT_FALSE(time_in(std::string(9, '\0')));
}

// The last decimal as it is written, in seconds.
TEST(PrintedNumbers, HaveTheStepOfTheirDecimals)
{
    const std::vector<std::pair<std::string, double>> lines = {
        {"0.1 h", 360},      {"1 min", 60},  {"0.5 min", 6},   {"0.50", 0.01},
        {"0.500000", 1e-6},  {"0.00", 0.01}, {"530 ms", 1e-3}, {"1.25e-3", 1e-5},
        {"1.25D+01 s", 0.1}, {"7", 1},       {"1e3", 1},       {"0.53 +- 0.0001 ms", 1e-5}};
    for (const auto &[line, step] : lines) EXPECT_DOUBLE_EQ(time_in(line)->step, step) << line;
    EXPECT_DOUBLE_EQ(time_in("0.5", 60)->step, 6);
    EXPECT_DOUBLE_EQ(parse_seconds("0.50", 60).step, 0.6);
    EXPECT_DOUBLE_EQ(PrintedTime("t=([0-9.]+)").last_in("t=0.50 ms")->step, 1e-5);
}

TEST(TimePattern, TakesWholeNumbers)
{
    const auto found = [](const std::string &pattern, std::string_view line) {
        return PrintedTime(pattern).last_in(line).value();
    };
    const std::string took = "took ([0-9.]+)";
    const std::vector<std::pair<std::string, double>> lines = {{"took 5 \u00b1 1 ms", 0.005},
                                                               {"took 5 +/- 1 ms", 0.005},
                                                               {"took 530 ms, 7 rows", 0.53},
                                                               {"took 1 s, took 2.5 s", 2.5}};
    for (const auto &[line, value] : lines) EXPECT_EQ(found(took, line).value, value) << line;
    EXPECT_EQ(found("took([0-9.]+)s", "took0.5s").value, 0.5);
    EXPECT_EQ(found("took (.*)", "took -0.5 ms ").value, -0.0005);
    EXPECT_EQ(found("real\\s+0m([0-9.]+)s", "real\t0m1.5s").value, 1.5);
    EXPECT_EQ(found(",([0-9.]+)$", "a,8000,12,0.5").value, 0.5);
    for (const auto *line : {"took 1.25D-3 s", "took 1,234.5 s", "took 1 234.5 s", "took 1'234.5 s", "took 0,53 s",
                             "took 1.2 e-3 s", "took 1.5\u00d710^-3 s", "took 2m30s", "took 1 s 200 ms", "took 0x10",
                             "took 1.25e-3", "took 2 min 30 s", "took 1 234"}) {
        const auto number = found(took, line);
        EXPECT_TRUE(std::isnan(number.value) && number.flaw == Flaw::part) << line;
    }
    for (const auto *line : {"took 2m", "took 5 GB", "took 12 %", "took 3 Minuten"})
        EXPECT_TRUE(std::isnan(found(took, line).value)) << line;
    EXPECT_EQ(found("([0-9.]+) s", "took 0,53 s").flaw, Flaw::part);
    EXPECT_EQ(found(".*([0-9.]+) s", "took 12.53 s").flaw, Flaw::part);
    EXPECT_EQ(found("([0-9.]+) elapsed", "0:02.5 elapsed").flaw, Flaw::part);
    EXPECT_NE(describe_bad_number("1.25e-3", Flaw::part).find("'1.25e-3', of which the time pattern takes a part"),
              std::string::npos);
}

// Patterns that are right below a minute, and units that the group does not see.
TEST(TimePattern, TakesNoPartOfALongTime)
{
    const std::vector<std::array<const char *, 2>> cases = {
        {"([0-9.]+) seconds", "Elapsed: 0 days 1 hours 2 minutes 2.5 seconds"},
        {"CPU.*?([0-9.]+)s WALL", "PWSCF : 58.34s CPU   1m 3.20s WALL"},
        {"real.*m([0-9.]+)s", "real\t1m2.500s"},
        {"([0-9.]+) s", "2 m 5.5 s"},
        {"([0-9]+) sec total", "1 hour, 30 min, 5 sec total"},
        {": ([0-9.]+)", "Elapsed (ms): 12.5"},
        {"=([0-9.]+)", "elapsed_ms=12.5"}};
    for (const auto &[pattern, line] : cases)
        EXPECT_TRUE(std::isnan(PrintedTime(pattern).last_in(line)->value)) << line;
    EXPECT_EQ(PrintedTime(": ([0-9.]+)", 1e-3).last_in("Elapsed (ms): 12.5")->value, 0.0125);
    EXPECT_EQ(PrintedTime(": ([0-9.]+)").last_in("Elapsed (s): 12.5")->value, 12.5);
    EXPECT_EQ(PrintedTime("([0-9.]+)s WALL").last_in("PWSCF : 58.34s CPU   3.20s WALL")->value, 3.2);
}

// A line without the text that each match has is not searched; every match has it.
TEST(TimePattern, FindsItsMatchesWhateverItsForm)
{
    for (const auto *pattern : {"t+ook? ([0-9])", "(?:took|TOOK) ([0-9])", "too[k|] ([0-9])", "t?ook\\b.([0-9])",
                                "\\x74ook ([0-9])", "t(o{2})k", "to{2}k ([0-9])", "tx*ook ([0-9])", "took|([0-9])",
                                "[[:alpha:]]+ ([0-9])", "\\u0074ook\\s([0-9])", "to*?k ([0-9])"})
        EXPECT_TRUE(PrintedTime(pattern).last_in("took 5")) << pattern;
}

TEST(PrintedNumbers, AloneOnALineAreSeparatedByCommasAndBlanks)
{
    const auto values = [](std::string_view line) {
        std::vector<double> all;
        for (const auto &number : numbers_alone(line)) all.push_back(number.value);
        return all;
    };
    using Values = std::vector<double>;
    EXPECT_EQ(values("0.31,0.52"), (Values{0.31, 0.52}));
    EXPECT_EQ(values(" 0.31 s, 2 s;3s"), (Values{0.31, 2, 3}));
    EXPECT_EQ(values("0.123,0.456"), (Values{0.123, 0.456}));
    EXPECT_EQ(values("1.5D0 2e-1"), (Values{1.5, 0.2}));
    EXPECT_EQ(values("-1 +2"), (Values{-1, 2}));
    for (const auto *line : {"", "fast", "3 GB", "3GB", "done in 3", "3 s of 4", "x 3", "3 s, 12 %"})
        EXPECT_TRUE(values(line).empty()) << line;
    EXPECT_EQ(values("0.5 s, 200 ms"), (Values{0.5, 0.2}));
    EXPECT_EQ(values("1e-05,2E-04"), (Values{1e-5, 2e-4}));
    for (const auto *line :
         {"0,53", "0,53 0,31", "0,53,0,31", "1 0m2s", "0.1 0.2 300 ms", "100 ms, 2, 3 us", "500ms 300", "1 min, 5 s"}) {
        const auto found = values(line);
        EXPECT_TRUE(!found.empty() && std::isnan(found.back())) << line;
    }
}

TEST(PrintedNumbers, AnAnswerIsTheWholeText)
{
    EXPECT_EQ(parse_seconds(" 1.25D-03 ").value, 1.25e-3);
    EXPECT_EQ(parse_seconds("+2d1").value, 20);
    EXPECT_EQ(parse_seconds("-2.5", 60).value, -150);
    for (const auto *odd : {"", "-", "D3", "1D", "1.5 s", "1,5", "1e3D2", "nan", "-inf", "1 2"})
        EXPECT_TRUE(std::isnan(parse_seconds(odd).value)) << odd;
}

} // namespace
} // namespace hpart
